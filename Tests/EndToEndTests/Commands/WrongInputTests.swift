import Testing

/// One clear sentence, the right exit code, and nothing is changed.
struct WrongInputTests {
  /// A command that cannot be done, and what is said of it.
  struct Wrong: CustomStringConvertible, Sendable {
    var words: [String]
    var status: Int32
    /// The word for scripts in `--json`; nil for wrong usage, where any will do.
    var code: String?

    init(_ line: String, _ status: Int32, _ code: String? = nil) {
      words = line.split(separator: " ").map(String.init)
      self.status = status
      self.code = code
    }

    var description: String { words.joined(separator: " ") }
  }

  static let unknown = [
    Wrong("get hosts/nope", 1, "unknown-record"), Wrong("get hosts/h1/nope", 1, "unknown-record"),
    Wrong("get hosts:/nope", 1, "unknown-record"), Wrong("get nope/h1", 1, "unknown-document"),
    Wrong("get hosts:nope/h1", 1, "unknown-collection"),
    Wrong("list nope", 1, "unknown-document"), Wrong("list hosts:nope", 1, "unknown-collection"),
    Wrong("set nope/h1 a=b", 1, "unknown-document"),
    Wrong("set hosts/h1 a=b --based-on 99", 1, "unknown-generation"),
    Wrong("delete hosts/nope", 1, "unknown-record"),
    Wrong("delete hosts/h1/nope", 1, "unknown-record"),
    Wrong("delete hosts/h1 hosts/nope", 1, "unknown-record"),
    Wrong("import good.json --into nope", 1, "unknown-document"),
    Wrong("import good.json --into hosts --base 99", 1, "unknown-generation"),
    Wrong("export nope", 1, "unknown-document"),
    Wrong("export hosts --generation 99", 1, "unknown-generation"),
    Wrong("show 0123456789abcdef", 1, "unknown-entry"),
    Wrong("restore 0123456789abcdef", 1, "unknown-entry"),
    Wrong("accept 0123456789abcdef", 1, "unknown-entry"),
    Wrong("dismiss 0123456789abcdef", 1, "unknown-entry"),
    Wrong("remove nope", 1, "unknown-document"),
  ]

  static let failing = [
    Wrong("import missing.json --into hosts", 2, "not-found"),
    Wrong("import bad.json --into hosts", 2, "not-json"),
    Wrong("import empty.json --into hosts", 2, "not-json"),
    Wrong("import . --into hosts", 2),
    Wrong("import good.json --into hosts --client nope", 2, "unknown-client"),
    Wrong("import good.json --into hosts --base ./bad.json", 2, "not-json"),
    Wrong("import good.json --into hosts --base ./missing.json", 2, "not-found"),
    Wrong("export hosts -o missing/out.json", 2, "not-found"),
    Wrong("set hosts/h1 note=@missing.txt", 2, "not-found"),
    Wrong("set hosts/h1 note:=@bad.json", 2, "not-json"),
    Wrong("add missing.json", 2, "not-found"), Wrong("add bad.json", 2, "not-json"),
    Wrong("add hosts.json", 2, "refused"),
    Wrong("add good.json --client nope", 2, "unknown-client"),
    Wrong("add good.json --name hosts --kind map", 2, "refused"),
    Wrong("add good.json --at /nope", 2, "refused"),
    Wrong("--store /nonexistent status", 2, "no-store"), Wrong("-C .. list hosts", 2, "no-store"),
    Wrong("init sub", 2, "store-inside-store"),
  ]

  static let usage = [
    Wrong("frob", 64), Wrong("--frob", 64), Wrong("get", 64), Wrong("get hosts/h1 hosts/h2", 64),
    Wrong("get --frob hosts/h1", 64), Wrong("get /h1", 64), Wrong("set hosts/h1", 64),
    Wrong("set hosts/h1 port", 64), Wrong("set hosts/h1 port:=[", 64),
    Wrong("set hosts/h1 a=b --based-on x", 64), Wrong("set hosts/h1 a=b --based-on 0", 64),
    Wrong("import good.json", 64), Wrong("import good.json --into hosts --time soon", 64),
    Wrong("import good.json --into hosts --base x", 64), Wrong("log --kind nonsense", 64),
    Wrong("log -n x", 64), Wrong("log --since soon", 64), Wrong("log --html x.html", 64),
    Wrong("watch --poll x", 64), Wrong("watch --poll -1", 64),
    Wrong("export hosts --generation x", 64),
    Wrong("completions tcsh", 64), Wrong("help frob", 64), Wrong("dismiss", 64),
    Wrong("status --color sometimes", 64), Wrong("status extra", 64),
    Wrong("add good.json --kind x", 64),
    Wrong("get hosts/h~2", 64), Wrong("status --json=x", 64), Wrong("set hosts/h1 --based-on", 64),
    Wrong("restore", 64), Wrong("show", 64), Wrong("list", 64), Wrong("remove", 64),
  ]

