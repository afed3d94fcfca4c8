package import Merging
package import Records
import Storage
import SystemCalls

/// How the file of a document stands to the merged state.
package struct FileState: Sendable {
  package var bound: BoundDocument?
  package var generation: Int?
  /// A sentence when the file on disk differs from what is shown.
  package var difference: String?
  package var isPendingImport = false
  /// Why the state has not reached the file; nil = it has.
  package var pendingExport: String?
  /// The members that stay at this place; nil where the document has none.
  package var members: BindingMembers?
  /// The entry of a rewrite that is held.
  package var held: UInt64?
  /// What the file could not get, or how it had to be written.
  package var flaws = GenerationIndex.Flaws()

  /// Nothing is known of the file.
  package init() {}
}

extension Replica {
  /// Looks at a document's file without a lock and without changing anything.
  package func fileState(
    of document: Configuration.Document, node: NodeID?
  ) throws(ReplicationError) -> FileState {
    var state = FileState()
    do throws(ReplicationError) {
      guard let bound = try boundDocument(document, of: node) else { return state }
      state.bound = bound
      let index = try generations(of: bound)
      state.generation = index.present?.generation
      state.held = index.held
      state.flaws = index.flaws
      try bound.requireNoRival()
      if let misfit = misfit(of: document, since: index) {
        state.difference = misfit.reason
        state.pendingExport = misfit.reason
        return state
      }
      try compare(bound, index, &state)
    } catch {
      // The directory of the document may be gone; the merged state is shown all the same.
      guard error.leavesDocumentForLater else { throw error }
      state.difference = "the file cannot be looked at: \(error.pending.reason)"
      state.pendingExport = error.pending.reason
    }
    return state
  }

  private func compare(
    _ bound: BoundDocument, _ index: GenerationIndex, _ state: inout FileState
  ) throws(ReplicationError) {
    let content = try storing { () throws(StorageError) in try fileStore.read(bound.place) }
    guard let content else {
      state.difference = "the file '\(bound.path)' is not there"
      state.pendingExport = "the file is not there"
      return
    }
    if content.status.owner == state.flaws.owner {
      (state.flaws.owner, state.flaws.group) = (nil, nil)
    }
    let hash = content.hash.hex
    if hash != index.present?.hash, hash != index.settled, index.over != content.version {
      state.difference = "the file '\(bound.path)' has changes that are not imported yet"
      state.isPendingImport = true
    }
    state.members = try members(bound, over: content)
    guard let shown = shown(bound, index, content, state.members) else { return }
    if shown != hash, hash != index.settled || shown != index.present?.hash {
      state.pendingExport = "not exported yet"
      if state.difference == nil {
        state.difference = "the file '\(bound.path)' does not show the merged state yet"
      }
    }
  }

  /// The hash of what the file is to have; nil where nothing is known of it.
  private func shown(
    _ bound: BoundDocument, _ index: GenerationIndex, _ content: FileContent,
    _ members: BindingMembers?
  ) -> String? {
    if isPresent(bound.configuration, in: index) { return index.present?.hash }
    return bound.configuration.rendered(from: state, like: content.bytes, at: members).map {
      ContentHash(of: $0).hex
    }
  }

  /// Whether the newest export is what the state shows.
  func isPresent(_ document: Configuration.Document, in index: GenerationIndex) -> Bool {
    document.marker == nil && !BindingMembers.exist(in: document)
      && index.present?.context == state.context
  }

  /// The members that belong to this place, which an export takes from the file that it replaces.
  private func members(
    _ bound: BoundDocument, over content: FileContent
  ) throws(ReplicationError) -> BindingMembers? {
    let document = bound.configuration
    guard BindingMembers.exist(in: document) else { return nil }
    let generations = try GenerationStore(
      store: store, bindingID: bound.bindingID, shape: document.shape)
    // A file that does not parse has no members; that it differs is said anyway.
    let file = try? SplitDocument(bytes: content.bytes, shape: document.shape)
    return BindingMembers(
      document: document, file: file,
      lastExport: generations.index.present.flatMap { generations.document($0) }, removed: [])
  }
}
