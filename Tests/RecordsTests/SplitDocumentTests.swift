import LosslessJSON
import Merging
import Testing

@testable import Records

@Suite struct SplitDocumentTests {
  static let texts = [
    "{\"items\":[]}", "{ \"items\" : [ ] }\n", "{}", "{\"items\":null}", "[]", "{\"x\":[1]}",
    "{\"items\":[{\"id\":1}]}", "{\"items\":[{\"id\":1},{\"id\":2}]}",
    "{\n  \"items\": [\n    {\"id\": 1},\n    {\"id\": 2},\n    {\"id\": 3}\n  ],\n  \"z\": 1\n}\n",
    "{\r\n\t\"items\": [\r\n\t\t{\"id\": 1},\r\n\t\t{\"id\": 1}\r\n\t]\r\n}",
    "{\"items\":[{\"id\":1} , {\"id\":2}\n,\n\n{\"id\":3} ,7,\"x\",null]}",
    "\u{FEFF} {\"a\":1,\"items\":[ {\"id\":\"\\ud800\"}],\"items\":[{\"id\":5}]} \n\n",
    "{\"items\":[ {\"id\":1}, {\"id\":2}],\"items\":[]}",
  ]

  @Test(arguments: texts) func `a document comes back byte for byte`(_ document: String) throws {
    let split = try SplitDocument(document)
    #expect(text(split.assembled()) == document)
  }

  @Test func `comments, trailing commas and blank lines come back`() throws {
    let document = """
      // head
      {
        /* a */ "items": [ // first
          // one
          {"id": 1}, // behind one
          /* two */ {"id": 2} /* tail */ ,
          {"id": 3},
          // end
        ], // after
      } // foot

      """
    var shape = DocumentShape.items
    shape.dialect = .jsonc
    let split = try SplitDocument(document, shape)
    #expect(split.records.count == 3)
    #expect(text(split.assembled()) == document)
    #expect(split.frame.description.contains("[]"))
  }

  @Test func `members of a map that are no records stay where they are`() throws {
    let shape = DocumentShape(collections: [
      .init(name: "m", at: .root, kind: .map, except: ["a", "b"]),
      .init(name: "inner", at: pointer("/a/list"), kind: .array, id: [pointer("/id")]),
    ])
    let documents = [
      "{\"a\" : {\"list\": [ {\"id\":1} ]} ,\"x\":1,\n\"b\":2, \"y\" :{}}",
      "{\"x\":1,\"a\":{},\"y\":2}", "{ \"a\":1,\"b\":[] }", "{}", "{\"x\": 1}",
      "{\"a\":1,\"x\":0, \"a\" : 2,\"b\":3 ,\n\"b\": 4}",
    ]
    for document in documents {
      let split = try SplitDocument(document, shape)
      #expect(text(split.assembled()) == document)
    }
  }

  @Test func `generated documents come back byte for byte`() throws {
    var generator = Generator(seed: 7)
    for _ in 0..<400 {
      let document = generator.document()
      let split = try SplitDocument(document)
      #expect(text(split.assembled()) == document)
    }
  }

  @Test func `the frame has everything but the records`() throws {
    let split = try SplitDocument("{\"v\": 1,\n \"items\": [ {\"id\":1} ],\n \"z\":{}}\n")
    #expect(split.frame.description == "{\"v\": 1,\n \"items\": [],\n \"z\":{}}")
    #expect(split.records.map(\.text.description) == ["{\"id\":1}"])
    #expect(split.records[0].id?.description == "1")
  }

  @Test func `a new record takes the white space of the others`() throws {
    let split = try SplitDocument("{\n  \"items\": [\n    {\"id\": 1}\n  ]\n}\n")
    let new = AssembledRecord(collection: "items", text: JSONText(unchecked: Array("{}".utf8)))
    let bytes = SplitDocument.assemble(
      frame: split.frame, frameLayout: split.frameLayout, shape: split.shape,
      records: split.records.map(AssembledRecord.init) + [new])
    #expect(text(bytes) == "{\n  \"items\": [\n    {\"id\": 1},\n    {}\n  ]\n}\n")
  }

