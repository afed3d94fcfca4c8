import FoundationEssentials
import Glibc
import Testing

/// Which content a program had read: what a running `watch` sees of that, and what it cannot see.
struct EvidenceTests {
  @Test func `after a stale copy an edit of one field says nothing of the others`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    let watch = try store.startWatch()
    try store.succeed("set", "hosts/w", "name=web", "port:=24")
    let old = try Files.read(store.path("hosts.json"))
    try store.succeed("set", "hosts/w", "name=web-new", "port:=99")
    let new = try store.text("hosts.json")
    try Files.replace(store.path("hosts.json"), with: old)
    try watch.event("entry")
    try Deadline.wait("the document is back") { try store.text("hosts.json") == new }
    watch.send(SIGKILL)
    _ = try watch.outcome()
    #expect(try store.log().map { $0["kind"]?.string } == ["stale"])

    let edited = new.replacing("web-new", with: "web-hand")
    try #require(edited != new)
    let sed = try ChildProcess(["sed", "-i", "s/web-new/web-hand/", "hosts.json"], in: store.root)
    #expect(try sed.outcome().status == 0)
    try store.succeed("sync")
    #expect(try store.text("hosts.json") == edited)
    let entries = try store.log()
    for entry in entries where entry["kind"]?.string == "revert-ambiguous" {
      // Kept is what the document shows, discarded what was not taken over.
      #expect(entry["kept"]?["value"]?.int == 99 && entry["discarded"]?[0]?["value"]?.int == 24)
    }
    #expect(!entries.contains { $0["path"]?.string == "/port" }, "\(entries)")
    #expect(try store.run("get", "hosts/w/port").stdout == "99\n")
    try store.verify()
  }

  @Test func `a hand edit back to a version that nobody had read is taken over`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    let watch = try store.startWatch()
    for (field, value) in [("port", "24"), ("port", "25"), ("name", "\"web\"")] {
      try store.succeed("set", "hosts/h1", "\(field):=\(value)")
      try Deadline.wait("the watch has found the file") {
        try watch.watchesInode(of: store.path("hosts.json"))
      }
    }
    let sed = try ChildProcess(["sed", "-i", "s/: 25/: 24/", "hosts.json"], in: store.root)
    #expect(try sed.outcome().status == 0)
    try watch.event("imported")
    try store.end(watch)
    #expect(try store.run("get", "hosts/h1/port").stdout == "24\n")
    #expect(try store.text("hosts.json").contains("\"port\": 24"))
    let entries = try store.run("log", "--json").stdout
    #expect(entries.isEmpty, "\(entries)")
    try store.verify()
  }

  @Test func `a program that reads every version makes no old rewrite a new one`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    let watch = try store.startWatch()
    let old = try store.text("hosts.json")
    for port in ["24", "25"] {
      try store.succeed("set", "hosts/h1", "port:=\(port)")
      try Deadline.wait("the watch has found the file") {
        try watch.watchesInode(of: store.path("hosts.json"))
      }
      #expect(try ChildProcess(["cat", "hosts.json"], in: store.root).outcome().status == 0)
    }
    let edited = old.replacing("\"two\"", with: "\"zwei\"")
    try Files.replace(store.path("hosts.json"), with: Array(edited.utf8))
    try watch.event("imported")
    try store.end(watch)
    #expect(try store.run("get", "hosts/h1/port").stdout == "25\n")
    #expect(try store.run("get", "hosts/h2/name").stdout == "\"zwei\"\n")
    #expect(try store.log().map { $0["kind"]?.string } == ["revert-ambiguous"])
    try store.verify()
  }

  @Test(arguments: [false, true])
  func `a program that keeps a replaced file open and writes into it is merged`(
    _ hasWatch: Bool
  ) throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    let path = store.path("hosts.json")
    // Older than any writer is waited for.
    _ = try ChildProcess(["touch", "-d", "1 hour ago", path], in: "/").outcome()
    let watch = hasWatch ? try store.startWatch() : nil
    let program = try ChildProcess(
      [
        "sh", "-c", "exec 3<>hosts.json; echo open; read line; sed s/two/zwei/g old >&3; exec 3>&-",
      ],
      in: store.root, takesInput: true)
    try Files.write(Samples.hosts, to: store.root + "/old")
    _ = try program.line("that it has the file") { $0 == "open" }
    try store.succeed("set", "hosts/h1", "port:=2222")
    #expect(try store.text("hosts.json").contains("2222"), "it holds nobody up")
    program.closeInput()
    #expect(try program.outcome().status == 0)
    if let watch {
      try Deadline.wait("it is merged") { try store.text("hosts.json").contains("zwei") }
      try store.end(watch)
    } else {
      try store.succeed("sync")
    }
    #expect(
      try store.text("hosts.json")
        == Samples.hosts.replacing("two", with: "zwei").replacing(
          #"one.example", "port": 22"#, with: #"one.example", "port": 2222"#))
    #expect(try store.log().map { $0["kind"]?.string } == ["orphan-write"])
    try store.verify()
  }

  @Test(.enabled(if: Unprivileged.isPossible, "needs root and setpriv"))
  func `the same of a file of somebody else, of which nobody can tell who has it open`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    try Unprivileged.give(store.directory.path)
    _ = try ChildProcess(["chown", "0:0", "hosts.json"], in: store.root).outcome()
    let program = try ChildProcess(
      ["sh", "-c", "exec 3<>hosts.json; echo open; read line; sed s/two/zwei/g old >&3"],
      in: store.root, takesInput: true)
    try Files.write(Samples.hosts, to: store.root + "/old")
    _ = try program.line("that it has the file") { $0 == "open" }
    #expect(try Unprivileged.run(["set", "hosts/h1", "port:=2222"], in: store).status == 0)
    #expect(try store.text("hosts.json").contains("2222"))
    program.closeInput()
    #expect(try program.outcome().status == 0)
    try Deadline.wait("it has rested for two seconds and is merged") {
      let outcome = try Unprivileged.run(["sync"], in: store)
      return try outcome.status == 0 && store.text("hosts.json").contains("zwei")
    }
    #expect(try store.text("hosts.json").contains("2222"))
    #expect(try store.log().map { $0["kind"]?.string } == ["orphan-write"])
  }
}

extension ChildProcess {
  /// Whether the process has an inotify watch on the file that has this name now.
  fileprivate func watchesInode(of path: String) throws -> Bool {
    var status = stat()
    guard stat(path, &status) == 0 else { return false }
    let wanted = " ino:\(String(status.st_ino, radix: 16)) "
    let directory = "/proc/\(id)/fdinfo"
    return try FileManager.default.contentsOfDirectory(atPath: directory).contains { name in
      // A descriptor may be closed between the two calls.
      (try? Files.text(directory + "/" + name).contains(wanted)) ?? false
    }
  }
}
