import LosslessJSON
import Merging
import Records
package import Replication
import SystemCalls

/// The main job in single passes: import, merge, export until nothing is left to do.
///
/// Who calls it decides when: `watch` after every change, `watch --once` and `sync` until it is
/// quiet. A document that another process has locked is looked at again later.
package final class FollowDocuments {
  /// What one round over all documents did.
  package struct Round: Sendable {
    package var events: [WatchEvent] = []
    package var imported = 0
    package var exported = 0
    /// Names of documents, and how many places they have.
    var documents: Set<JSONKey> = []
    var places = 0
    /// When something has to be looked at again, although nothing tells; nil = no need.
    package var retryMilliseconds: UInt64?
    /// Worth another look after so long, although nobody has to wait for it.
    package var lookAgainMilliseconds: UInt64?
    /// Documents that do not show the merged state yet.
    package var pending: [PendingDocument] = []
    /// Whether entries wait to be written into the journal; they follow from the logs meanwhile.
    var isJournalBehind = false
    /// Entries about bytes that were no document and were set aside.
    package var setAside: [JournalEntry] = []
    /// Entries about older values that programs wrote and that were put back.
    package var putBack: [JournalEntry] = []

    package var isQuiet: Bool { imported == 0 && exported == 0 }

    /// The configuration is followed like a document and is none for people.
    mutating func note(_ document: BoundDocument) {
      guard document.name != Replica.configurationName else { return }
      documents.insert(JSONKey(document.name))
      places += 1
    }
  }

  private let session: StoreSession
  private let patience: Replica.Patience
  /// The last problem told of each document, so that it is not told again and again.
  private var told: [String: String] = [:]
  /// Where the journal has its problem among those; no document has such an id.
  private static let journalKey = "journal"

  package init(_ session: StoreSession, _ patience: Replica.Patience) {
    self.session = session
    self.patience = patience
  }

  /// One pass over every document that these nodes keep and that is not as it was left.
  package func round(
    for nodes: [LocalNodes.Node]? = nil
  ) throws(UseCaseError) -> Round {
    let replica = session.replica
    var nodes = nodes ?? []
    if nodes.isEmpty { nodes = [try session.node()] }
    var round = Round()
    try replicating { () throws(ReplicationError) in try replica.refresh() }
    var seen: Set<String> = []
    for node in nodes {
      var version: Int?
      // What comes in with the configuration, which is the first, are the rules of the others.
      while version != replica.configurationVersion {
        version = replica.configurationVersion
        let documents = try replicating { () throws(ReplicationError) in
          try replica.boundDocuments(of: node.id)
        }
        for document in documents where seen.insert(document.bindingID).inserted {
          round.note(document)
          if replica.isQuiet(document) { continue }
          try pass(document, node, &round)
          if version != replica.configurationVersion { break }
        }
      }
      try journal(node, &round)
    }
    return round
  }

  private func pass(
    _ document: BoundDocument, _ node: LocalNodes.Node, _ round: inout Round
  ) throws(UseCaseError) {
    let report: PassReport
    do throws(ReplicationError) {
      report = try session.replica.pass(over: document, as: node, patience)
    } catch {
      guard error.leavesDocumentForLater else { throw .replication(error) }
      tell(error.pending, of: document, &round)
      // A lock is free soon; a directory that is not there may take its time.
      retry(after: error.pending.isBusy ? 200 : 2000, &round)
      return
    }
    if let pending = report.pendingExport {
      tell(pending, of: document, &round)
      retry(after: 2000, &round)
    } else {
      told[document.bindingID] = nil
    }
    tellOfBackups(report.backupProblem, of: document, &round)
    if let wait = report.retryMilliseconds { retry(after: wait, &round) }
    if let wait = report.lookAgainMilliseconds { round.lookAgainMilliseconds = wait }
    note(report, document, &round)
  }

  private func note(_ report: PassReport, _ document: BoundDocument, _ round: inout Round) {
    let path = document.path.string
    if let records = report.adoptedRecords {
      round.imported += 1
      round.events.append(.adopted(document: document.name, path: path, records: records))
    }
    for done in report.imports {
      round.imported += 1
      round.events.append(
        .imported(
          document: document.name, path: path, client: done.client, changed: done.changed.count,
          journal: done.entries.count))
    }
    round.setAside += report.setAside
    round.putBack += report.putBack
    for entry in report.entries { round.events.append(.entry(session.shown(entry))) }
    if let generation = report.exportedGeneration {
      round.exported += 1
      round.events.append(.exported(document: document.name, path: path, generation: generation))
    }
  }

  private func journal(_ node: LocalNodes.Node, _ round: inout Round) throws(UseCaseError) {
    do throws(ReplicationError) {
      let entries = try session.replica.journalDecisions(as: node)
      for entry in entries { round.events.append(.entry(session.shown(entry))) }
      told[Self.journalKey] = nil
    } catch {
      // All of them follow from the logs, or are still known: whoever comes next writes them.
      guard error.leavesDocumentForLater else { throw .replication(error) }
      round.isJournalBehind = true
      retry(after: error.pending.isBusy ? 200 : 2000, &round)
      let reason = error.pending.reason
      guard told[Self.journalKey] != reason else { return }
      told[Self.journalKey] = reason
      round.events.append(.problem("the journal does not have the newest entries: \(reason)"))
    }
  }

  private func tell(
    _ problem: PendingExport, of document: BoundDocument, _ round: inout Round
  ) {
    round.pending.append(
      PendingDocument(
        document: document.name, path: document.path.string, reason: problem.reason,
        isBusy: problem.isBusy, hint: problem.hint))
    guard told[document.bindingID] != problem.reason else { return }
    told[document.bindingID] = problem.reason
    round.events.append(
      .problem(
        "'\(document.path)' is not up to date: \(problem.reason)"
          + (problem.hint.map { "; \($0)" } ?? "")))
  }

  /// The document is right, so nothing is pending.
  private func tellOfBackups(
    _ reason: String?, of document: BoundDocument, _ round: inout Round
  ) {
    let key = document.bindingID + " backups"
    guard told[key] != reason else { return }
    told[key] = reason
    guard let reason else { return }
    round.events.append(
      .problem("the backups of '\(document.path)' cannot be kept up: \(reason)"))
  }

  private func retry(after milliseconds: UInt64, _ round: inout Round) {
    round.retryMilliseconds = min(round.retryMilliseconds ?? milliseconds, milliseconds)
  }
}

