import LosslessJSON
import Merging
import Records
package import Replication
package import SystemCalls

/// A three-way merge of files without a store, for `git merge` drivers and for Unison.
package struct MergeDocuments: Sendable {
  package enum Preference: Sendable { case ours, theirs, newest }

  package var base: FilePath
  package var ours: FilePath
  package var theirs: FilePath
  /// Where shapes, groups, sets and profiles come from; nil = the shape is detected.
  package var configuration: FilePath?
  package var clientOfTheirs: String?
  package var preference: Preference

  package init(
    base: FilePath, ours: FilePath, theirs: FilePath, configuration: FilePath?,
    clientOfTheirs: String?, preference: Preference
  ) {
    self.base = base
    self.ours = ours
    self.theirs = theirs
    self.configuration = configuration
    self.clientOfTheirs = clientOfTheirs
    self.preference = preference
  }

  package func execute(in surroundings: Surroundings) throws(UseCaseError) -> MergeResponse {
    let files = InputFiles(surroundings)
    let (baseBytes, _) = try files.read(base)
    let (ourBytes, ourTime) = try files.read(ours)
    let (theirBytes, theirTime) = try files.read(theirs)
    let configuration = try readConfiguration(files)
    let document = try self.document(
      configuration, ours: ourBytes, base: baseBytes, theirs: theirBytes)
    let mine = try split(ourBytes, ours, document)
    if ourBytes == theirBytes { return MergeResponse(bytes: ourBytes, entries: [], isHeld: false) }
    let merged = DetachedMerge(
      base: try split(baseBytes, base, document), ours: mine,
      theirs: try split(theirBytes, theirs, document), document: document,
      profile: try profile(configuration), prefersTheirs: prefersTheirs(ourTime, theirTime))
    return MergeResponse(
      bytes: merged.bytes, entries: merged.entries.map { shown($0, document) },
      isHeld: merged.isHeld)
  }

  private var names: [String] { [ours, theirs, base].map(\.lastComponent) }

  private func prefersTheirs(_ ourTime: UInt64, _ theirTime: UInt64) -> Bool {
    switch preference {
    case .ours: false
    case .theirs: true
    case .newest: theirTime > ourTime
    }
  }

  private func readConfiguration(_ files: InputFiles) throws(UseCaseError) -> Configuration? {
    guard let path = configuration else { return nil }
    let bytes = try files.read(path).bytes
    do throws(ConfigurationError) {
      return try Configuration(parsing: bytes) { name in
        files.readIfThere(path.parent.appending(name))
          ?? ShippedFiles.schemas.first { $0.path.utf8.elementsEqual(name.utf8) }.map {
            Array($0.text.utf8)
          }
      }
    } catch {
      throw .configuration(path: path, error)
    }
  }

  /// The document of the configuration that bears the name of one of the files, or its only one;
  /// without a configuration what the file itself shows.
  private func document(
    _ configuration: Configuration?, ours ourBytes: [UInt8], base baseBytes: [UInt8],
    theirs theirBytes: [UInt8]
  ) throws(UseCaseError) -> Configuration.Document {
    if let configuration {
      let named = configuration.documents.first { document in
        names.contains { $0.utf8.elementsEqual(FilePath(document.file).lastComponent.utf8) }
      }
      if let named { return named }
      if configuration.documents.count == 1 { return configuration.documents[0] }
      throw .refused(
        what: "merge '\(ours)'",
        why: "the configuration has several documents and none with the name of the file",
        hint: "give a configuration with one document")
    }
    let sides = [(ourBytes, ours), (baseBytes, base), (theirBytes, theirs)]
    let dialect = DocumentShape.Dialect.detect(in: sides.map(\.0), files: names)
    let trees = try sides.map { (bytes, path) throws(UseCaseError) in
      try parsed(bytes, path, dialect)
    }
    let fromOurs = DocumentShape.detect(in: trees[0], dialect: dialect)
    let shape =
      fromOurs.recordCollections.isEmpty
      ? DocumentShape.detect(in: trees[1], dialect: dialect) : fromOurs
    // A side that has no such lists can only be compared as a whole.
    let isShared = shape.recordCollections.allSatisfy { collection in
      trees.allSatisfy {
        $0.node(at: collection.at)?.kind == (collection.kind == .map ? .object : .array)
      }
    }
    let whole = DocumentShape.Collection(name: "document", at: .root, kind: .document)
    let used = isShared ? shape : DocumentShape(dialect: dialect, collections: [whole])
    return Configuration.Document(name: "document", file: ours.lastComponent, shape: used)
  }

  private func profile(_ configuration: Configuration?) throws(UseCaseError) -> ClientProfile {
    guard let name = clientOfTheirs else {
      return ClientProfile(name: "theirs", understandsEverything: true)
    }
    guard let profile = configuration?.client(named: name) else {
      throw .unknownClient(name, known: configuration?.clients.map(\.name) ?? [])
    }
    return profile
  }

  private func parsed(
    _ bytes: [UInt8], _ path: FilePath, _ dialect: DocumentShape.Dialect
  ) throws(UseCaseError) -> JSONTree {
    let tree: JSONTree
    do throws(JSONError) { tree = try JSONTree(parsing: bytes, dialect: dialect.scanner) } catch {
      throw .unreadableInput(path: path, error)
    }
    guard dialect == .jsonl, !DocumentShape.Dialect.isTold(byFiles: names),
      !dialect.isText(bytes)
    else { return tree }
    // A blank version of a list is no list without records: a file that lost its content is blank, too.
    throw .refused(
      what: "merge '\(path)'",
      why: tree.root.isEmpty ? "it is blank" : "a line of it is no object, as all others are",
      hint: "correct it, or give a configuration with the dialect jsonl if it is meant so")
  }

  private func split(
    _ bytes: [UInt8], _ path: FilePath, _ document: Configuration.Document
  ) throws(UseCaseError) -> SplitDocument {
    do throws(JSONError) {
      return try SplitDocument(bytes: bytes, shape: document.shape)
    } catch {
      throw .unreadableInput(path: path, error)
    }
  }

  private func shown(
    _ entry: JournalEntry, _ document: Configuration.Document
  ) -> LogResponse.Entry {
    var names: [String: String] = [:]
    for node in [entry.kept?.node, entry.node].compactMap({ $0 })
      + entry.discarded.compactMap(\.node)
    {
      names[Hex.string(node.raw)] = DetachedMerge.sideName(of: node)
    }
    return LogResponse.Entry(
      entry: entry, isOpen: false, nodeName: DetachedMerge.sideName(of: entry.node),
      nodeNames: names, secrets: document.secrets.map(\.pointer.description))
  }
}

/// `merge`
package struct MergeResponse: Sendable {
  package var bytes: [UInt8]
  package var entries: [LogResponse.Entry]
  /// True if their side deletes so much that nothing of it was taken.
  package var isHeld: Bool

  /// What a person has to look at: conflicts, a hold, and what was kept against a side.
  package var conflicts: [LogResponse.Entry] {
    entries.filter { entry in
      switch entry.entry.kind {
      case .concurrent, .deleteEdit, .createCreate, .typeChange, .bulkDeleteHeld,
        .stripAmbiguous, .coerceAmbiguous, .revertAmbiguous:
        true
      default: false
      }
    }
  }
}
