import LosslessJSON
import Merging
import Records
import Replication
import SystemCalls
import UseCases
import Watching

/// A collection of a document.
struct CollectionName: Hashable {
  var document: [UInt8]
  var collection: [UInt8]

  init(document: String, collection: String) {
    (self.document, self.collection) = (Array(document.utf8), Array(collection.utf8))
  }
}

/// The records of a collection at one moment, whatever their type.
struct CollectionView: Sendable {
  var base: RecordBase
  /// What has been seen by who reads them.
  var seen: Context
  var schemaVersion: SchemaVersion
}

/// A write that waits for its batch.
struct PendingSave: Sendable {
  var request: SaveRecords
  /// Nothing is written where somebody wrote the same since it was read.
  var mustBeCurrent: Bool
  /// Whether it was written.
  var finish: @Sendable (Result<Bool, StoreError>) -> Void
}

/// An opened store with everything that is done in it; lives on the thread of its worker.
final class StoreEngine {
  private let session: StoreSession
  private let node: LocalNodes.Node
  private let follower: FollowDocuments
  private let channels: Channels
  let source: any ChangeSource
  /// By which other processes know that this one follows the store.
  private var presence: WatchPresence?
  private var said: RunningWatch?
  private var views: [CollectionName: (version: [Int], view: CollectionView)] = [:]
  private var styles: [String: DocumentStyle] = [:]
  private var stylesVersion = 0

  init(
    _ session: StoreSession, channels: Channels, surroundings: Surroundings,
    watching plan: WatchPlan
  ) throws(StoreError) {
    self.session = session
    self.channels = channels
    let (node, places) = try useCase { () throws(UseCaseError) in
      let node = try session.node()
      return (node, try WatchedPlaces.all(of: session, node: node))
    }
    self.node = node
    do throws(WatchingError) {
      source = try plan.start(places, system: surroundings.system)
    } catch {
      throw StoreError(error)
    }
    follower = FollowDocuments(session, .later)
    // Without it only `status` does not know.
    presence = try? WatchPresence(of: node.id, in: session.replica.store)
  }

  /// Ends what goes on beside the thread.
  func end() {
    source.stop()
    presence = nil
  }

  private func sayHowItLooks() {
    let watch = RunningWatch(source.mode)
    guard watch != said else { return }
    said = watch
    // The lock alone says that somebody follows; that is not lost.
    try? presence?.say(watch)
  }

  // MARK: - Following

  /// Takes in what others wrote, imports and exports.
  ///
  /// - Returns: after how many milliseconds to look again, although nothing tells; nil = no need.
  func follow() throws(StoreError) -> UInt64? {
    try useCase { () throws(UseCaseError) in
      var round = try follower.round(for: [node])
      var left = Self.roundsMax
      while !round.isQuiet, left > 0 {
        round = try follower.round(for: [node])
        left -= 1
      }
      source.setDirectories(try WatchedPlaces.all(of: session, node: node))
      sayHowItLooks()
      return [round.retryMilliseconds, round.lookAgainMilliseconds].compactMap { $0 }.min()
    }
  }

  /// Takes in what other processes and machines committed, without a look at the documents.
  func refresh() {
    // What fails here fails again when the documents are looked at, and is reported then.
    try? session.replica.refresh()
  }

  /// How often documents are looked at before whoever waits has a turn.
  private static let roundsMax = 16

  /// Tells the readers of every collection what it shows now.
  func publish() {
    for name in channels.names {
      do throws(StoreError) {
        channels.tell(name, .loaded(try view(of: name)))
      } catch {
        channels.fail(name, error)
      }
    }
  }

  // MARK: - Reading

  /// The records as the state shows them; made anew only after a change.
  func view(
    of name: CollectionName
  ) throws(StoreError) -> CollectionView {
    let (document, collection) = try find(name)
    let replica = session.replica
    let version = [replica.version(of: document.name), replica.configurationVersion]
    if let known = views[name], known.version == version { return known.view }
    let base = try useCase { () throws(UseCaseError) in
      try session.records(of: collection, in: document)
    }
    let outside = replica.state.outside(document: document.name)?.text
    let form = outside.flatMap { RawJSON($0)["schemaVersion"] }
    let view = CollectionView(
      base: base, seen: replica.state.context,
      schemaVersion: form.map { SchemaVersion($0.int ?? 0) } ?? .first)
    views[name] = (version, view)
    return view
  }