  @Test(arguments: unknown + failing + usage)
  func `it says one sentence and changes nothing`(wrong: Wrong) throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    try Files.write(#"{"schemaVersion":1,"items":[]}"#, to: store.path("good.json"))
    try Files.write(#"{"schemaVersion":1,"items":["#, to: store.path("bad.json"))
    try Files.write("", to: store.path("empty.json"))
    try Files.makeDirectory(store.path("sub"))
    let before = try Files.contents(store.directory.path)

    let outcome = try store.run(wrong.words)
    #expect(outcome.status == wrong.status, "\(outcome)")
    #expect(outcome.stdout.isEmpty, "\(outcome)")
    let lines = outcome.stderr.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count == 2 && lines.last == "", "\(outcome)")
    #expect(outcome.stderr.hasPrefix("replicator: "), "\(outcome)")
    if wrong.status != 64 { #expect(outcome.stderr.hasPrefix("replicator: cannot "), "\(outcome)") }

    let machine = try store.run(wrong.words + ["--json"])
    #expect(machine.status == wrong.status && machine.stdout.isEmpty, "\(machine)")
    let error = try #require(try JSON.parse(machine.stderr)["error"])
    #expect(error["message"]?.string?.isEmpty == false)
    if let code = wrong.code { #expect(error["code"]?.string == code) }
    #expect(
      Set(error.names).isSubset(of: [
        "code", "message", "hint", "path", "offset", "line", "column", "expected",
      ]))
    #expect(try Files.contents(store.directory.path) == before)
  }

  @Test(arguments: [
    ["get", ""], ["show", ""], ["add", ""], ["import", "", "--into", "hosts"],
    ["import", "good.json", "--into", ""], ["status", "--node", ""], ["status", "-C", ""],
    ["status", "--node", "a\nb"], ["export", "hosts", "-o", ""], ["log", "--kind", ""],
  ])
  func `empty words are wrong usage`(words: [String]) throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    let before = try Files.contents(store.directory.path)
    let outcome = try store.run(words)
    #expect(outcome.status == 64 && outcome.stdout.isEmpty, "\(outcome)")
    #expect(outcome.stderr.split(separator: "\n").count == 1, "\(outcome)")
    #expect(try Files.contents(store.directory.path) == before)
  }

  @Test func `a pipe where a file is asked for is named, and not waited for`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    _ = try ChildProcess(["mkfifo", "pipe"], in: store.root).outcome()
    for words in [
      ["add", "pipe"], ["import", "pipe", "--into", "hosts"], ["set", "hosts/h1", "a=@pipe"],
      ["merge", "pipe", "hosts.json", "hosts.json"], ["add", "/dev/null"],
    ] {
      let outcome = try store.run(words)
      #expect(outcome.status == 2 && outcome.stderr.contains("it is no file but a"), "\(outcome)")
    }
  }

  @Test func `a configuration that is none makes no store`() throws {
    for text in [
      "", "[]", "{", #"{"format":99}"#, #"{"format":1,"documents":{"a/b":{"file":"x"}}}"#,
    ] {
      let store = try TestStore()
      let configuration = store.directory.path + "/configuration.json"
      try Files.write(text, to: configuration)
      let outcome = try store.run("init", "--config", configuration)
      #expect(outcome.status == 2, "'\(text)': \(outcome)")
      #expect(outcome.stderr.hasPrefix("replicator: cannot "), "\(outcome)")
      #expect(try Files.tree(store.root).isEmpty, "'\(text)'")
    }
  }

  @Test func `a document that is no JSON makes no store and is left alone`() throws {
    let store = try TestStore()
    try Files.write("{\"items\": [", to: store.path("hosts.json"))
    let outcome = try store.run("init")
    #expect(outcome.status == 2, "\(outcome)")
    #expect(outcome.stderr.contains("hosts.json") && outcome.stderr.contains("line 1"))
    #expect(try Files.tree(store.root) == ["hosts.json": Array("{\"items\": [".utf8)])
  }

  @Test(arguments: ["requires", "format"])
  func `a store of a newer release is neither read nor written`(what: String) throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    let nodes = store.root + "/.replicator/nodes"
    let name = try #require(try Files.names(below: nodes) { $0.hasSuffix("node.json") }.first)
    let text = try Files.text(nodes + "/" + name)
    let newer =
      what == "format"
      ? text.replacing("\"format\":1", with: "\"format\":99")
      : text.replacing("\"requires\":[]", with: "\"requires\":[\"lamps\"]")
    try #require(newer != text)
    try Files.write(newer, to: nodes + "/" + name)
    let before = try Files.tree(store.root)
    for words in [
      ["set", "hosts/h1", "port:=1"], ["watch", "--once"], ["delete", "hosts/h1"],
      ["import", "hosts.json", "--into", "hosts"],
    ] {
      let outcome = try store.run(words)
      #expect(outcome.status == 2, "\(words): \(outcome)")
      #expect(outcome.stderr.hasPrefix("replicator: cannot "), "\(outcome)")
      #expect(outcome.stderr.contains("newer"), "\(outcome)")
      if what == "requires" { #expect(outcome.stderr.contains("lamps"), "\(outcome)") }
    }
    #expect(try Files.tree(store.root) == before)
  }

  @Test func `many errors are one transaction: all of it or nothing`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    let outcome = try store.run("set", "hosts/h1", "port:=1", "name:=]")
    #expect(outcome.status == 64)
    #expect(try store.text("hosts.json") == Samples.hosts)
    #expect(try store.run("get", "hosts/h1/port").stdout == "22\n")
  }
}
