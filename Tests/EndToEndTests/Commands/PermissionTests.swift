import FoundationEssentials
import Glibc
import Testing

/// What a user without rights can do; the tests run as root and give the rights away.
@Suite(.enabled(if: Unprivileged.isPossible, "needs root, setpriv, and an executable all may run"))
struct PermissionTests {
  @Test func `reading works with nothing but read permission and leaves no trace`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    try store.succeed("set", "hosts/h1", "name=eins")
    try store.succeed("set", "hosts/h1", "name=uno", "--based-on", "1", node: "two")
    let id = try #require(try store.log().first?["id"]?.string)
    try Unprivileged.letRead(store.directory.path)
    let before = try Files.tree(store.directory.path)
    for words in [
      ["status"], ["list", "hosts"], ["get", "hosts/h1"], ["export", "hosts"], ["log"],
      ["show", id], ["verify"], ["status", "--node", "stranger"],
    ] {
      let outcome = try Unprivileged.run(words, in: store)
      #expect(outcome.status == 0, "\(words): \(outcome)")
    }
    let refused = try Unprivileged.run(["set", "hosts/h1", "name=nobody"], in: store)
    #expect(refused.status == 2, "\(refused)")
    #expect(refused.stderr.hasPrefix("replicator: cannot "), "\(refused)")
    #expect(try Files.tree(store.directory.path) == before)
  }

  @Test func `a reader sees in status that a watch runs`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    let watch = try store.startWatch()
    try Unprivileged.letRead(store.directory.path)
    let running = try JSON.parse(Unprivileged.run(["status", "--json"], in: store).output)
    #expect(running["watcher"]?["mode"]?.string == "inotify")
    try store.end(watch)
    let ended = try JSON.parse(Unprivileged.run(["status", "--json"], in: store).output)
    #expect(ended["watcher"]?["mode"]?.string == "none")
  }

  @Test func `a file that may not be read is named`() throws {
    let store = try TestStore()
    try Unprivileged.give(store.directory.path)
    #expect(try Unprivileged.run(["init"], in: store).status == 0)
    try Files.write("{}", to: store.path("secret.json"))
    Files.setMode(store.path("secret.json"), 0o000)
    let before = try Files.tree(store.root)
    for words in [["import", "secret.json", "--into", "hosts"], ["add", "secret.json"]] {
      let outcome = try Unprivileged.run(words, in: store)
      #expect(outcome.status == 2, "\(words): \(outcome)")
      #expect(outcome.stderr.contains("secret.json"), "\(outcome)")
      #expect(outcome.stderr.split(separator: "\n").count == 1, "\(outcome)")
    }
    #expect(try Files.tree(store.root) == before)
  }

  @Test func `in a directory that may not be written no store is made`() throws {
    let store = try TestStore()
    try Unprivileged.letRead(store.directory.path)
    let outcome = try Unprivileged.run(["init"], in: store)
    #expect(outcome.status == 2, "\(outcome)")
    #expect(outcome.stderr.hasPrefix("replicator: cannot "), "\(outcome)")
    #expect(outcome.stderr.split(separator: "\n").count == 1, "\(outcome)")
    #expect(try Files.tree(store.root).isEmpty)
  }

  @Test func `what a shared store makes is open to its group whatever the umask`() throws {
    let store = try TestStore()
    Files.setMode(store.directory.path, 0o755)
    let made = try ChildProcess(
      ["sh", "-c", "umask 077; exec \"$0\" init --shared=65534", Places.replicator], in: store.root
    ).outcome()
    #expect(made.status == 0, "\(made)")
    #expect(Files.mode(store.path("hosts.json")) == 0o660)
    Files.setMode(store.root, 0o2775)
    let write = ["sh", "-c", "umask 077; exec \"$0\" set hosts/h1 name=one", Places.replicator]
    #expect(try ChildProcess(write, in: store.root).outcome().status == 0)
    // A member of the group writes as a node of its own, and sees what everybody else sees.
    _ = try ChildProcess(["chgrp", "65534", store.root], in: "/").outcome()
    let member = try Unprivileged.run(["set", "hosts/h1", "port:=22"], in: store, node: "member")
    #expect(member.status == 0 && member.stderr.isEmpty, "\(member)")
    let verified = try Unprivileged.run(["verify"], in: store, node: "member")
    #expect(verified.status == 0 && !verified.stdout.contains("note:"), "\(verified)")
    #expect(try store.text("hosts.json").contains("\"port\": 22"))
    try store.verify()
  }

  @Test func `a document that cannot be written now is written later`() throws {
    let store = try TestStore(documents: [:])
    try Files.write(Samples.hosts, to: store.directory.path + "/elsewhere.json")
    let place = store.directory.path + "/place"
    try Files.makeDirectory(place)
    try Files.copy(store.directory.path + "/elsewhere.json", to: place + "/lamps.json")
    try store.succeed("add", place + "/lamps.json")
    try Unprivileged.give(store.directory.path)
    Files.setMode(place, 0o555)
    Files.setMode(place + "/lamps.json", 0o444)
    let outcome = try Unprivileged.run(["set", "lamps/h1", "port:=2200", "--json"], in: store)
    #expect(outcome.status == 0, "\(outcome)")
    let answer = try JSON.parse(outcome.output)
    #expect(answer["pendingExport"]?["reason"]?.string?.isEmpty == false, "\(answer)")
    #expect(try Files.text(place + "/lamps.json") == Samples.hosts)
    #expect(try Unprivileged.run(["get", "lamps/h1/port"], in: store).stdout == "2200\n")
    // The file alone is enough: where no other can take its name it is written in place.
    Files.setMode(place + "/lamps.json", 0o644)
    #expect(try Unprivileged.run(["watch", "--once"], in: store).status == 0)
    let text = try Files.text(place + "/lamps.json")
    #expect(text.contains("\"name\": \"one\", \"hostname\": \"one.example\", \"port\": 2200"))
    #expect(try Files.names(below: place) { _ in true } == ["lamps.json"])
    let status = try JSON.parse(Unprivileged.run(["status", "--json"], in: store).output)
    let documents = status["documents"]?.elements ?? []
    #expect(documents.contains { $0["degraded"]?.string == "in-place" }, "\(status)")
  }
}

/// Runs replicator as a user who owns nothing.
enum Unprivileged {
  private static let user: uid_t = 65534
  private static let words = [
    "setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups",
  ]

  static let isPossible: Bool = {
    guard geteuid() == 0 else { return false }
    // Without setpriv, or below a directory that is closed to others, there is no such test.
    let outcome = try? ChildProcess(words + [Places.replicator, "--version"], in: "/").outcome()
    return outcome?.status == 0
  }()

  static func run(
    _ command: [String], in store: TestStore, node: String = "one"
  ) throws -> ChildProcess.Outcome {
    try ChildProcess(
      words + [Places.replicator] + command, in: store.root,
      environment: ["REPLICATOR_NODE": node]
    ).outcome()
  }

  /// Everything below a directory may be read by everybody.
  static func letRead(_ path: String) throws {
    _ = try ChildProcess(["chmod", "-R", "a+rX", path], in: "/").outcome()
  }

  /// Everything below a directory belongs to the user.
  static func give(_ path: String) throws {
    _ = try ChildProcess(["chown", "-R", "\(user):\(user)", path], in: "/").outcome()
  }
}
