import FoundationEssentials
import Glibc
import Testing

/// What the cases have in common whose answer is a sequence of steps: one `hosts.json`.
struct StepCase {
  let folder: String

  init(_ slug: String) { folder = Places.cases + "/" + slug }

  static let configuration = """
    {"format": 1, "clients": {}, "backups": {"keep": 3}, "documents": {"hosts": {
      "file": "hosts.json", "dialect": "json",
      "collections": [{"name": "hosts", "at": "/hosts", "kind": "array", "id": "/id"}]
    }}}
    """

  func bytes(_ name: String) throws -> [UInt8] { try Files.read(folder + "/" + name) }

  func json() throws -> JSON { try JSON.parse(bytes("case.json")) }

  /// A store that has adopted a file of the case as `hosts.json`.
  func store(_ file: String = "base.json") throws -> TestStore {
    try TestStore(configuration: Self.configuration, documents: ["hosts.json": bytes(file)])
  }
}

extension TestStore {
  /// Starts `watch --json` and waits until it follows.
  func startWatch(
    _ words: [String] = [], node: String = "one", under tracer: [String] = []
  ) throws -> ChildProcess {
    let watch = try ChildProcess(
      tracer + [Places.replicator, "watch", "--json"] + words, in: root,
      environment: ["REPLICATOR_NODE": node])
    _ = try watch.line("that it follows") { $0.contains("\"event\":\"started\"") }
    return watch
  }

  /// Ends a `watch` as a service manager would; it must say goodbye and end with 0.
  func end(_ watch: ChildProcess, sourceLocation: SourceLocation = #_sourceLocation) throws {
    watch.send(SIGTERM)
    let outcome = try watch.outcome()
    #expect(outcome.status == 0, "\(outcome)", sourceLocation: sourceLocation)
    #expect(
      outcome.stdout.contains("\"event\":\"stopped\""), "\(outcome)", sourceLocation: sourceLocation
    )
  }

  /// Names of files below `.replicator/local/bindings` that lie in a folder of this name.
  func bindingFiles(in folder: String) throws -> [String] {
    let bindings = root + "/.replicator/local/bindings"
    return try Files.names(below: bindings) { $0.contains("/\(folder)/") }
      .map { bindings + "/" + $0 }
  }

  /// The bytes of all logs: what they hold grows with every operation.
  func logBytes() throws -> [String: [UInt8]] {
    let nodes = root + "/.replicator/nodes"
    let names = try Files.names(below: nodes) { $0.contains("/log/") }
    return try Dictionary(
      uniqueKeysWithValues: names.map { ($0, try Files.read(nodes + "/" + $0)) })
  }
}

extension ChildProcess {
  /// Waits for an event of `watch --json`.
  @discardableResult
  func event(_ name: String) throws -> JSON {
    try JSON.parse(line("of the event \(name)") { $0.contains("\"event\":\"\(name)\"") })
  }
}
