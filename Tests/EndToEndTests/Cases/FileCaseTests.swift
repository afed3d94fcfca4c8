import FoundationEssentials
import Glibc
import Testing

/// Cases from public reports about watching, replacing and sharing a file.
struct FileCaseTests {
  @Test func `c34: no atomic save is missed`() throws {
    let one = StepCase("c34-two-atomic-saves-in-a-row")
    let store = try one.store()
    let path = store.path("hosts.json")
    let watch = try store.startWatch()
    for file in ["a1.json", "a2.json"] {
      try Files.replace(path, with: one.bytes(file))
      try watch.event("imported")
    }
    #expect(try Files.read(path) == one.bytes("expected.json"))
    for number in 0..<20 {
      try Files.replace(path, with: one.bytes(number.isMultiple(of: 2) ? "a1.json" : "a2.json"))
    }
    try store.succeed("sync", "--wait")
    #expect(try Files.read(path) == one.bytes("expected.json"))
    for number in 0..<10 {
      let text = try Files.text(path).replacing(
        number == 0 ? "\"nas\"" : "\"nas \(number - 1)\"", with: "\"nas \(number)\"")
      if number.isMultiple(of: 2) {
        try Files.replace(path, with: Array(text.utf8))
      } else {
        // As vim does with a backup: the old file away, a new one made, the old one removed.
        rename(path, path + "~")
        try Files.write(text, to: path)
        unlink(path + "~")
      }
      try Deadline.wait("save \(number) is imported") {
        try store.run("get", "hosts/h3/name").stdout == "\"nas \(number)\"\n"
      }
    }
    try store.end(watch)
    try store.verify()
  }

  @Test(
    .enabled(if: Tracing.isPossible, "strace cannot inject faults here"),
    arguments: [
      ("inotify_add_watch", "ENOSPC", "fs.inotify.max_user_watches"),
      // What the C library calls is a matter of the machine.
      ("inotify_init,inotify_init1", "EMFILE", "fs.inotify.max_user_instances"),
    ])
  func `c35: at the limit of watches it polls and names the limit`(
    call: String, errno: String, limit: String
  ) throws {
    let one = StepCase("c35-watch-limit-reached")
    let store = try one.store()
    let watch = try store.startWatch(under: Tracing.failing(call, errno))
    try watch.waitForError(limit)
    try Files.replace(store.path("hosts.json"), with: one.bytes("a.json"))
    try watch.event("imported")
    #expect(try store.run("export", "hosts").output == one.bytes("expected.json"))
    watch.send(SIGTERM)
    let outcome = try watch.outcome()
    #expect(outcome.status == 0)
    let warnings = outcome.stderr.split(separator: "\n").filter { $0.contains(limit) }
    #expect(warnings.count == 1, "\(outcome)")
  }

  @Test func `c50: an own export is no change, a foreign one right behind it is`() throws {
    let one = StepCase("c50-own-export-is-no-change")
    let store = try one.store()
    let path = store.path("hosts.json")
    let watch = try store.startWatch()
    let before = try store.generation("hosts")
    try store.succeed("set", "hosts/h1", "port:=2200")
    try store.succeed("sync", "--wait")
    #expect(try Files.read(path) == one.bytes("expected.json"))
    let log = try store.logBytes()
    let bytes = try Files.read(path)
    utimes(path, nil)
    for number in 0..<10 {
      if number.isMultiple(of: 2) {
        try Files.write(bytes, to: path)
      } else {
        try Files.replace(path, with: bytes)
      }
    }
    try store.succeed("sync", "--wait")
    #expect(try store.generation("hosts") == before + 1)
    #expect(try store.logBytes() == log)
    try store.succeed("set", "hosts/h1", "port:=2201")
    let text = try Files.text(path).replacing("\"db\"", with: "\"database\"")
    try Files.replace(path, with: Array(text.utf8))
    try watch.event("imported")
    #expect(try store.run("get", "hosts/h2/name").stdout == "\"database\"\n")
    #expect(try store.run("get", "hosts/h1/port").stdout == "2201\n")
    try store.end(watch)
  }

  @Test func `c52: a link and the mode of its target survive`() throws {
    let one = StepCase("c52-symlink-and-mode-survive-replacement")
    let store = try TestStore()
    let target = store.directory.path + "/dotfiles/hosts.json"
    try Files.makeDirectory(store.directory.path + "/dotfiles")
    try Files.write(one.bytes("base.json"), to: target)
    Files.setMode(target, 0o600)
    symlink("../dotfiles/hosts.json", store.path("hosts.json"))
    try Files.write(StepCase.configuration, to: store.directory.path + "/conf.json")
    try store.succeed("init", "--config", store.directory.path + "/conf.json")
    try store.succeed("set", "hosts/h1", "port:=2200")
    let link = try FileManager.default.destinationOfSymbolicLink(atPath: store.path("hosts.json"))
    #expect(link == "../dotfiles/hosts.json")
    #expect(try Files.read(target) == one.bytes("expected.json"))
    #expect(Files.mode(target) == 0o600)
    let names = try Files.names(below: store.directory.path + "/dotfiles") { _ in true }
    #expect(names == ["hosts.json"])
  }

  @Test func `c52: the target of a dangling link is made`() throws {
    let store = try TestStore()
    try Files.makeDirectory(store.directory.path + "/dotfiles")
    symlink("../dotfiles/hosts.json", store.path("hosts.json"))
    try Files.write(StepCase.configuration, to: store.directory.path + "/conf.json")
    try store.succeed("init", "--config", store.directory.path + "/conf.json")
    try store.succeed("set", "hosts/h1", "port:=2200")
    let text = try Files.text(store.directory.path + "/dotfiles/hosts.json")
    #expect(text.contains("2200"))
    let link = try FileManager.default.destinationOfSymbolicLink(atPath: store.path("hosts.json"))
    #expect(link == "../dotfiles/hosts.json")
  }

