import Testing

/// A temporary directory with a store, and the built executable at work on it.
final class TestStore {
  let directory: TestDirectory
  /// The store; documents lie in it.
  let root: String

  /// Makes the directory, not the store.
  init() throws {
    directory = try TestDirectory()
    root = directory.path + "/store"
    try Files.makeDirectory(root)
  }

  /// Makes a store with the default configuration, around documents given by name.
  convenience init(documents: [String: String]) throws {
    try self.init()
    for (name, text) in documents { try Files.write(text, to: path(name)) }
    try succeed("init")
  }

  /// Makes a store with a configuration, around documents given by name.
  convenience init(configuration: String, documents: [String: [UInt8]]) throws {
    try self.init()
    for (name, bytes) in documents { try Files.write(bytes, to: path(name)) }
    try Files.write(configuration, to: directory.path + "/configuration.json")
    try succeed("init", "--config", directory.path + "/configuration.json")
  }

  /// The path of a document of the store.
  func path(_ name: String) -> String { root + "/" + name }

  /// The bytes of a document of the store as text.
  func text(_ name: String) throws -> String { try Files.text(path(name)) }

  /// Runs replicator in the store to its end.
  @discardableResult
  func run(_ words: String..., node: String = "one") throws -> ChildProcess.Outcome {
    try run(words, node: node)
  }

  func run(_ words: [String], node: String = "one") throws -> ChildProcess.Outcome {
    try start(words, node: node).outcome()
  }

  /// Starts replicator in the store.
  func start(
    _ words: [String], node: String = "one", environment: [String: String] = [:]
  ) throws -> ChildProcess {
    var variables = ["REPLICATOR_NODE": node]
    variables.merge(environment) { $1 }
    return try ChildProcess([Places.replicator] + words, in: root, environment: variables)
  }

  /// Runs replicator, which must end with 0.
  @discardableResult
  func succeed(
    _ words: String..., node: String = "one", sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> ChildProcess.Outcome {
    let outcome = try run(words, node: node)
    try #require(outcome.status == 0, "\(words): \(outcome)", sourceLocation: sourceLocation)
    return outcome
  }

  /// Runs replicator with `--json`; it must end with one of these codes and print one value.
  func json(
    _ words: String..., node: String = "one", allowing codes: Set<Int32> = [0],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> JSON {
    let outcome = try run(words + ["--json"], node: node)
    try #require(
      codes.contains(outcome.status), "\(words): \(outcome)", sourceLocation: sourceLocation)
    return try JSON.parse(outcome.output)
  }

  /// The entries of the log, newest first.
  func log(_ words: String..., node: String = "one") throws -> [JSON] {
    let outcome = try run(["log", "--json"] + words, node: node)
    try #require(outcome.status == 0 || outcome.status == 1, "\(outcome)")
    return try outcome.stdout.split(separator: "\n").map { try JSON.parse(String($0)) }
  }

  /// The generation of a document.
  func generation(_ document: String, node: String = "one") throws -> Int {
    let documents = try json("status", node: node)["documents"]?.elements ?? []
    let found = documents.first { $0["name"]?.string == document }
    return try #require(found?["generation"]?.int, "no generation of \(document)")
  }

  /// Nothing is damaged, and nothing is left to do.
  func verify(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let outcome = try run(["verify"])
    #expect(outcome.status == 0, "\(outcome)", sourceLocation: sourceLocation)
  }
}

/// Documents that many tests use.
enum Samples {
  static let hosts = """
    {
      "schemaVersion": 1,
      "items": [
        {"id": "h1", "name": "one", "hostname": "one.example", "port": 22, "tags": ["a"]},
        {"id": "h2", "name": "two", "hostname": "two.example", "port": 22, "tags": []},
        {"id": "h3", "name": "three", "hostname": "three.example", "port": 22, "spare": 1.50}
      ]
    }

    """
}
