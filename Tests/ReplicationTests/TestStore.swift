import LosslessJSON
import Merging
import Records
import Storage
import SystemCalls
import TestSupport
import Testing

@testable import Replication

/// A store in a directory of its own, with a clock that stands still and chance from a seed.
final class TestStore {
  static let configuration = #"""
    {"format":1,"documents":{"hosts":{"file":"hosts.json",
    "collections":[{"name":"items","at":"/items","kind":"array","id":"/id"}],
    "sets":["/tags"],"local":["/seenHere"],"derived":["/sum"],"groups":{"endpoint":["/host","/port"]},
    "clients":["old"]}},
    "clients":{"old":{"schemas":{"hosts:items":"schemas/old.json"}}}}
    """#

  /// Release 1 of a program: a closed enumeration, and no members but these.
  static let oldSchema = #"""
    {"type":"object","properties":{"id":{},"name":{},"host":{},"port":{},"tags":{},"seenHere":{},
    "sum":{},"method":{"enum":["ssh","mosh"],"default":"ssh"}}}
    """#

  let scratch: ScratchDirectory
  let clock: SetWallClock
  let entropy: any Entropy
  let system: HookedSystem
  var machine = "machine-1"
  var boot = "boot-1"

  var root: FilePath { scratch.path }

  init(
    configuration: String = TestStore.configuration, hosts: String? = #"{"items":[]}"#,
    schemas: [String: String] = ["old": TestStore.oldSchema], seed: UInt64 = 1,
    isDurable: Bool = true, onNetwork: Bool = false
  ) throws {
    scratch = try ScratchDirectory(isDurable: isDurable)
    // Files get the real time: a clock far behind it would make them all too young.
    clock = SetWallClock(milliseconds: LiveWallClock().milliseconds + 3_600_000)
    entropy = SeededEntropy(seed: seed)
    system = HookedSystem(isDurable: isDurable)
    if onNetwork { system.fileSystemType.withLock { $0 = 0x6969 } }
    if let hosts { try write(hosts, to: "hosts.json") }
    try Replica.create(
      root: root, sharedWith: .nobody, configuration: Array(configuration.utf8),
      schemas: schemas.map { ("schemas/\($0.key).json", Array($0.value.utf8)) },
      surroundings: surroundings)
  }

  var surroundings: Surroundings { surroundings(system) }

  func surroundings(_ system: any FileSystem) -> Surroundings {
    Surroundings(
      system: system, clock: clock, entropy: entropy, machineID: machine, bootID: boot,
      release: "test")
  }

  /// It patches small documents too, and each time compares with what rendering makes.
  func replica() throws -> Replica {
    let replica = try Replica(root: root, surroundings: surroundings)
    replica.patchedBytesMin = 0
    return replica
  }

  /// A process of the node with that name; two calls with one name are two processes.
  func process(_ name: String = "n1") throws -> TestProcess {
    let replica = try replica()
    return TestProcess(self, replica, try replica.register(nodeNamed: name))
  }

  // MARK: - Files

  func write(_ text: String, to name: String) throws {
    try write(Array(text.utf8), to: name)
  }

  func write(_ bytes: [UInt8], to name: String) throws {
    let path = root.appending(name)
    let directory = try FileDescriptor.open(
      path.parent, [.read, .directory], system: LiveFileSystem())
    let file = try directory.open("\(path.lastComponent).new", [.write, .create, .truncate])
    try file.write(bytes)
    try directory.rename("\(path.lastComponent).new", to: path.lastComponent, .replace)
  }

  func bytes(of name: String) throws -> [UInt8] {
    let file = try FileDescriptor.open(root.appending(name), .read, system: LiveFileSystem())
    return try file.read(at: 0, count: Int(file.status().sizeBytes))
  }

  func text(of name: String = "hosts.json") throws -> String {
    String(decoding: try bytes(of: name), as: UTF8.self)
  }

  func remove(_ name: String) throws {
    let path = root.appending(name)
    let directory = try FileDescriptor.open(
      path.parent, [.read, .directory], system: LiveFileSystem())
    try directory.unlink(path.lastComponent)
  }

  func names(in directory: String) throws -> [String] {
    try FileDescriptor.open(
      root.appending(directory), [.read, .directory], system: LiveFileSystem()
    ).names().sorted()
  }
}

/// One process with the store open for one node.
final class TestProcess {
  let store: TestStore
  let replica: Replica
  let node: LocalNodes.Node

  init(_ store: TestStore, _ replica: Replica, _ node: LocalNodes.Node) {
    self.store = store
    self.replica = replica
    self.node = node
  }

  var hosts: Configuration.Document {
    get throws { try replica.document(named: "hosts") }
  }

  func bound(_ name: String = "hosts") throws -> BoundDocument {
    let found = try replica.boundDocument(try replica.document(named: name), of: node.id)
    return try #require(found)
  }

  /// One pass over the configuration and then the document.
  @discardableResult
  func pass(
    _ name: String = "hosts", _ patience: Replica.Patience = .last
  ) throws -> PassReport {
    _ = try replica.pass(over: try bound(Replica.configurationName), as: node, patience)
    return try replica.pass(over: try bound(name), as: node, patience)
  }

  func place(_ id: String, occurrence: Int = 0) throws -> RecordPlace {
    let text = try JSONText(validating: Array(id.utf8))
    let key = try #require(RecordKey(id: text))
    return RecordPlace(collection: "items", key: key, occurrence: occurrence, id: text)
  }

  func drafted(_ changes: [RecordChange], context: Context? = nil) -> TransactionDraft {
    let stamp = replica.stampNow()
    let context = context ?? replica.state.context
    return TransactionDraft(
      stamp: stamp, context: context,
      operations: replica.operations(
        for: changes, document: "hosts", context: context, stamp: stamp))
  }

  @discardableResult
  func commit(_ changes: [RecordChange], context: Context? = nil) throws -> TransactionID {
    try replica.refresh()
    return try commitUnseen(changes, context: context)
  }

  /// Without a look at what others have written.
  func commitUnseen(_ changes: [RecordChange], context: Context? = nil) throws -> TransactionID {
    try replica.commit(drafted(changes, context: context), as: node)
  }

  func setting(_ id: String, _ path: String, _ value: String) throws -> RecordChange {
    .set(
      try place(id), try JSONPointer(parsing: path), try JSONText(validating: Array(value.utf8)),
      after: nil, .explicit)
  }

  @discardableResult
  func set(
    _ id: String, _ path: String, _ value: String, context: Context? = nil
  ) throws -> TransactionID {
    try commit([try setting(id, path, value)], context: context)
  }

  func creating(
    _ id: String, _ text: String, after: RecordReference = .start
  ) throws -> RecordChange {
    let place = try place(id)
    return .create(
      RecordCreation(
        collection: "items", key: place.key, id: place.id, occurrence: 0,
        text: try JSONText(validating: Array(text.utf8)), layout: nil, after: after))
  }

  /// What the state shows, in the order of the document.
  func records() -> [String] {
    replica.state.records(document: "hosts", collection: "items").map { $0.text.description }
  }

  func value(_ id: String, _ path: String) throws -> String? {
    let place = try place(id)
    let address = RecordAddress(document: "hosts", collection: "items", key: place.key)
    let view = replica.state.views(at: address).first
    let tree = try view.map { try JSONTree(parsing: $0.text) }
    return tree?.node(at: try JSONPointer(parsing: path))?.text.description
  }

  func kinds() throws -> [String] {
    try replica.allEntries().map(\.kind.rawValue).sorted()
  }

  func rendered() throws -> String {
    String(decoding: try #require(replica.render(try hosts)), as: UTF8.self)
  }
}
