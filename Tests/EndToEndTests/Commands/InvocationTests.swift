import Testing

/// How commands find the store and the node, and what their words mean.
struct InvocationTests {
  @Test func `the store is named, or told by the environment, or found upwards`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    try Files.makeDirectory(store.path("a/b"))
    func port(_ words: [String], in directory: String, _ variables: [String: String] = [:]) throws
      -> String
    {
      try ChildProcess([Places.replicator] + words, in: directory, environment: variables)
        .outcome().stdout
    }
    let get = ["get", "hosts/h1/port"]
    #expect(try port(get, in: store.path("a/b")) == "22\n")
    #expect(try port(get, in: "/", ["REPLICATOR_STORE": store.root]) == "22\n")
    #expect(try port(["-C", store.root] + get, in: "/") == "22\n")
    #expect(try port(get + ["--store", store.root], in: "/") == "22\n")
    #expect(try port(["get", "--store=\(store.root)", "--", "hosts/h1/port"], in: "/") == "22\n")
    let elsewhere = ["REPLICATOR_STORE": "/nonexistent"]
    #expect(try port(["-C", store.root] + get, in: "/", elsewhere) == "22\n")
  }

  @Test func `a node is registered by its first command that may write`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    func names() throws -> Set<String> {
      Set(try store.json("status")["nodes"]?.elements.compactMap { $0["name"]?.string } ?? [])
    }
    try store.succeed("list", "hosts", node: "reader")
    #expect(try names() == ["one"])
    try store.succeed("watch", "--once", node: "watcher")
    try store.succeed("set", "hosts/h1", "port:=22", node: "writer")
    try store.succeed("--node", "named", "set", "hosts/h1", "port:=22")
    #expect(try names() == ["one", "watcher", "writer", "named"])
  }

  @Test func `values come from words and from files, as text and as JSON`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    let (note, spec) = (store.directory.path + "/note.txt", store.directory.path + "/spec.json")
    try Files.write("two\nlines", to: note)
    try Files.write(#" { "a": [ 1.0 ] } "#, to: spec)
    try store.succeed(
      "set", "hosts/new", "name=x=y", "port:=2222", "note=@\(note)", "spec:=@\(spec)",
      "/deep/er=z", "a~b=1", "empty=")
    func value(_ path: String) throws -> String { try store.run("get", "hosts/new\(path)").stdout }
    #expect(try value("/name") == "\"x=y\"\n" && value("/port") == "2222\n")
    #expect(try value("/note") == "\"two\\nlines\"\n")
    #expect(try JSON.parse(value("/spec")) == JSON.parse(#"{"a":[1.0]}"#))
    #expect(try value("/deep/er") == "\"z\"\n" && value("/a~0b") == "\"1\"\n")
    #expect(try value("/empty") == "\"\"\n")
    try store.succeed("delete", "hosts/new/deep/er", "hosts/new/note")
    #expect(try value("/deep") == "{}\n" && store.run("get", "hosts/new/note").status == 1)
    try store.succeed("set", "hosts:/", "theme=dark")
    #expect(try store.run("get", "hosts:/theme").stdout == "\"dark\"\n")
    #expect(try JSON.parse(store.text("hosts.json"))["theme"]?.string == "dark")
  }

  @Test func `the number and the string of an id are two records`() throws {
    let store = try TestStore(
      documents: [
        "hosts.json": #"{"schemaVersion":1,"items":[{"id":1,"n":"a"},{"id":"1","n":"b"}]}"#
      ])
    #expect(try store.run("get", "hosts/1/n").stdout == "\"b\"\n")
    #expect(try store.run("get", "hosts/#1/n").stdout == "\"a\"\n")
    #expect(try store.run("get", "hosts/\"1\"/n").stdout == "\"b\"\n")
    try store.succeed("set", "hosts/#1", "n=c")
    #expect(
      try store.text("hosts.json")
        == #"{"schemaVersion":1,"items":[{"id":1,"n":"c"},{"id":"1","n":"b"}]}"#)
  }

  @Test func `colour is for terminals, unless it is asked for`() throws {
    let store = try HistoryTests.store()
    #expect(try !store.run("log").stdout.contains("\u{1B}["))
    #expect(try store.run("log", "--color", "always").stdout.contains("\u{1B}["))
    #expect(try !store.run("log", "--color", "never").stdout.contains("\u{1B}["))
    #expect(try !store.run("log", "--color", "always", "--json").stdout.contains("\u{1B}["))
  }

  @Test func `watch masks secrets and prints one line an event`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    let watch = try store.start(["watch"])
    _ = try watch.line("that it follows") { $0.contains("following") }
    try store.succeed("set", "hosts/h2", "password=hunter1")
    let before = "\(try store.generation("hosts") - 1)"
    try store.succeed("set", "hosts/h2", "password=hunter2", "--based-on", before, node: "two")
    _ = try watch.line("of the conflict") { $0.contains("concurrent") }
    watch.send(15)
    let outcome = try watch.outcome()
    #expect(outcome.status == 0 && outcome.stdout.hasSuffix("stopped\n"), "\(outcome)")
    #expect(!outcome.stdout.contains("hunter"), "\(outcome)")
  }

  @Test func `damage in a log is found and named, and costs nobody the rest`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    for number in 1...4 { try store.succeed("set", "hosts/h1", "port:=\(number)") }
    let nodes = store.root + "/.replicator/nodes"
    let segment = try #require(
      try Files.names(below: nodes) { $0.contains("/log/") && $0.hasSuffix(".jsonl") }.first)
    var bytes = try Files.read(nodes + "/" + segment)
    let lines = bytes.split(separator: UInt8(ascii: "\n"))
    let line = try #require(lines.dropLast().last)
    // A digit in the middle of the last line but one.
    bytes[line.startIndex + line.count / 2] ^= 1
    try Files.write(bytes, to: nodes + "/" + segment)
    let text = try store.text("hosts.json")
    let verified = try store.run("verify")
    #expect(verified.status == 1, "\(verified)")
    #expect(verified.stdout.contains(segment.split(separator: "/").last ?? "?"), "\(verified)")
    let machine = try store.json("verify", allowing: [1])
    #expect(machine["damage"]?.elements.isEmpty == false)
    #expect(try store.json("status", allowing: [1])["damage"]?.elements.isEmpty == false)
    #expect(try store.text("hosts.json") == text, "looking changes nothing")
    #expect(try store.run("get", "hosts/h2/name").stdout == "\"two\"\n")
  }
}
