import FoundationEssentials
import Testing

/// Documents that are made from nothing as Foundation's JSONEncoder prints them.
struct FoundationStyleTests {
  private struct Item: Encodable {
    var id: String?
    var url: String
    var tags: [String]
    var none: [String: Int] = [:]
    var size: Int?
  }

  private static func store(
    _ style: String, documents texts: [String: [UInt8]] = [:]
  ) throws -> TestStore {
    let documents = [
      ("list", #"{"name":"items","at":"/items","kind":"array","id":"/id"}"#),
      ("root", #"{"name":"items","at":"","kind":"array","id":"/id"}"#),
      ("map", #"{"name":"hosts","at":"/deep/hosts","kind":"map"}"#),
      ("whole", #"{"name":"whole","at":"","kind":"document"}"#),
    ].map { name, collection in
      #""\#(name)":{"file":"\#(name).json","style":"\#(style)","collections":[\#(collection)]}"#
    }
    return try TestStore(
      configuration: #"{"format":1,"documents":{\#(documents.joined(separator: ","))}}"#,
      documents: texts)
  }

  @Test func `a document made from nothing is printed as Foundation does`() throws {
    let store = try Self.store("foundation")
    #expect(try store.text("list.json") == "{\n  \"items\" : [\n\n  ]\n}")
    try Self.write(in: store)
    let golden = """
      {
        "items" : [
          {
            "id" : "b",
            "none" : {

            },
            "size" : 2,
            "tags" : [
              "x",
              "y\\/z"
            ],
            "url" : "c\\/d"
          },
          {
            "id" : "a",
            "none" : {

            },
            "tags" : [

            ],
            "url" : "é"
          }
        ]
      }
      """
    #expect(try store.text("list.json") == golden)
    try Self.expectSame(store, [.prettyPrinted, .sortedKeys])
  }

  @Test func `so is a compact one`() throws {
    let store = try Self.store("foundation-compact")
    #expect(try store.text("list.json") == "{\"items\":[]}")
    try Self.write(in: store)
    try Self.expectSame(store, [.sortedKeys])
  }

  @Test func `a document that was there before keeps its own style`() throws {
    let text = "{\n    \"items\": [\n        {\"id\": \"z\", \"a\": 1}\n    ]\n}\n"
    let store = try Self.store("foundation", documents: ["list.json": Array(text.utf8)])
    try store.succeed("set", "list/b", "url=a/b", "count:=1")
    #expect(
      try store.text("list.json")
        == text.replacing(
          "}\n    ]", with: "},\n        {\"id\": \"b\", \"url\": \"a/b\", \"count\": 1}\n    ]"))
  }

  private static func write(in store: TestStore) throws {
    for document in ["list", "map", "root"] {
      let words = ["set", "\(document)/b", "url=a/b", #"tags:=["x", "y/z"]"#, "none:={}"]
      #expect(try store.run(words).status == 0)
      try store.succeed("set", "\(document)/a", "url=é", "tags:=[]", "none:={}")
      try store.succeed("set", "\(document)/b", "url=c/d", "size:=2")
    }
    try store.succeed("set", "whole:/", "b=x/y", "a:=[1]")
    try store.succeed("set", "whole:/", "aa:={}")
  }

  private static func expectSame(
    _ store: TestStore, _ formatting: JSONEncoder.OutputFormatting
  ) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = formatting
    func encoded(_ value: some Encodable) throws -> String {
      String(decoding: try encoder.encode(value), as: UTF8.self)
    }
    var items = [
      Item(id: "b", url: "c/d", tags: ["x", "y/z"], size: 2),
      Item(id: "a", url: "é", tags: [], size: nil),
    ]
    #expect(try store.text("list.json") == encoded(["items": items]))
    #expect(try store.text("root.json") == encoded(items))
    for index in items.indices { items[index].id = nil }
    #expect(
      try store.text("map.json") == encoded(["deep": ["hosts": ["a": items[1], "b": items[0]]]]))
    struct Whole: Encodable {
      var a = [1]
      var aa: [String: Int] = [:]
      var b = "x/y"
    }
    #expect(try store.text("whole.json") == encoded(Whole()))
    try store.verify()
  }
}
