import LosslessJSON
import Merging
import Records
import Replication
import SystemCalls
import UseCases

/// One record of the document `hosts`, written field by field through a replica, without exports.
struct BenchRecord {
  let session: StoreSession
  let node: LocalNodes.Node
  private let place: RecordPlace
  private static let field = "username"

  /// - Parameter id: of the record; made if it is not there.
  init(_ arguments: BenchArguments, id: String) throws {
    let surroundings = Surroundings(
      system: LiveFileSystem(), clock: LiveWallClock(), entropy: LiveEntropy(),
      machineID: Machine.machineID, bootID: Machine.bootID, release: "bench")
    session = try StoreSession(
      root: FilePath(try arguments.required("the store")),
      nodeName: arguments.text("--node") ?? "bench", surroundings: surroundings)
    node = try session.node()
    let text = try JSONText(validating: "\"\(id)\"")
    place = RecordPlace(collection: "items", key: .string(JSONKey(id)), id: text)
    if value == nil {
      let record = try JSONText(
        validating: "{\"id\":\"\(id)\",\"hostname\":\"\(id).example.org\",\"username\":\"-\"}")
      try commit(
        .create(
          RecordCreation(
            collection: "items", key: place.key, id: text, occurrence: 0, text: record,
            layout: nil, after: .start)))
    }
  }

  /// The field as the merged state shows it, a string without its quotes.
  var value: String? {
    let address = RecordAddress(document: "hosts", collection: "items", key: place.key)
    guard let view = session.replica.state.views(at: address).first,
      // The state's own text parses.
      let tree = try? JSONTree(parsing: view.text)
    else { return nil }
    return tree.root.member(JSONKey(Self.field))?.text.decodedString?.string
  }

  /// Durable when it returns.
  func set(_ value: String) throws {
    let text = try JSONText(validating: "\"\(value)\"")
    try commit(
      .set(place, try JSONPointer(parsing: "/\(Self.field)"), text, after: nil, .explicit))
  }

  private func commit(_ change: RecordChange) throws {
    let replica = session.replica
    let (stamp, context) = (replica.stampNow(), replica.state.context)
    let operations = replica.operations(
      for: [change], document: "hosts", context: context, stamp: stamp)
    _ = try replica.commit(
      TransactionDraft(stamp: stamp, context: context, operations: operations), as: node)
  }
}
