import LosslessJSON
import Merging
import Records
import Replication
import SystemCalls
import UseCases

/// Writes of single fields as one node's log holds them, and how long another node takes them in.
enum FieldWrites {
  private static let fields = 10

  /// Makes records of ten fields, or writes that many fields of them, record after record.
  static func fill(_ arguments: BenchArguments) throws {
    let session = try open(arguments)
    let node = try session.node()
    let records = try arguments.number("--records", 1000)
    let count = try arguments.number("--count", 0)
    let each = try arguments.number("--per", 1)
    let name = arguments.text("--node") ?? "bench"
    if count == 0 { return try create(records, in: session, node) }
    for first in stride(from: 0, to: count, by: each) {
      let changes = try (first..<min(first + each, count)).map { number in
        RecordChange.set(
          try place(number / fields % records), try pointer(number % fields),
          try JSONText(validating: "\"\(name) \(number)\""), after: nil, .explicit)
      }
      try commit(changes, in: session, node)
    }
  }

  /// Moves another node's directory into the store and takes it in: parsing, checksums, merging,
  /// and then showing every record that it changed.
  static func take(_ arguments: BenchArguments) throws {
    let session = try open(arguments)
    let replica = session.replica
    let source = FilePath(try LiveFileSystem().realPath(arguments.text("--from") ?? ""))
    let before = replica.state.transactionCount
    try LiveFileSystem().rename(
      currentDirectoryDescriptor, source.string,
      to: "\(session.root)/.replicator/nodes/\(source.lastComponent)",
      in: currentDirectoryDescriptor, .noReplace)
    let begin = MonotonicTime.nanoseconds
    try replica.refresh()
    let applied = MonotonicTime.nanoseconds
    var shown = 0
    for number in 0..<(try arguments.number("--records", 1000)) {
      shown += replica.state.views(at: try address(number)).count
    }
    let end = MonotonicTime.nanoseconds
    try StandardStream.output.write(
      "{\"transactions\":\(replica.state.transactionCount - before),\"records\":\(shown),"
        + "\"conflicts\":\(replica.state.conflicts.count),"
        + "\"apply\":\(ms(applied - begin)),\"show\":\(ms(end - applied))}\n")
  }

  private static func ms(_ nanoseconds: UInt64) -> Double { Double(nanoseconds / 1000) / 1000 }

  static func open(_ arguments: BenchArguments) throws -> StoreSession {
    try StoreSession(
      root: FilePath(try arguments.required("the store")),
      nodeName: arguments.text("--node") ?? "bench",
      surroundings: Surroundings(
        system: LiveFileSystem(), clock: LiveWallClock(), entropy: LiveEntropy(),
        machineID: Machine.machineID, bootID: Machine.bootID, release: "bench"))
  }

  private static func place(_ number: Int) throws -> RecordPlace {
    RecordPlace(
      collection: "items", key: .string(JSONKey("record-\(number)")),
      id: try JSONText(validating: "\"record-\(number)\""))
  }

  private static func pointer(_ field: Int) throws -> JSONPointer {
    try JSONPointer(parsing: "/field\(field)")
  }

  private static func address(_ number: Int) throws -> RecordAddress {
    RecordAddress(document: "hosts", collection: "items", key: try place(number).key)
  }

  private static func create(
    _ count: Int, in session: StoreSession, _ node: LocalNodes.Node
  ) throws {
    let members = (0..<fields).map { "\"field\($0)\":\"first\"" }.joined(separator: ",")
    let changes = try (0..<count).map { number in
      let place = try place(number)
      return RecordChange.create(
        RecordCreation(
          collection: "items", key: place.key, id: place.id, occurrence: 0,
          text: try JSONText(validating: "{\"id\":\"record-\(number)\",\(members)}"),
          layout: nil, after: .start))
    }
    try commit(changes, in: session, node)
  }

  static func commit(
    _ changes: [RecordChange], in session: StoreSession, _ node: LocalNodes.Node
  ) throws {
    let replica = session.replica
    let (stamp, context) = (replica.stampNow(), replica.state.context)
    let operations = replica.operations(
      for: changes, document: "hosts", context: context, stamp: stamp)
    _ = try replica.commit(
      TransactionDraft(stamp: stamp, context: context, operations: operations), as: node)
  }
}
