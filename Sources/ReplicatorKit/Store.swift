import Merging
import Records
import Replication
import SystemCalls
import UseCases
import Watching

/// An opened store: the documents of a directory, followed and written by this process.
///
/// The process acts for a node. It imports what programs write into the documents, merges what other
/// processes and machines did, and exports the result, as a running `replicator watch` does; several
/// processes may do so at once. One thread does all of it: nothing here blocks the caller's thread.
///
/// A store is open as long as somebody holds it or one of its collections; `close` waits for the rest.
public final class Store: Sendable {
  /// A document that an application keeps in a store.
  public struct Document: Sendable, ExpressibleByStringLiteral {
    /// Its name: letters, digits, `.`, `_` and `-`.
    public let name: String
    /// Its file, relative to the store's directory.
    public let file: String
    /// Where its list of records is, as a JSON Pointer; nil where it is one record itself.
    public private(set) var place: String?

    /// A document `{"schemaVersion": 1, "items": []}` in a file, by default `NAME.json`.
    public init(_ name: String, file: String? = nil, at place: String = "/items") {
      self.name = name
      self.file = file ?? name + ".json"
      self.place = place
    }

    /// A document in `NAME.json`.
    public init(stringLiteral value: String) { self.init(value) }

    /// A document that is one record, at first `{"schemaVersion": 1}`; see `collection`.
    public static func record(_ name: String, file: String? = nil) -> Document {
      var document = Document(name, file: file)
      document.place = nil
      return document
    }
  }

  let worker: StoreWorker

  private init(_ worker: StoreWorker) { self.worker = worker }

  deinit { worker.requestClose() }

  /// Opens the store of a directory. Where there is none, one is made: with the documents that are named,
  /// or as `replicator init` makes it; documents that a store does not have yet are added to it.
  ///
  /// A file that is there already is taken in as it is. After a crash in the middle the next call goes on.
  /// - Parameters:
  ///   - path: the directory, absolute or relative to the current one; made if it is not there.
  ///   - node: who writes; by default `USER@HOST`. Several processes may act for one node.
  ///   - documents: what the application keeps; none = what the store has.
  /// - Throws: `needsNewerRelease` where a newer release left something that this one must not touch,
  ///   and what keeps files from being read or written.
  public static func open(
    at path: String, node: String? = nil, documents: [Document] = []
  ) async throws(StoreError) -> Store {
    try await open(at: path, node: node, documents: documents, watching: .automatic)
  }

  /// - Parameter plan: tests that have the library of inotify for themselves leave other tests to poll.
  static func open(
    at path: String, node: String?, documents: [Document], watching plan: WatchPlan
  ) async throws(StoreError) -> Store {
    let worker = try await StoreWorker.start { channels throws(StoreError) in
      var surroundings = Surroundings.live
      // Who opens documents is evidence for what a rewrite was based on; without it content decides.
      let opens = try? InodeOpens(over: surroundings.system)
      if let opens { surroundings.system = opens.system }
      let root = try current().appending(path)
      let described = try documents.map { document throws(StoreError) in
        try describe(document)
      }
      let session = try useCase { () throws(UseCaseError) in
        try DeclareDocuments(
          root: root, documents: described,
          nodeName: node ?? "\(Machine.userName)@\(Machine.hostName)"
        ).execute(in: surroundings)
      }
      session.replica.evidence = opens.map { ReadEvidence($0) }
      return try StoreEngine(
        session, channels: channels, surroundings: surroundings, watching: plan)
    }
    return Store(worker)
  }

  /// A collection of a document, seen as records of one type. A document without collections, such as
  /// settings, has one record, whose id is `RecordID.document`.
  ///
  /// - Parameters:
  ///   - document: the document's name.
  ///   - collection: its collection; none = the only one that it has, or the document itself.
  ///   - type: the type of its records.
  /// - Throws: `unknownDocument`, `unknownCollection`.
  public func collection<Record: ForwardCompatibleRecord>(
    _ document: String, _ collection: String = "", of type: Record.Type = Record.self
  ) async throws(StoreError) -> Collection<Record> {
    let asked = CollectionName(document: document, collection: collection)
    let name = try await worker.run { engine throws(StoreError) in
      try engine.collection(asked)
    }
    return Collection(store: self, document: document, name: name)
  }

  /// Returns when everything that was written before, here and by programs, is merged and exported.
  ///
  /// - Throws: what keeps files from being read or written.
  public func settle() async throws(StoreError) {
    try await worker.run { engine throws(StoreError) in _ = try engine.follow() }
  }

  /// Exports what is still to be exported and ends; loops over `changes` end, and later calls throw
  /// `closed`.
  public func close() async { await worker.close() }

  private static func current() throws(StoreError) -> FilePath {
    do throws(SystemError) { return try ThisProcess.currentDirectory() } catch {
      throw StoreError(error)
    }
  }
}
