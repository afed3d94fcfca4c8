import Testing

/// Secret values are masked wherever the history is shown, and nowhere in complaints.
struct SecretsTests {
  private static let configuration = #"""
    {"format":1,"documents":{"hosts":{"file":"hosts.json","dialect":"json",
    "collections":[{"name":"items","at":"/items","kind":"array","id":"/id"}],
    "keyed":{"/tunnels":"/name"},"secrets":["/pin","/tunnels/apikey"]}}}
    """#

  @Test func `by name at any depth and by the configuration, also in elements`() throws {
    let store = try TestStore(
      configuration: Self.configuration, documents: ["hosts.json": Array(Samples.hosts.utf8)])
    for (node, value) in [("one", "hunter1"), ("two", "hunter2")] {
      let generation = try store.generation("hosts")
      let words = [
        "password=\(value)", "pin=\(value)", "deep:={\"a\":[{\"Token\":\"\(value)\"}]}",
        "tunnels:=[{\"name\":\"t\",\"apikey\":\"\(value)\"}]",
      ]
      let base = node == "one" ? "\(generation)" : "\(max(1, generation - 1))"
      _ = try store.run(["set", "hosts/h1", "--based-on", base] + words, node: node)
    }
    try store.succeed("delete", "hosts/h1")
    var shown = try [
      ["log", "--all"], ["log", "--all", "--json"], ["log", "--all", "--oneline"],
    ]
    .map { try store.run($0) }
    for entry in try store.log("--all") {
      shown.append(try store.run("show", try HistoryTests.id(entry)))
    }
    for words in [["status"], ["status", "--json"], ["sync"], ["watch", "--once"]] {
      shown.append(try store.run(words))
    }
    for outcome in shown { #expect(!outcome.description.contains("hunter"), "\(outcome)") }
    #expect(shown[0].stdout.contains("***"))
    #expect(try store.run("log", "--all", "--show-secrets").stdout.contains("hunter"))
  }

  @Test(arguments: [
    ["password:=[hunter"], ["password=hunter1", "password=hunter2"], ["password:=\"hunter\" x"],
  ])
  func `a complaint repeats the name and not the value`(words: [String]) throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    for format in [[], ["--json"]] {
      let outcome = try store.run(["set", "hosts/h1"] + words + format)
      #expect(outcome.status == 64, "\(outcome)")
      #expect(outcome.stderr.contains("password") && !outcome.stderr.contains("hunter"))
    }
  }
}