/// Brings every document of this machine up to date and returns when nothing is left.
package struct Synchronize: Sendable {
  package init() {}

  /// How often everything is looked at before a store that never rests is left alone.
  private static let roundsMax = 1000
  private static let waitMillisecondsMax: UInt64 = 60_000

  package func execute(in session: StoreSession) throws(UseCaseError) -> SyncResponse {
    let replica = session.replica
    let local = try replicating { () throws(ReplicationError) in try replica.localNodes() }
    // One that was retired or forked goes on as another node of its name.
    if local.node(named: session.nodeName) != nil { _ = try session.node() }
    let nodes = try replicating { () throws(ReplicationError) in try replica.localNodes() }
      .nodes.filter { !replica.isOver($0.id) }
    var response = try run(session, nodes: nodes, .later) { _ in }
    let held = try replicating { () throws(ReplicationError) in try session.replica.heldHere() }
    response.held = held.map { session.shown($0) }
    return response
  }

  /// Rounds until one has found nothing to do and nothing to wait for.
  package func run(
    _ session: StoreSession, nodes: [LocalNodes.Node], _ patience: Replica.Patience,
    onEvent: (WatchEvent) -> Void
  ) throws(UseCaseError) -> SyncResponse {
    let follower = FollowDocuments(session, patience)
    let system = session.replica.surroundings.system
    let start = system.waitedNanoseconds
    var response = SyncResponse(documents: 0, imported: 0, exported: 0)
    for _ in 0..<Self.roundsMax {
      let round = try follower.round(for: nodes)
      for event in round.events { onEvent(event) }
      response.documents = round.documents.count
      response.places = round.places
      response.imported += round.imported
      response.exported += round.exported
      response.pending = round.pending
      response.setAside += round.setAside.map { session.shown($0) }
      response.putBack += round.putBack.map { session.shown($0) }
      if round.isQuiet, round.retryMilliseconds == nil { return response }
      let hasProblem = !round.pending.isEmpty || round.isJournalBehind
      if round.isQuiet, hasProblem, round.retryMilliseconds ?? 0 >= 2000 { return response }
      let waited = (system.waitedNanoseconds - start) / 1_000_000
      guard waited < Self.waitMillisecondsMax else { return response }
      if let wait = round.retryMilliseconds, round.isQuiet {
        system.pause(nanoseconds: min(wait, 200) * 1_000_000)
      }
    }
    return response
  }
}
