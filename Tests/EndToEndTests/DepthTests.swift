import Testing

/// Documents as deep as they may be: what is in them stays readable wherever it is written down.
struct DepthTests {
  private static func nested(_ depth: Int, _ core: String = "") -> String {
    String(repeating: "[", count: depth) + core + String(repeating: "]", count: depth)
  }

  @Test func `a value as deep as the document allows is durable, a deeper one is refused`() throws {
    let store = try TestStore(configuration: #"{"format":1,"documents":{}}"#, documents: [:])
    try Files.write(#"[{"id":"a","v":1}]"#, to: store.path("x.json"))
    try store.succeed("add", "x.json")
    for depth in [500, 508, 509, 510] {
      try store.succeed("set", "x/a", "v:=\(Self.nested(depth))")
      #expect(try store.text("x.json") == #"[{"id":"a","v":\#(Self.nested(depth))}]"#)
      // Another process reads it from the log.
      #expect(try store.succeed("get", "x/a/v").stdout == Self.nested(depth) + "\n")
      try store.verify()
    }
    let before = try store.text("x.json")
    for (words, status) in [
      (["set", "x/a", "v:=\(Self.nested(511))"], 2), (["set", "x/b", "v:=\(Self.nested(511))"], 2),
      (["set", "x/a", "/n/m:=\(Self.nested(510))"], 2),
      (["set", "x/a", "v:=\(Self.nested(513))"], 64),
    ] as [([String], Int32)] {
      let outcome = try store.run(words)
      #expect(outcome.status == status, "\(outcome)")
      #expect(try store.text("x.json") == before)
    }
    try store.verify()
  }

  @Test(arguments: [[], ["--kind", "document"]])
  func `a document of the greatest depth is adopted, rewritten and told`(
    options: [String]
  ) throws {
    let store = try TestStore(configuration: #"{"format":1,"documents":{}}"#, documents: [:])
    let text = { (core: String) in "[{\"id\":1,\"v\":\(Self.nested(510, core))}]\n" }
    try Files.write(text("1"), to: store.path("x.json"))
    let added = try store.run(["add", "x.json"] + options)
    #expect(added.status == 0, "\(added)")
    for core in ["2", "\"\\u00e9\"", "3 "] {
      try Files.replace(store.path("x.json"), with: Array(text(core).utf8))
      try store.succeed("sync", "--wait")
      #expect(try store.text("x.json") == text(core))
      try store.verify()
    }
    // Every value that was replaced stands in the history, whole.
    let history = try store.succeed("log", "--all", "--json").stdout
    for core in ["1", "2"] { #expect(history.contains(Self.nested(510, core)), "\(core)") }
  }
}
