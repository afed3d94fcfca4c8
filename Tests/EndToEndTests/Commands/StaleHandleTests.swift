import Glibc
import Testing

/// What a network file system answers after its server has forgotten files that are open (`ESTALE`).
@Suite(.enabled(if: Tracing.canAttach, "strace cannot be attached to a process here"))
struct StaleHandleTests {
  private static let why = "the server no longer has the file"

  @Test(arguments: ["openat2", "fdatasync,fsync", "getdents64"])
  func `a command says that its server has forgotten a file, and the next one works`(
    call: String
  ) throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    let before = try store.text("hosts.json")
    let outcome = try CallTrace.run(
      ["set", "hosts/h1", "port:=2200", "--json"], in: store, fault: "error=ESTALE", at: call)
    #expect(outcome.status == 2, "\(outcome)")
    #expect(outcome.stderr.contains("stale-handle") && outcome.stderr.contains(Self.why))
    #expect(try store.text("hosts.json") == before)
    try store.succeed("set", "hosts/h1", "port:=2201")
    #expect(try store.text("hosts.json").contains("\"port\": 2201"))
    try store.verify()
  }

  @Test func `a watch whose server has forgotten everything says so once and goes on`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    let watch = try store.startWatch()
    let calls = "openat,openat2,newfstatat,getdents64"
    let server = try ChildProcess(
      ["strace", "-f", "-o", "/dev/null", "-p", "\(watch.id)", "-e", "trace=\(calls)"]
        + ["-e", "inject=\(calls):error=ESTALE"],
      in: store.directory.path)
    try server.waitForError("attached")
    try store.succeed("set", "hosts/h1", "name=eins", node: "two")
    var problems: [String] = []
    func look(_ line: String) -> Bool {
      guard line.contains("\"event\":\"problem\"") else { return false }
      problems.append(line)
      return line.contains(Self.why)
    }
    _ = try watch.line("that the files are forgotten", where: look)
    // It looks again meanwhile, which is nothing new.
    server.send(SIGTERM)
    _ = try server.outcome()
    try watch.waitForError("the store can be used again")
    let text = try store.text("hosts.json").replacing("\"two\"", with: "\"zwei\"")
    try Files.replace(store.path("hosts.json"), with: Array(text.utf8))
    _ = try watch.line("that a rewrite is taken in") {
      look($0) || $0.contains("\"event\":\"imported\"")
    }
    #expect(zip(problems, problems.dropFirst()).allSatisfy { $0 != $1 }, "\(problems)")
    try store.end(watch)
    try store.succeed("sync", "--wait")
    let shown = try store.text("hosts.json")
    #expect(shown.contains("\"eins\"") && shown.contains("\"zwei\""))
    try store.verify()
  }
}
