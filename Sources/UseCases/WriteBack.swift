import LosslessJSON
import Merging
import Records
import Replication

/// The frame of every writing command: import what is pending, commit, export.
extension StoreSession {
  /// Imports pending rewrites of a document before a write looks at the state.
  ///
  /// A document that cannot be had now keeps nobody from writing: what is committed is durable,
  /// and whoever comes next exports it.
  func importPending(
    _ document: BoundDocument
  ) throws(UseCaseError) -> [JournalEntry] {
    let node = try node()
    do throws(ReplicationError) {
      let report = try replica.pass(over: document, as: node, .later)
      let known = Set(report.entries.map(\.id))
      return report.entries + report.putBack.filter { !known.contains($0.id) }
    } catch {
      guard error.leavesDocumentForLater else { throw .replication(error) }
      return []
    }
  }

  /// Commits operations and brings the file up to date.
  ///
  /// - Parameter here: changes of members that stay at this place: they go into the file alone.
  func write(
    _ draft: TransactionDraft, here: [RecordChange] = [], into document: BoundDocument
  ) throws(UseCaseError) -> WriteResponse {
    let node = try node()
    if here.isEmpty || !draft.operations.isEmpty || !draft.decisions.isEmpty {
      _ = try replicating { () throws(ReplicationError) in try replica.commit(draft, as: node) }
    }
    var response = try exportNow(document, writing: here)
    if let reason = response.pendingExport, !here.isEmpty {
      throw .notWrittenHere(
        path: document.path, why: reason, restIsStored: !draft.operations.isEmpty)
    }
    response.changed = draft.operations.map { ChangedPlace(ChangedField($0)) }
    response.changed += here.map { ChangedPlace($0) }
    // A finished export has journaled the decisions already; a pending one has not.
    let journaled = Set(response.journal.map(\.id))
    response.journal = draft.decisions.filter { !journaled.contains($0.id) } + response.journal
    return response
  }

  /// Exports; a failure is a warning, since the operation itself is durable.
  func exportNow(
    _ document: BoundDocument, writing members: [RecordChange] = []
  ) throws(UseCaseError) -> WriteResponse {
    var response = WriteResponse(document: document.name, changed: [], journal: [])
    let node = try node()
    do throws(ReplicationError) {
      let report = try replica.settle(document, as: node, writing: members)
      response.generation = report.generation
      response.journal = report.entries
      response.pendingExport = report.pendingExport?.reason
      response.backupProblem = report.backupProblem
    } catch {
      guard error.leavesDocumentForLater else { throw .replication(error) }
      response.pendingExport = error.pending.reason
    }
    return response
  }

  /// Operations of this node over what it sees now, or over an older generation.
  func draft(
    _ changes: [RecordChange], document: Configuration.Document, context: Context
  ) -> TransactionDraft {
    let stamp = replica.stampNow()
    let operations = replica.operations(
      for: changes, document: document.name, context: context, stamp: stamp)
    return TransactionDraft(stamp: stamp, context: context, operations: operations)
  }
}

extension ChangedPlace {
  init(_ change: RecordChange) {
    self.init(
      collection: change.place.collection, record: change.place.id,
      path: (change.path ?? .root).description)
  }

  init(_ field: ChangedField) {
    self.init(collection: field.collection, record: field.record, path: field.path.description)
  }
}
