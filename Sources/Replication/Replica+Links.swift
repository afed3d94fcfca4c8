import Merging
import Records
package import Storage
package import SystemCalls

/// Which file is the document: its path may be a symbolic link, which is followed anew each time.
extension Replica {
  /// A document of a binding where its path leads now.
  ///
  /// - Parameter all: the bindings of this machine.
  func bound(
    _ document: Configuration.Document, _ known: KnownBinding,
    among all: [KnownBinding]
  ) -> BoundDocument {
    var found = BoundDocument(
      configuration: document, place: DocumentPlace(realPath: known.binding.named),
      binding: known.binding, bindingID: known.id)
    do throws(StorageError) { found.place = try place(of: known.binding) } catch {
      // Its directory is gone, or the link leads nowhere, perhaps for a while: the pass says so.
      return found
    }
    found.rival = rival(of: found, among: all)
    return found
  }

  /// The binding of a document that a path names, and its id; a new one where there is none.
  func binding(
    of document: String, at path: FilePath, among all: [KnownBinding]
  ) throws(StorageError) -> KnownBinding {
    let place = try fileStore.place(of: path)
    let named = place.path == path ? path : try fileStore.named(path)
    let own = all.filter { $0.binding.isOf(document) }
    let known =
      own.first { $0.binding.named == named }
      ?? own.first { FilePath($0.binding.path) == place.path }
    if let known, known.binding.isActive { return known }
    // A directory that is there remembers another document.
    var id = known?.id ?? place.bindingID
    while known == nil, all.contains(where: { $0.id == id }) {
      id = StoreLayout.bindingID(realPath: FilePath(id + document))
    }
    let nodes = known?.binding.nodes ?? []
    return (id, Binding(document: document, named: named, at: place.path, nodes: nodes))
  }

  /// The document where its path leads now, for a pass that has its lock: a link may have been
  /// changed since it was looked for. Costs a call for a link, and nothing for what is none.
  func followed(_ document: BoundDocument) throws(ReplicationError) -> BoundDocument {
    var document = document
    guard document.binding.link != nil || document.hasMoved else { return document }
    document.place = try storing { () throws(StorageError) in try place(of: document.binding) }
    guard document.hasMoved else { return document }
    let all = try bindings()
    if let now = all.first(where: { $0.id == document.bindingID }) {
      document = bound(document.configuration, now, among: all)
    }
    try document.requireNoRival()
    return document
  }

  /// The names whose changes are changes of the document: its file, and each link to it.
  package func watchedPlaces(of document: BoundDocument) -> [DocumentPlace] {
    guard document.place.path != document.path else { return [document.place] }
    return [document.place] + fileStore.links(from: document.path)
  }

  /// The link by which a person named the document, where nothing has that name any more. What cannot
  /// be looked at is not said to be gone.
  package func missingLink(of document: BoundDocument) -> FilePath? {
    guard let link = document.binding.link.map(FilePath.init) else { return nil }
    let stamp = Result { () throws(StorageError) in
      try fileStore.stamp(of: DocumentPlace(realPath: link))
    }
    guard case .success(nil) = stamp else { return nil }
    return link
  }

  /// Whether a file belongs to another binding than this one.
  func isTaken(
    _ place: DocumentPlace, from document: BoundDocument
  ) throws(ReplicationError) -> Bool {
    var there = document
    there.place = place
    return rival(of: there, among: try bindings()) != nil
  }

  private func place(of binding: Binding) throws(StorageError) -> DocumentPlace {
    let place = try fileStore.place(of: binding.named)
    guard let link = binding.link, place.path == FilePath(link),
      try fileStore.stamp(of: place) == nil
    else { return place }
    // The link is gone, perhaps for a moment: the document stays where it led.
    let last = DocumentPlace(realPath: FilePath(binding.path))
    do throws(StorageError) { return try fileStore.stamp(of: last) == nil ? place : last } catch {
      return place
    }
  }

  /// Two bindings must not write one file: it is of the one that had it first.
  func rival(
    of document: BoundDocument, among all: [KnownBinding]
  ) -> Binding? {
    all.first { other in
      other.id != document.bindingID && other.binding.isActive
        && other.binding.claims(document.place.path)
    }?.binding
  }
}

extension BoundDocument {
  func requireNoRival() throws(ReplicationError) {
    guard let rival else { return }
    throw .placeTaken(path: path, document: rival.document, by: rival.named)
  }
}