  /// The collection by its name; nil for the one record of a document without any.
  private func find(
    _ name: CollectionName
  ) throws(StoreError) -> (Configuration.Document, String?) {
    if let obstacle = session.replica.obstacles.values.first {
      throw .needsNewerRelease(node: obstacle.name, needs: obstacle.needs)
    }
    let document = try useCase { () throws(UseCaseError) in
      try session.document(named: String(decoding: name.document, as: UTF8.self))
    }
    let all = document.shape.recordCollections.map(\.name)
    if name.collection.isEmpty, all.count <= 1 { return (document, all.first) }
    guard let found = all.first(where: { $0.utf8.elementsEqual(name.collection) }) else {
      throw .unknownCollection(
        name.collection.isEmpty ? nil : String(decoding: name.collection, as: UTF8.self),
        document: document.name, known: all)
    }
    return (document, found)
  }

  /// The name of the collection that is meant, as `find` gives it.
  func collection(_ name: CollectionName) throws(StoreError) -> String? { try find(name).1 }

  // MARK: - Writing

  /// Makes writes durable that were asked for at the same time: with one write and one fdatasync.
  func commit(_ saves: [PendingSave]) {
    var made: [(save: PendingSave, draft: TransactionDraft, here: [RecordChange])] = []
    var written = WrittenPlaces()
    for save in saves {
      let places = save.request.places
      if save.mustBeCurrent, written.overlap(places) || save.request.isStale(in: session) {
        save.finish(.success(false))
        continue
      }
      written.add(places)
      do throws(StoreError) {
        let (draft, here) = try draft(save.request)
        made.append((save, draft, here))
      } catch {
        save.finish(.failure(error))
      }
    }
    let drafts = made.map(\.draft).filter { !$0.operations.isEmpty }
    do throws(ReplicationError) {
      if !drafts.isEmpty { _ = try session.replica.commit(drafts, as: node) }
    } catch {
      for (save, _, _) in made { save.finish(.failure(StoreError(error))) }
      return
    }
    for (save, _, here) in made {
      do throws(StoreError) {
        if !here.isEmpty { try writeHere(here, of: save.request.document) }
        save.finish(.success(true))
      } catch {
        save.finish(.failure(error))
      }
    }
  }

  private func draft(
    _ request: SaveRecords
  ) throws(StoreError) -> (draft: TransactionDraft, here: [RecordChange]) {
    let (document, _) = try find(
      CollectionName(document: request.document, collection: request.collection ?? ""))
    if stylesVersion != session.replica.configurationVersion {
      (styles, stylesVersion) = ([:], session.replica.configurationVersion)
    }
    // Made once: rendering a large document for each write would cost more than the write.
    let style = styles[document.name] ?? DocumentStyle(of: document, in: session.replica)
    styles[document.name] = style
    return try useCase { () throws(UseCaseError) in
      try request.draft(in: session, style: style)
    }
  }

  /// Members that stay at this place go into the file alone.
  private func writeHere(_ changes: [RecordChange], of document: String) throws(StoreError) {
    try useCase { () throws(UseCaseError) in
      let bound = try session.bound(try session.document(named: document))
      try session.writeHere(changes, into: bound)
    }
  }

  // MARK: - History

  func history(_ request: ReadLog) throws(StoreError) -> [HistoryEntry] {
    try useCase { () throws(UseCaseError) in
      try request.execute(in: session).entries.map { HistoryEntry($0) }
    }
  }

  func restore(_ entry: String) throws(StoreError) {
    try useCase { () throws(UseCaseError) in
      _ = try RestoreEntry(entry: entry, newID: nil, isDryRun: false).execute(in: session)
    }
  }
}

/// Runs a use case, its error turned into the public one.
func useCase<Answer>(_ body: () throws(UseCaseError) -> Answer) throws(StoreError) -> Answer {
  do throws(UseCaseError) { return try body() } catch { throw StoreError(error) }
}
