import LosslessJSON
import Merging
import Records
import Replication
import SystemCalls

/// Shows how the store stands; changes nothing.
package struct ReportStatus: Sendable {
  package init() {}

  package func execute(in session: StoreSession) throws(UseCaseError) -> StatusResponse {
    let replica = session.replica
    let known = try session.knownNode()
    let entries = try replicating { () throws(ReplicationError) in try replica.allEntries() }
    let open = entries.filter { replica.isOpen($0) }
    let learned = LearnedProfiles(replica.configuration, node: known?.id)
    var documents: [StatusResponse.Document] = []
    var copies: [String] = []
    for document in replica.configuration.documents {
      var (described, found) = try describe(document, open: open, session)
      described.learned = learned.profiles(of: document.name, in: entries)
      documents.append(described)
      copies += found
    }
    return StatusResponse(
      store: session.root.string,
      node: (known.map { Hex.string($0.id.raw) }, session.nodeName),
      nodes: try ListNodes().execute(in: session),
      documents: documents, watcher: watcher(of: known, session),
      conflictCopies: copies, bytes: replica.bytesByKind(), damage: session.damage(),
      remarks: session.remarks)
  }

  private func watcher(
    of node: LocalNodes.Node?, _ session: StoreSession
  ) -> StatusResponse.Watcher {
    let none = StatusResponse.Watcher(
      mode: "none", reason: "no 'replicator watch' runs as \(session.nodeName)")
    guard let node else { return none }
    do throws(ReplicationError) {
      let running = try session.replica.runningWatches(of: node.id)
      guard let first = running.first else { return none }
      return StatusResponse.Watcher(
        mode: first.mode, reason: first.reason, processes: running.count)
    } catch {
      return StatusResponse.Watcher(mode: "unknown", reason: "its lock cannot be looked at")
    }
  }

  private func describe(
    _ document: Configuration.Document, open: [JournalEntry], _ session: StoreSession
  ) throws(UseCaseError) -> (StatusResponse.Document, [String]) {
    let state = session.replica.state
    let file = try session.fileState(of: document)
    let mine = open.filter { $0.document == document.name }
    let copies = file.bound.map { session.replica.conflictCopies(of: $0) } ?? []
    var described = StatusResponse.Document(
      name: document.name, path: file.bound?.path.string ?? "",
      collections: document.shape.recordCollections.map { collection in
        StatusResponse.Document.Collection(
          name: collection.name,
          records: state.records(document: document.name, collection: collection.name).count)
      },
      generation: file.generation, pendingExport: file.pendingExport,
      isPendingImport: file.isPendingImport,
      held: mine.filter { $0.kind == .bulkDeleteHeld }.map { Hex.string($0.id) },
      openConflicts: mine.count)
    let flaws = file.flaws
    if flaws.owner != nil || !flaws.attributes.isEmpty {
      described.notKept = StatusResponse.Document.NotKept(
        owner: flaws.owner, group: flaws.group, attributes: flaws.attributes)
    }
    described.degraded = flaws.way?.rawValue
    described.missingLink = file.bound.flatMap { session.replica.missingLink(of: $0)?.string }
    return (described, copies.map(\.string))
  }
}

extension StoreSession {
  /// What the configuration says and is not acted on as it is written.
  var remarks: [Remark] {
    replica.configuration.remarks.map { remark in
      Remark(
        sentence: remark.description, path: remark.path.description,
        keyword: remark.keyword.map { ($0.name, $0.client, $0.place, $0.file, $0.count) },
        isUndeclared: remark.keyword?.isUndeclared ?? false)
    }
  }

  /// Everything in the store that is not as it was written.
  func damage() -> [Damage] {
    var found: [Damage] = []
    for reader in replica.readers.values.sorted(by: { $0.id < $1.id }) {
      for damage in reader.damage where !replica.isAcknowledged(damage) {
        found.append(
          Damage(path: damage.path.string, offset: damage.offset, finding: damage.finding))
      }
      if reader.furtherDamage > 0 {
        found.append(
          Damage(
            path: replica.logPath(of: reader.id), offset: nil,
            finding: "\(reader.furtherDamage) further lines lack a checksum that fits"))
      }
      found += reader.problemSentences.map {
        Damage(path: $0.path, offset: nil, finding: $0.finding)
      }
    }
    for (id, problem) in replica.undescribed.sorted(by: { $0.key < $1.key }) {
      found.append(
        Damage(path: replica.descriptionPath(of: id), offset: nil, finding: problem.finding))
    }
    for refused in replica.refused {
      found.append(Damage(path: refused.path, offset: nil, finding: refused.finding))
    }
    for (_, obstacle) in replica.obstacles.sorted(by: { $0.key < $1.key }) {
      found.append(
        Damage(
          path: obstacle.name, offset: nil,
          finding: "needs a newer release, which knows \(obstacle.needs)"))
    }
    if let problem = replica.configurationProblem {
      found.append(
        Damage(
          path: ".replicator/config.json", offset: nil,
          finding: "\(problem); the last valid configuration is in force"))
    }
    return found
  }

  /// Damage that somebody has dismissed, in words.
  func knownDamage() -> [String] {
    replica.readers.values.sorted { $0.id < $1.id }.flatMap(\.damage)
      .filter { replica.isAcknowledged($0) }.map { damage in
        "'\(damage.path)' at byte \(damage.offset): \(damage.finding); it was dismissed"
      }
  }
}
