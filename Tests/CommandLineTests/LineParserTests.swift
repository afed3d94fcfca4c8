import LosslessJSON
import Testing

@testable import replicator

struct LineParserTests {
  @Test func `common options stand before or after the command`() throws {
    let before = try Invocation.parse(["-C", "/s", "--json", "status"])
    let after = try Invocation.parse(["status", "--store=/s", "--json"])
    #expect(before == after)
    #expect(before.1.store == "/s")
    #expect(before.1.isJSON)
  }

  @Test func `options and operands come in any order`() throws {
    let one = try Invocation.parse(["import", "--into", "hosts", "./f", "--dry-run"])
    let other = try Invocation.parse(["import", "--dry-run", "./f", "--into=hosts"])
    #expect(one == other)
    #expect(one.0 == .import(ImportOptions(file: "./f", document: "hosts", isDryRun: true)))
  }

  @Test func `two dashes end the options`() throws {
    let (invocation, _) = try Invocation.parse(["dismiss", "--", "--open", "-n"])
    #expect(invocation == .dismiss(entries: ["--open", "-n"]))
  }

  @Test func `log takes node as its filter, the word before log says who acts`() throws {
    let (invocation, common) = try Invocation.parse(["--node", "me", "log", "--node", "other"])
    #expect(common.node == "me")
    guard case .log(let filter) = invocation else {
      Issue.record("no log")
      return
    }
    #expect(filter.node == "other")
  }

  @Test func `short options take their value attached or as the next word`() throws {
    #expect(try Invocation.parse(["log", "-n5"]) == Invocation.parse(["log", "-n", "5"]))
    #expect(
      try Invocation.parse(["export", "hosts", "-ofile"]).0
        == .export(document: "hosts", generation: nil, output: "file"))
    #expect(try Invocation.parse(["-qC/s", "status"]).1.store == "/s")
  }

  @Test func `an optional value needs an equals sign`() throws {
    #expect(
      try Invocation.parse(["init", "--shared", "dir"]).0
        == .initialize(InitOptions(directory: "dir", sharing: .group(nil))))
    #expect(
      try Invocation.parse(["init", "--shared=staff"]).0
        == .initialize(InitOptions(sharing: .group("staff"))))
  }

  @Test(arguments: [
    ([], "no command was given"),
    (["frobnicate"], "there is no command 'frobnicate'"),
    (["status", "extra"], "'status' does not take 'extra'"),
    (["status", "--frob"], "'status' has no option '--frob'"),
    (["get"], "'get' needs DOC[:COLLECTION]/ID[/PATH]"),
    (["set", "hosts/a"], "'set' needs NAME=VALUE"),
    (["log", "-n"], "the option '-n' needs a value, N"),
    (["log", "-n", "x"], "'-n' takes a number, not 'x'"),
    (["log", "--open=1"], "the option '--open' takes no value"),
    (
      ["status", "--color", "red"],
      "the option '--color' does not take 'red', only auto, always, never"
    ),
    (["import", "f"], "'import' needs '--into DOC'"),
    (
      ["import", "f", "--into", "d", "--base", "f"],
      "'--base' takes a generation or a file with a / in its name, not 'f'"
    ),
    (["export", "d", "--generation", "0"], "'--generation' takes a positive number, not '0'"),
    (["log", "--kind", "odd"], "there is no kind 'odd'"),
    (["watch", "--once", "--poll", "2"], "'--once' and '--poll' exclude each other"),
    (["watch", "--poll", "0"], "'--poll' does not take '0'"),
    (["completions", "csh"], "there are no completions for 'csh'"),
    (["list", "hosts/a"], "'list' takes a document or a collection, not 'hosts/a'"),
    (["add", "f", "--name", "a b"], "'a b' is no name for a document"),
    (["get", "hosts"], "'get' needs a record or a place in 'hosts'"),
    (["delete", "hosts/a", "hosts:items"], "'delete' needs a record of 'hosts:items'"),
    (["delete", "hosts:"], "'hosts:' always exists and cannot be deleted"),
    (["set", "hosts", "a=b"], "'set' needs a record or a place in 'hosts'"),
    (["status", "-q", "-v"], "'--quiet' and '--verbose' exclude each other"),
  ])
  func `wrong usage gets one sentence`(words: [String], sentence: String) {
    let error = #expect(throws: UsageError.self) { try Invocation.parse(words) }
    #expect(error?.sentence == sentence)
    #expect(error?.hint.isEmpty == false)
  }

  @Test func `a slip of the finger is guessed`() {
    let command = #expect(throws: UsageError.self) { try Invocation.parse(["stauts"]) }
    #expect(command?.hint == "did you mean 'status'?")
    let option = #expect(throws: UsageError.self) { try Invocation.parse(["log", "--opne"]) }
    #expect(option?.hint == "did you mean '--open'?")
  }

  @Test func `help and version win over missing operands`() throws {
    #expect(try Invocation.parse(["get", "--help"]).0 == .help(.get))
    #expect(try Invocation.parse(["--help"]).0 == .help(nil))
    #expect(try Invocation.parse(["help", "set"]).0 == .help(.set))
    #expect(try Invocation.parse(["--version"]).0 == .version)
  }

  @Test func `a combining mark does not hide the equals sign or the dash`() throws {
    // "=" followed by U+0338 is one Character; as code units it is still an equals sign.
    let (invocation, _) = try Invocation.parse(["set", "hosts/a", "name=\u{338}x"])
    let expected = Assignment(path: JSONPointer(["name"]), value: .text(Array("\u{338}x".utf8)))
    #expect(invocation == .set(try Address("hosts/a"), [expected], basedOn: nil))
  }

  @Test func `the filters of log arrive`() throws {
    let words = [
      "log", "-n", "3", "--document", "hosts", "--record", "#7", "--path", "/a~1b/c", "--client",
      "hosts-1", "--kind", "stale,stripped", "--kind", "coerced", "--since", "2h", "--until", "now",
      "--open", "--all", "--reverse", "--oneline",
    ]
    let expected = LogFilter(
      limit: 3, document: "hosts", record: .number(Array("7".utf8)),
      path: JSONPointer(["a/b", "c"]), client: "hosts-1",
      kinds: ["stale", "stripped", "coerced"], since: .ago(7_200_000), until: .ago(0),
      isOpenOnly: true, includesOverwrites: true, isReversed: true, isOneLine: true)
    #expect(try Invocation.parse(words).0 == .log(expected))
  }
}
