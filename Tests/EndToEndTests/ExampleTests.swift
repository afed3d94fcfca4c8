import Testing

/// The example applications of the library, as they are built.
struct ExampleTests {
  private let store: TestStore

  init() throws { store = try TestStore() }

  private func run(_ program: String, _ words: String...) throws -> String {
    let outcome = try ChildProcess([Places.example(program)] + words, in: store.root).outcome()
    try #require(outcome.status == 0, "\(program) \(words): \(outcome)")
    return outcome.stdout
  }

  @Test func `the program of the getting-started article runs`() throws {
    let lines = try run("getting-started", store.path("lists")).split(separator: "\n")
    try #require(lines.count == 3, "\(lines)")
    #expect(lines[0] == "swift Swift article")
    #expect(lines[1].hasPrefix("concurrent /title "))
    #expect(lines[2] == "The Swift language" || lines[2] == "Swift.org")
    #expect(lines[1].contains(lines[2]), "what lost is restored")
  }

  @Test func `two releases write through the store and the plain file and keep all`() throws {
    _ = try run("host-manager-1", ".", "add", "web1", "hostname=a.example.org", "port=22")
    _ = try run(
      "host-manager-2", ".", "set", "web1", "connectionMethod=et", "tunnel=db,5432,db:5432",
      "forwardAgent=ask")
    _ = try run("host-manager-1", "--file", "hosts.json", "set", "web1", "name=by file")
    _ = try run("host-manager-2", "--file", "hosts.json", "add", "web2", "name=two")
    _ = try run("host-manager-1", ".", "set", "web1", "port=2222")
    let shown = try run("host-manager-2", ".", "list")
    for part in [
      #""connectionMethod": "et""#, #""forwardAgent": "ask""#, #""target": "db:5432""#,
      #""name": "by file""#, #""port": 2222"#, #""name": "two""#,
    ] {
      #expect(shown.contains(part), "\(part) in \(shown)")
    }
    #expect(try run("host-manager-1", ".", "conflicts").isEmpty)
    try store.succeed("verify")
  }

  @Test func `the naive release loses what the others keep`() throws {
    let text = """
      {"schemaVersion": 1, "items": [
        {"id": "a", "name": "A", "connectionMethod": "et", "tunnels": [{"name": "db"}], "big": 1.0}
      ]}
      """
    try Files.write(text, to: store.path("hosts.json"))
    _ = try run("host-manager-1", "--file", "hosts.json", "set", "a", "name=B")
    #expect(try store.text("hosts.json") == text.replacing(#""A""#, with: #""B""#))
    _ = try run("host-manager-naive", "hosts.json", "set", "a", "C")
    let after = try store.text("hosts.json")
    #expect(after.contains(#""ssh""#) && !after.contains("tunnels") && !after.contains("big"))
  }

  @Test func `a loop says what it wrote, and its seed says what that is`() throws {
    for directory in ["one", "two"] {
      _ = try run("host-manager-2", directory, "add", "a", "name=A")
    }
    let lines = try ["one", "two"].map {
      try run("host-manager-2", $0, "loop", "--count", "5", "--seed", "7")
    }
    #expect(lines[0] == lines[1])
    #expect(lines[0].split(separator: "\n").allSatisfy { $0.hasPrefix("wrote a ") })
    let wrong = try ChildProcess(
      [Places.example("host-manager-1"), "one", "loop"], in: store.root
    ).outcome()
    #expect(wrong.status == 64)
  }
}
