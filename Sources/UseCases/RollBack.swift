import LosslessJSON
import Merging
import Records
package import Replication

/// Shows the rotating backups of a document.
package struct ListBackups: Sendable {
  package var document: String

  package init(document: String) { self.document = document }

  package func execute(in session: StoreSession) throws(UseCaseError) -> BackupsResponse {
    let document = try session.document(named: document, asAWhole: true)
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

/// Brings a document back to an older content, as an ordinary, journaled write.
package struct RollBack: Sendable {
  package var document: String
  package var version: VersionAddress

  package init(document: String, version: VersionAddress) {
    self.document = document
    self.version = version
  }

  package func execute(in session: StoreSession) throws(UseCaseError) -> WriteResponse {
    let document = try session.document(named: document, asAWhole: true)
    let bound = try session.bound(document)
    let pending = try session.importPending(bound)
    let changes = try changes(in: bound, session)
    var draft = session.draft(
      changes, document: document, context: session.replica.state.context)
    var entry = session.replica.resolution(
      .restored, of: 0, document: document.name, node: try session.node().id)
    entry.entry = nil
    entry.rule = "rolled back to \(version)"
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

extension RollBack {
  private func changes(
    in bound: BoundDocument, _ session: StoreSession
  ) throws(UseCaseError) -> [RecordChange] {
    do throws(ReplicationError) {
      let bytes = try session.replica.bytes(at: version, of: bound)
      return try session.replica.changes(to: bytes, of: bound.configuration)
    } catch {
      guard case .unknownVersion = error else { throw .replication(error) }
      let index = try replicating { () throws(ReplicationError) in
        try session.replica.generations(of: bound)
      }
      throw .unknownGeneration(
        version.description, document: bound.name, retained: index.addresses.map(\.word))
    }
  }
}

/// `backups`
package struct BackupsResponse: Sendable {
  package var document: String
  /// Newest first.
  package var backups: [Replica.KeptBackup]
}
