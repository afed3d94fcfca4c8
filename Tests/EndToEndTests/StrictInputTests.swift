import FoundationEssentials
import Testing

/// Texts that are no JSON stay it, whatever else they could be taken for.
struct StrictInputTests {
  /// Texts of which each is no JSON, and could be something else.
  static let refused = [
    "", " ", "\n", "\r\n\t\n", "[1,]", "[\"\",]", "{\"id\":0,}", "{\"a\":\"b\"}/**/",
    "{\"a\":\"b\"}/**//", "{\"a\":/*comment*/\"b\"}", "{} // c\n", "1\n2\n", "[1]\n[2]\n", "{}{}",
    "{}\n1\n",
  ]

  private static func merge(_ sides: [String], _ name: String = "x.json") throws
    -> ChildProcess.Outcome
  {
    let files = try TestDirectory()
    let paths = try sides.enumerated().map { number, text in
      try Files.makeDirectory(files.path + "/\(number)")
      let path = files.path + "/\(number)/" + name
      try Files.write(text, to: path)
      return path
    }
    return try ChildProcess([Places.replicator, "merge"] + paths, in: "/").outcome()
  }

  @Test(arguments: refused)
  func `what is no JSON is not merged and not added`(text: String) throws {
    for name in ["x.json", "x", "x.txt"] {
      let merged = try Self.merge([text, text, text], name)
      #expect(merged.status == 2 && merged.output.isEmpty, "\(name): \(merged)")
    }
    let store = try TestStore(documents: [:])
    let before = try Files.contents(store.root)
    try Files.write(text, to: store.directory.path + "/x.json")
    let added = try store.run("add", "../x.json")
    #expect(added.status == 2 && added.stdout.isEmpty, "\(added)")
    #expect(try Files.contents(store.root).keys == before.keys)
  }

  /// A list with one record, minified, and with several, a record a line.
  static let lists = [
    #"[{"id":"a"}]"#, #"{"id":"a"}"#, "{\"id\":\"a\"}\n", "{\"id\":\"a\"}\n{\"id\":\"b\"}\n",
    #"{"items":[{"id":"a"},{"id":"b"}]}"#,
  ]

  @Test(arguments: lists) func `a blank version deletes nothing`(list: String) throws {
    for blank in ["", " ", "\n", "\r\n\r\n"] {
      for place in 0..<3 {
        var sides = [list, list, list]
        sides[place] = blank
        if place == 2 { sides[1] = list.replacing("\"a\"", with: "\"c\"") }
        let outcome = try Self.merge(sides)
        #expect(outcome.status == 2 && outcome.output.isEmpty, "\(place): \(outcome)")
        #expect(outcome.stderr.contains("/\(place)/x.json"), "\(outcome)")
      }
    }
  }

  @Test func `lines of objects are merged by record, whatever the file is called`() throws {
    let base = "{\"id\":\"a\"}\n{\"id\":\"b\"}\n"
    let outcome = try Self.merge(
      [base, base + "{\"id\":\"c\"}\n", "{\"id\":\"a\"}\n"], "database.db")
    #expect(
      outcome.status == 0 && outcome.stdout == "{\"id\":\"a\"}\n{\"id\":\"c\"}\n", "\(outcome)")
  }

  @Test func `a refusal names offset, line, column and what was expected`() throws {
    let text = "{\"é\": [1,\r\n  2,, 3]}"
    let files = try TestDirectory()
    let path = files.path + "/x.json"
    try Files.write(text, to: path)
    let words = [Places.replicator, "merge", path, path, path]
    let outcome = try ChildProcess(words, in: "/").outcome()
    let place = "it is no JSON at offset 16, line 2, column 5: found ',', expected a value."
    #expect(outcome.status == 2 && outcome.stderr.contains(place), "\(outcome)")
    let machine = try ChildProcess(words + ["--json"], in: "/").outcome()
    let error = try #require(try JSON.parse(machine.stderr)["error"])
    #expect(error["offset"]?.int == 16 && error["line"]?.int == 2 && error["column"]?.int == 5)
    #expect(error["expected"]?.string == "a value")
  }

  @Test func `every refusal of a text says what was expected`() throws {
    for text in ["{\"a\":1} x", "\"\u{1}\"", "\"\\x\"", "01", "[1", "nul", "[\"\\u12\"]"] {
      let outcome = try Self.merge([text, text, text])
      #expect(outcome.status == 2 && outcome.stderr.contains(", expected "), "\(outcome)")
      #expect(outcome.stderr.contains(" at offset "), "\(outcome)")
    }
  }

  @Test func `several members are one id where they are named`() throws {
    let store = try TestStore(documents: [:])
    let text = #"[{"k":1.0,"m":"a","v":1},{"k":2,"m":"a","v":1}]"#
    try Files.write(text, to: store.path("x.json"))
    let wrong = try store.run("add", "x.json", "--id", "/k", "--id", "/nope")
    #expect(wrong.status == 2 && wrong.stderr.contains("'/nope'"), "\(wrong)")
    let added = try store.json("add", "x.json", "--id", "/k", "--id", "/m")
    #expect(
      added["collections"]?.elements.first?["id"]?.elements.map(\.string) == ["/k", "/m"])
    try store.succeed("set", #"x/[1,"a"]"#, "v:=5")
    let edited = text.replacing("\"v\":1},", with: "\"v\":5},")
    #expect(try store.text("x.json") == edited)
    for id in ["[3]", "3", "[1,2,3]"] {
      let outcome = try store.run("set", "x/\(id)", "v:=1")
      #expect(outcome.status == 2 && outcome.stderr.contains("2 parts"), "\(outcome)")
    }
    try store.succeed("set", "x/[3,null]", "v:=1")
    #expect(try store.text("x.json") == edited.replacing("}]", with: "},{\"k\":3,\"v\":1}]"))
  }

  @Test func `any id can be named, as it is listed`() throws {
    let store = try TestStore(configuration: #"{"format":1,"documents":{}}"#, documents: [:])
    let ids = [
      #"a\u0000b"#, #"\ud800"#, #"\ud800\u0001"#, #"a\nb"#, #"\\u0041"#, #"\"\\u0041"#, "[1]", "#1",
      "é",
      "e\u{301}", "a/~b",
    ]
    let records = ids.enumerated().map { #"{"id":"\#($1)","n":\#($0)}"# }
    try Files.write("[" + records.joined(separator: ",") + "]", to: store.path("x.json"))
    try store.succeed("add", "x.json")
    let listed = try store.succeed("list", "x").stdout.split(separator: "\n")
    #expect(listed.count == ids.count)
    for (number, line) in listed.enumerated() {
      let name = line.split(separator: "  ", maxSplits: 1)[0]
      #expect(try store.succeed("get", "x/\(name)/n").stdout == "\(number)\n", "\(name)")
    }
    try store.succeed("set", #"x/"new\u0000""#, "n:=0")
    try store.succeed("set", "x/[2]", "n:=0")
    #expect(try store.text("x.json").hasSuffix(#",{"id":"new\u0000","n":0},{"id":"[2]","n":0}]"#))
  }
}
