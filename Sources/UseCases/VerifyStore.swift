import LosslessJSON
import Merging
import Records
import Replication

/// Checks every checksum, chain and promise; works beside running writers.
///
/// The session must have read the logs themselves and not the checkpoint.
package struct VerifyStore: Sendable {
  /// Whether what is damaged is set aside and made anew where that can be done; else nothing is
  /// changed.
  package var repairs: Bool

  package init(repairs: Bool = false) { self.repairs = repairs }

  /// - Parameter onProgress: what is checked, and how many of how many steps are done.
  package func execute(
    in session: StoreSession, onProgress: (String, Int, Int) -> Void = { _, _, _ in }
  ) throws(UseCaseError) -> VerifyResponse {
    let repairs = repairs ? try repair(session) : []
    var response = try examine(session, onProgress)
    response.repairs = repairs.map { Damage(path: $0.path, offset: nil, finding: $0.done) }
    return response
  }

  /// What others depend on comes first: without the files of this machine no document can be looked
  /// at, and a pass closes what is destroyed in logs of this machine.
  private func repair(_ session: StoreSession) throws(UseCaseError) -> [Replica.Repair] {
    let replica = session.replica
    var repairs = try replicating { () throws(ReplicationError) in try replica.repairFiles() }
    let node = try session.node()
    // A pass makes room for new generations, and must find what is damaged set aside.
    repairs += try replicating { () throws(ReplicationError) in
      try replica.repairGenerations() + replica.giveUpDestroyedLines(as: node)
    }
    _ = try Synchronize().execute(in: session)
    return repairs
      + (try replicating { () throws(ReplicationError) in
        try replica.acknowledgeDamage(as: node)
      })
  }

  private func examine(
    _ session: StoreSession, _ onProgress: (String, Int, Int) -> Void
  ) throws(UseCaseError) -> VerifyResponse {
    let replica = session.replica
    onProgress("every value that was written", 0, 1)
    // Journals that cannot be read are found by reading them.
    let entries = try replicating { () throws(ReplicationError) in try replica.allEntries() }
    var damage = session.damage()
    var notes = session.knownDamage()
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
    let unreadable = try replicating { () throws(ReplicationError) in
      try replica.unreadableFiles()
    }
    var inventory = Replica.Inventory()
    if unreadable.isEmpty {
      inventory = try replicating { () throws(ReplicationError) in
        try replica.checkLocalFiles(onProgress)
      }
      for document in replica.configuration.documents {
        let file = try session.fileState(of: document)
        if let difference = file.difference { notes.append("'\(document.name)': \(difference)") }
      }
    } else {
      damage += unreadable.map { file in
        Damage(path: file.path, offset: nil, finding: file.finding)
      }
      notes.append("documents, generations and backups were not checked for that")
    }
    damage += inventory.damage.map { Damage(path: $0.path, offset: nil, finding: $0.finding) }
    notes += inventory.notes
    return VerifyResponse(
      nodes: replica.readers.count,
      segments: replica.readers.values.reduce(0) { $0 + $1.headers.count },
      transactions: replica.readers.values.reduce(0) { $0 + $1.transactionCount },
      entries: entries.count, documents: replica.configuration.documents.count,
      backups: inventory.backups, damage: damage, notes: notes)
  }
}
