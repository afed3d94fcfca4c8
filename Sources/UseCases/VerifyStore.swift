import LosslessJSON
import Merging
import Records
import Replication

/// Checks every checksum, chain and promise; changes nothing and works beside running writers.
package struct VerifyStore: Sendable {
  package init() {}

  package func execute(in session: StoreSession) throws(UseCaseError) -> VerifyResponse {
    let replica = session.replica
    var damage = session.damage()
    var notes: [String] = []
    for violation in replica.state.conservationViolations() {
      damage.append(
        Damage(
          path: violation.address.document, offset: nil,
          finding: "a value that is neither shown nor replaced nor journaled: \(violation)"))
    }
    for fork in replica.state.forks {
      notes.append(
        "the node \(Hex.string(fork.writer.node.raw)) has two histories from \(fork.sequence) on; both are merged"
      )
    }
    for waiting in replica.state.waiting {
      let missing = waiting.missing.keys.map { Hex.string($0.node.raw) }.sorted()
      notes.append(
        "a transaction of \(Hex.string(waiting.id.writer.node.raw)) waits for log entries of \(missing.joined(separator: ", "))"
      )
    }
    let torn = replica.readers.values.reduce(0) { $0 + $1.tornCount }
    if torn > 0 {
      notes.append("\(torn) torn lines that a crash left; they were never acknowledged")
    }
    let inventory = try replicating { () throws(ReplicationError) in
      try replica.checkLocalFiles()
    }
    damage += inventory.damage.map { Damage(path: $0.path, offset: nil, finding: $0.finding) }
    notes += inventory.notes
    for document in replica.configuration.documents {
      let file = try session.fileState(of: document)
      if let difference = file.difference { notes.append("'\(document.name)': \(difference)") }
    }
    let entries = try replicating { () throws(ReplicationError) in try replica.allEntries() }
    return VerifyResponse(
      nodes: replica.readers.count,
      segments: replica.readers.values.reduce(0) { $0 + $1.headers.count },
      transactions: replica.readers.values.reduce(0) { $0 + $1.transactionCount },
      entries: entries.count, documents: replica.configuration.documents.count,
      backups: inventory.backups, damage: damage, notes: notes)
  }
}