  @Test func `watch can be ended although its parent had the signals blocked`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    let watch = try store.startWatch(under: ["/usr/bin/env", "--block-signal=TERM"])
    try store.end(watch)
  }

  @Test func `a document that becomes a link while bound is followed to its target`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    let target = store.directory.path + "/real.json"
    let edited = Samples.hosts.replacing("two.example", with: "zwei.example")
    try Files.write(edited, to: target)
    try FileManager.default.removeItem(atPath: store.path("hosts.json"))
    symlink(target, store.path("hosts.json"))
    try store.succeed("watch", "--once")
    #expect(try Files.text(target) == edited)
    try store.succeed("set", "hosts/h1", "note=through the link")
    let text = try Files.text(target)
    #expect(text.contains("through the link"))
    #expect(try store.log().isEmpty)
    let link = try FileManager.default.destinationOfSymbolicLink(atPath: store.path("hosts.json"))
    #expect(link == target)
    try store.verify()
  }

  @Test func `c54: many processes write one document at once`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    let end = store.directory.path + "/end"
    let reader = try ChildProcess(
      [Places.demoClient, "read-loop", store.path("hosts.json"), "--until", end], in: store.root)
    // All of it where the optimised executable is tested (REPLICATOR_EXECUTABLE): each write reads the
    // whole log, and a debug build takes a minute for an eighth.
    let (processes, writes) = (8, Places.replicator.contains("/release/") ? 200 : 25)
    let script = """
      for i in $(seq \(writes)); do
        "$0" --node one set hosts/h1 "f$1:=$i" || exit 9
      done
      """
    let writers = try (0..<processes).map { number in
      try ChildProcess(["sh", "-c", script, Places.replicator, "\(number)"], in: store.root)
    }
    for writer in writers {
      let outcome = try writer.outcome()
      #expect(outcome.status == 0, "\(outcome)")
      // Who does not get the document's lock in time leaves the export to the next, and says so.
      let lines = outcome.stderr.split(separator: "\n")
      #expect(
        lines.allSatisfy { $0.contains("the change is stored, but not yet in the file") },
        "\(outcome)")
    }
    try Files.write("", to: end)
    let read = try reader.outcome()
    #expect(read.status == 0, "\(read)")
    try store.succeed("sync", "--wait")
    let record = try #require(try JSON.parse(store.text("hosts.json"))["items"]?[0])
    for number in 0..<processes { #expect(record["f\(number)"]?.int == writes) }
    let nodes = try FileManager.default.contentsOfDirectory(atPath: store.path(".replicator/nodes"))
    let names = try nodes.map { name in
      try JSON.parse(store.text(".replicator/nodes/\(name)/node.json"))["name"]?.string
    }
    #expect(names.count { $0 == "one" } == 1, "who begins at the same time is one node")
    let overwrites = try store.log("--all").filter { $0["kind"]?.string == "overwrite" }
    // The first write of each field makes it, the others overwrite.
    #expect(overwrites.count == processes * (writes - 1))
    #expect(
      Set(try FileManager.default.contentsOfDirectory(atPath: store.root))
        == ["hosts.json", "library.json", ".replicator"])
    try store.verify()
  }

  @Test func `c72: a file that is being written is left alone until it is whole`() throws {
    let one = StepCase("c72-reader-meets-truncation-window")
    let store = try one.store()
    let path = store.path("hosts.json")
    let watch = try store.startWatch()
    let final = try one.bytes("final.json")
    let file = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC)
    try #require(file >= 0)
    // The pauses are steps of the case: a writer that takes its time.
    poll(nil, 0, 300)
    #expect(try Files.read(path).isEmpty, "something was exported over an open writer")
    let half = final.count / 2
    #expect(write(file, Array(final[..<half]), half) == half)
    poll(nil, 0, 300)
    #expect(try Files.read(path) == Array(final[..<half]))
    #expect(write(file, Array(final[half...]), final.count - half) == final.count - half)
    close(file)
    try watch.event("imported")
    try store.succeed("sync", "--wait")
    #expect(try Files.read(path) == one.bytes("expected.json"))
    let entries = try store.log("--all").filter { $0["kind"]?.string != "unreadable" }
    #expect(entries.map { $0["kind"]?.string } == ["overwrite"])
    #expect(entries.first?["path"]?.string == "/port")
    try store.end(watch)
    try store.verify()
  }
}

/// Faults of single system calls, made by strace.
enum Tracing {
  static func failing(_ call: String, _ errno: String) -> [String] {
    // With -D the program is our child, and strace a stranger that ends with it.
    ["strace", "-D", "-f", "-o", "/dev/null", "-e", "trace=\(call)"]
      + ["-e", "inject=\(call):error=\(errno)"]
  }

  /// Whether strace may also be attached to a process that runs already.
  static let canAttach: Bool = {
    // Without this file nothing but the kernel's own rules restricts it.
    let scope = try? Files.text("/proc/sys/kernel/yama/ptrace_scope")
    return isPossible && (geteuid() == 0 || scope?.hasPrefix("1") != true)
  }()

  static let isPossible: Bool = {
    // No strace, or one that may not trace: then there is no such test.
    let outcome = try? ChildProcess(failing("inotify_init1", "EMFILE") + ["true"], in: "/")
      .outcome()
    return outcome?.status == 0
  }()
}
