import Testing

/// What somebody wrote comes back byte for byte; what replicator makes looks like what is beside it.
struct WrittenBytesTests {
  /// A store with one document that was added.
  private static func store(
    _ text: String, name: String = "x.json", _ options: [String] = []
  ) throws -> TestStore {
    let store = try TestStore(configuration: #"{"format":1,"documents":{}}"#, documents: [:])
    try Files.write(text, to: store.path(name))
    let outcome = try store.run(["add", name, "--name", "x"] + options)
    try #require(outcome.status == 0, "\(outcome)")
    return store
  }

  private static let lines = """
    {
      "items": [
        {"id": "a", "s": "x", "l": [ 1,2], "u": "h/h"},
        {"id": "b", "s": "y"}
      ]
    }

    """

  private static let bracketed = """
    {
       "a": 1,
       "m": {
          "l": [ {
             "q": 1,
             "r": 1.0
          }, {
             "q": 3
          } ],
          "n": 1
       }
    }

    """

  /// A document, what of it a program writes anew, and with what.
  static let rewrites: [(document: String, old: String, new: String)] = [
    // One escape is no reason to lay anything out.
    (lines, #""id": "a""#, #""id": "\u00e9""#), (lines, #""y""#, #""\u00fc é \/ / \u0041""#),
    (lines, "[ 1,2]", #"["\u00e8",2, 3 ]"#), (lines, "[ 1,2]", "[1, 2,3]"),
    (
      lines, #"{"id": "b", "s": "y"}"#,
      "{\"id\": \"b\", \"s\": \"y\"},\n    {\"id\": \"c\",\n     \"s\":1.0,\"p\":\"a\\/b\\u00e9\" }"
    ),
    (lines, #"{"id": "b""#, "{\"id\":\"c\"},\n    {\"id\": \"b\""),
    (lines, #"{"id": "b""#, "\n    {\"id\":\"c\"},\n    {\"id\": \"b\""),
    // A value whose layout is the first of its kind.
    (bracketed, #""q": 1"#, #""q": "\u00e9""#), (bracketed, #""q": 1"#, #""q": {"a" : [ ]}"#),
    (bracketed, #""n": 1"#, #""n": {"a":1,"b": [1,2]}"#),
    (bracketed, "{\n         \"q\": 3\n      }", "{ \"q\":\"\\u00e9\" }"),
  ]

  @Test(arguments: rewrites)
  func `a program that changes one thing finds its very bytes`(
    document: String, old: String, new: String
  ) throws {
    for options in [[], ["--kind", "document"]] {
      let store = try Self.store(document, options)
      let written = document.replacing(old, with: new, maxReplacements: 1)
      try #require(written != document)
      try Files.replace(store.path("x.json"), with: Array(written.utf8))
      try store.succeed("sync", "--wait")
      #expect(try store.text("x.json") == written, "\(options)")
      #expect(try store.succeed("export", "x").stdout == written, "\(options)")
    }
  }

  @Test func `a program that lays out everything anew brings its values, not its layout`() throws {
    let store = try Self.store(Self.lines)
    let compact =
      #"{"items":[{"id":"a","s":"x","l":[1,2],"u":"h\/h"},"#
      + #"{"id":"b","s":"\u0079\/"},{"id":"c","s":{"n":[1.0,"\u00e9"]}}]}"#
    try Files.replace(store.path("x.json"), with: Array(compact.utf8))
    try store.succeed("sync", "--wait")
    #expect(
      try store.text("x.json")
        == Self.lines.replacing(
          #""s": "y"}"#,
          with: #""s": "\u0079\/"},"# + "\n    "
            + #"{"id": "c", "s": {"n": [ 1.0, "\u00e9" ]}}"#))
  }

  @Test func `a new record has the characters that were typed`() throws {
    for text in [Self.lines, Self.lines.replacing("\"y\"", with: #""\u00fc\/""#)] {
      let store = try Self.store(text)
      try store.succeed("set", "x/c", #"s:="\u0041\/\u00e9""#, "n:=1.50E0", "p=é/")
      let record = #"{"id": "c", "s": "\u0041\/\u00e9", "n": 1.50E0, "p": "é/"}"#
      #expect(
        try store.text("x.json")
          == text.replacing("}\n  ]", with: "},\n    \(record)\n  ]"))
    }
  }

  /// Lists whose records have brackets and commas elsewhere than most: without and with a new one.
  static let layouts: [(before: String, after: String)] = [
    (
      "{\n   \"items\" : [ {\n      \"id\" : \"a\",\n      \"v\" : 1\n   } ]\n}\n",
      "{\n   \"items\" : [ {\n      \"id\" : \"a\",\n      \"v\" : 1\n   }, {\n      \"id\" : \"b\",\n      \"v\" : 2\n   } ]\n}\n"
    ),
    (
      "[ {\n  \"id\": \"a\",\n  \"v\": 1\n}, {\n  \"id\": \"c\",\n  \"v\": 1\n} ]\n",
      "[ {\n  \"id\": \"a\",\n  \"v\": 1\n}, {\n  \"id\": \"c\",\n  \"v\": 1\n}, {\n  \"id\": \"b\",\n  \"v\": 2\n} ]\n"
    ),
    (
      "[\n  {\n    \"id\": \"a\"\n    , \"v\": 1\n  }\n  , {\n    \"id\": \"c\"\n    , \"v\": 1\n  }\n]\n",
      "[\n  {\n    \"id\": \"a\"\n    , \"v\": 1\n  }\n  , {\n    \"id\": \"c\"\n    , \"v\": 1\n  }\n  , {\n    \"id\": \"b\"\n    , \"v\": 2\n  }\n]\n"
    ),
    (
      "[ { \"id\": \"a\"\n  , \"v\": 1\n  }\n, { \"id\": \"c\"\n  , \"v\": 1\n  }\n]\n",
      "[ { \"id\": \"a\"\n  , \"v\": 1\n  }\n, { \"id\": \"c\"\n  , \"v\": 1\n  }\n, { \"id\": \"b\"\n  , \"v\": 2\n  }\n]\n"
    ),
  ]

  @Test(arguments: layouts)
  func `a new record stands as the one before it`(before: String, after: String) throws {
    for newline in ["\n", "\r\n"] {
      let store = try Self.store(before.replacing("\n", with: newline))
      try store.succeed("set", "x/b", "v:=2")
      #expect(try store.text("x.json") == after.replacing("\n", with: newline))
      try store.succeed("delete", "x/b")
      #expect(try store.text("x.json") == before.replacing("\n", with: newline))
    }
  }

  @Test func `a new line stands behind the last one, whatever blank lines are before it`() throws {
    let text = "\r\n{\"id\":\"a\"}\r\n\r\n \t\r\n{\"id\":\"b\"}\n\n{\"id\":\"c\"}"
    let store = try Self.store(text, name: "x.jsonl")
    try store.succeed("set", "x/d", "v:=1")
    #expect(try store.text("x.jsonl") == text + "\r\n{\"id\":\"d\",\"v\":1}")
    try store.succeed("delete", "x/d")
    #expect(try store.text("x.jsonl") == text)
  }
}