  @Test func `the first record of an empty list is indented like its surroundings`() throws {
    let split = try SplitDocument("{\n  \"items\": []\n}\n")
    let new = AssembledRecord(collection: "items", text: JSONText(unchecked: Array("{}".utf8)))
    let bytes = SplitDocument.assemble(
      frame: split.frame, frameLayout: split.frameLayout, shape: split.shape, records: [new])
    #expect(text(bytes) == "{\n  \"items\": [\n    {}\n  ]\n}\n")
  }

  @Test func `the place of a collection is created along its path`() throws {
    let shape = DocumentShape(collections: [
      .init(name: "d", at: pointer("/data/devices"), kind: .array, id: [pointer("/id")])
    ])
    for frame in ["{}", "{\"data\":null}", "{\"data\":{\"x\":1}}", "{\"data\":{\"devices\":3}}"] {
      let bytes = SplitDocument.assemble(
        frame: JSONText(unchecked: Array(frame.utf8)), frameLayout: nil, shape: shape,
        records: [
          AssembledRecord(collection: "d", text: JSONText(unchecked: Array("{\"id\":1}".utf8)))
        ])
      let again = try SplitDocument(bytes: bytes, shape: shape)
      #expect(again.records.map(\.text.description) == ["{\"id\":1}"], "\(text(bytes))")
    }
  }

  @Test func `documents from nothing are what init creates`() throws {
    #expect(
      text(SplitDocument.emptyDocument(.items, schemaVersion: 1))
        == "{\n  \"schemaVersion\": 1,\n  \"items\": []\n}\n")
    #expect(text(SplitDocument.emptyDocument(.document)) == "{}\n")
    let list = DocumentShape(collections: [
      .init(name: "i", at: .root, kind: .array, id: [pointer("/id")])
    ])
    #expect(text(SplitDocument.emptyDocument(list)) == "[]\n")
    let deep = DocumentShape(collections: [.init(name: "i", at: pointer("/a/b"), kind: .map)])
    let split = try SplitDocument(bytes: SplitDocument.emptyDocument(deep), shape: deep)
    #expect(split.missing.isEmpty)
  }

  @Test func `ids are told apart by code units and by kind`() throws {
    let split = try SplitDocument(
      "{\"items\":[{\"id\":1},{\"id\":\"1\"},{\"id\":1.0},{\"id\":\"é\"},{\"id\":\"e\u{301}\"},{}]}"
    )
    #expect(split.records.map(\.occurrence) == [0, 0, 1, 0, 0, 0])
    #expect(Set(split.records.map(\.key)).count == 5)
    #expect(split.records[5].id == nil)
  }
}

/// Documents of all styles, by a seed.
struct Generator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func number(_ bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(bound))
  }

  mutating func blank() -> String {
    ["", "", " ", "\n", "\r\n", "\t", "\n  ", "\n\n"][number(8)]
  }

  mutating func value(_ depth: Int = 0) -> String {
    switch number(depth > 2 ? 5 : 7) {
    case 0: "\(number(1000))"
    case 1: "\"\(number(50))\""
    case 2: ["true", "false", "null", "1e400", "1.0"][number(5)]
    case 3: "\"\\u00e9\\/\""
    case 4: "[]"
    case 5: "[" + blank() + value(depth + 1) + blank() + "]"
    default: "{\"a\":" + value(depth + 1) + ",\"b\"" + blank() + ":" + value(depth + 1) + "}"
    }
  }

  mutating func record() -> String {
    number(12) == 0 ? value() : "{\"id\":\(number(20)),\"v\":\(value())\(blank())}"
  }

  mutating func document() -> String {
    let lead = blank()
    var items: [String] = []
    for _ in 0..<number(6) {
      items.append((number(4) == 0 ? blank() : lead) + record() + (number(5) == 0 ? blank() : ""))
    }
    let list = "[" + items.joined(separator: ",") + blank() + "]"
    let before = number(2) == 0 ? "" : "\"v\":\(value())," + blank()
    let after = number(2) == 0 ? "" : "," + blank() + "\"w\":\(value())"
    return blank() + "{" + blank() + before + "\"items\":" + blank() + list + after + blank() + "}"
      + blank()
  }
}
