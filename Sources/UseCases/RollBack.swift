import LosslessJSON
import Merging
import Records
package import Replication

/// Shows the rotating backups of a document.
package struct ListBackups: Sendable {
  package var document: String

  package init(document: String) { self.document = document }

  package func execute(in session: StoreSession) throws(UseCaseError) -> BackupsResponse {
    let document = try session.document(named: document)
    let file = try session.fileState(of: document)
    guard let bound = file.bound else {
      return BackupsResponse(document: document.name, backups: [])
    }
    let backups = try replicating { () throws(ReplicationError) in
      try session.replica.backups(of: bound)
    }
    return BackupsResponse(document: document.name, backups: backups)
  }
}

/// Brings a document back to a retained generation, as an ordinary, journaled write.
package struct RollBack: Sendable {
  package var document: String
  package var generation: Int

  package init(document: String, generation: Int) {
    self.document = document
    self.generation = generation
  }

  package func execute(in session: StoreSession) throws(UseCaseError) -> WriteResponse {
    let document = try session.document(named: document)
    let bound = try session.bound(document)
    let pending = try session.importPending(bound)
    _ = try session.context(basedOn: generation, at: bound)
    let changes = try replicating { () throws(ReplicationError) in
      let bytes = try session.replica.bytes(ofGeneration: generation, at: bound)
      return try session.replica.changes(to: bytes, of: document)
    }
    var draft = session.draft(
      changes, document: document, context: session.replica.state.context)
    var entry = session.replica.resolution(
      .restored, of: UInt64(generation), document: document.name, node: try session.node().id)
    entry.entry = nil
    entry.rule = "rolled back to generation \(generation)"
    draft.decisions = changes.isEmpty ? [] : [entry]
    guard !changes.isEmpty else {
      var response = try session.exportNow(bound)
      response.journal = pending + response.journal
      return response
    }
    var response = try session.write(draft, into: bound)
    response.journal = pending + response.journal
    return response
  }
}

/// `backups`
package struct BackupsResponse: Sendable {
  package var document: String
  /// Newest first.
  package var backups: [Replica.KeptBackup]
}
