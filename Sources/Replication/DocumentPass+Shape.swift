import LosslessJSON
import Merging
import Records
import Storage

/// Whether the records were made for the shape that the configuration gives the document now.
///
/// Another kind or id would make other records of the same bytes, and a collection that is gone
/// would take its records along. So nothing is imported or exported until they fit again; commits
/// and the file stay as they are.
extension DocumentPass {
  mutating func hasFittingShape() -> Bool {
    if let reason = replica.misfit(of: document.configuration, since: generations.index) {
      report.pendingExport = reason
      return false
    }
    return true
  }
}

extension Replica {
  /// Why a document cannot be read or written with its present shape; nil where it can.
  ///
  /// - Parameter index: has the signatures of the collections when it was imported or exported last.
  func misfit(
    of document: Configuration.Document, since index: GenerationIndex
  ) -> PendingExport? {
    let (former, now) = (index.shape, document.shape.signatures)
    // Nothing has come since the records were looked at, and they are known by the same.
    if former == now, isPresent(document, in: index) { return nil }
    for (name, signature) in former.sorted(by: { $0.key < $1.key }) where now[name] != signature {
      if hasRecords(document.name, name) {
        return misfit(document.name, name, now[name] == nil ? "is gone" : "has another kind or id")
      }
    }
    for place in state.collections(of: document.name) where hasRecords(document.name, place) {
      guard let collection = document.shape.collection(named: place) else {
        return misfit(document.name, place, "is gone")
      }
      guard collection.kind == .array,
        !state.records(document: document.name, collection: place).prefix(20).contains(
          where: { isKnown($0, by: collection) })
      else { continue }
      return misfit(document.name, place, "has another id")
    }
    return nil
  }

  /// Whether the record has its id where the collection looks for it, or none at all.
  private func isKnown(_ view: RecordView, by collection: DocumentShape.Collection) -> Bool {
    // Text of the state was parsed before.
    guard let id = view.id, let tree = try? JSONTree(parsing: view.text) else { return true }
    return collection.id(of: tree.root).map { $0.hasSameValue(as: id) } ?? false
  }

  private func hasRecords(_ document: String, _ collection: String) -> Bool {
    !state.records(document: document, collection: collection).isEmpty
  }

  private func misfit(_ document: String, _ collection: String, _ what: String) -> PendingExport {
    var pending = PendingExport(
      "its collection '\(collection)' \(what) in the configuration, and there are records that were made before"
    )
    pending.hint =
      "bring the rules back ('replicator backups \(Replica.configurationName)' lists them, 'replicator"
      + " rollback \(Replica.configurationName) VERSION' takes one), or remove '\(document)' everywhere"
      + " and add the file under another name"
    return pending
  }
}

extension DocumentShape {
  /// By the name of each collection what its records are known by. What lies outside of all is not
  /// made of records: a new collection may take some of it.
  var signatures: [String: String] {
    var found: [String: String] = [:]
    for collection in recordCollections {
      let ids = collection.id.map(\.description)
      let parts =
        [collection.kind.rawValue, collection.idMode.rawValue] + ids
        + collection.except.map(\.string).sorted()
      found[collection.name] = parts.joined(separator: " ")
    }
    return found
  }
}
