import Storage
package import SystemCalls

/// Who may have read which generation of the documents that this machine exports.
///
/// A watch is set on each file that this process exports before it gets the document's name, and on
/// each that it finds there. A generation that nobody opened since its first moment cannot be what
/// the writer of a rewrite started from. What lay there before the watch, or was opened by name in
/// the gap before it, may have been read by anybody. Other processes of this program mark their
/// passes, so that their opens are told from those of strangers. Evidence only ever narrows the
/// search for a base; without it the content decides alone.
package final class ReadEvidence {
  private struct Watched {
    var token: InodeOpens.Token
    var generation: Int
    /// Whether nobody can have opened it before it was watched.
    var isWhole: Bool
    var hasBeenOpened = false
  }

  /// A pass of this process over a document.
  private struct Pass {
    var path: FilePath
    var place: InodeOpens.Place
    var marks: Marks
    /// What lay at the place when the pass began, where it was not watched before.
    var found: (token: InodeOpens.Token, isWhole: Bool)?
    var exports = 0
    var wasOpened = false
  }

  private final class Marks {
    let file: FileDescriptor

    init(_ file: consuming FileDescriptor) { self.file = file }
  }

  /// How many files of one document are watched; older ones count as read.
  private static let watchedMax = 8

  private let opens: InodeOpens
  private var watched: [String: [Watched]] = [:]
  /// Generations that were opened since the last rewrite of the document was imported.
  private var recent: [String: Set<Int>] = [:]
  /// Documents into whose replaced files somebody has written.
  private var written: Set<String> = []
  private var passes: [String: Pass] = [:]

  package init(_ opens: InodeOpens) { self.opens = opens }

  // MARK: - A pass

  /// A pass begins, under the lock of the binding.
  func begin(_ document: BoundDocument, in store: StoreDirectory) {
    let (id, lock) = (document.bindingID, StoreLayout.bindingLock(document.bindingID))
    // A store that cannot be written has no marks, and then no evidence of its own either.
    guard let place = opens.follow(document.place.path, marks: store.path(lock)),
      let file = try? store.open(lock, .write)
    else { return }
    var pass = Pass(path: document.place.path, place: place, marks: Marks(file))
    if let token = opens.watch(document.place.path, of: place),
      watched[id]?.contains(where: { $0.token == token }) != true
    {
      // Asked after the watch was set: since then the watch tells.
      pass.found = (token, opens.isUntouched(place))
    }
    opens.markBegin(place, pass.marks.file)
    look()
    written.remove(id)
    pass.wasOpened = false
    passes[id] = pass
  }

  /// Watches a complete new file that is about to get the document's name.
  func willExport(_ path: FilePath, generation: Int, of id: String) {
    passes[id]?.exports += 1
    guard let token = opens.watch(path, of: passes[id]?.place) else { return }
    add(Watched(token: token, generation: generation, isWhole: true), of: id)
  }

  /// The file at the place has a generation's content.
  func holds(_ stamp: FileStamp, generation: Int, of id: String) {
    guard let token = opens.token(device: stamp.device, inode: stamp.inode) else { return }
    if let known = watched[id]?.last(where: { $0.token == token }) {
      guard known.generation != generation else { return }
      // Somebody wrote it into the file of an earlier one.
      add(
        Watched(token: token, generation: generation, isWhole: false, hasBeenOpened: true), of: id)
    } else if let found = passes[id]?.found, found.token == token {
      passes[id]?.found = nil
      add(Watched(token: token, generation: generation, isWhole: found.isWhole), of: id)
    }
  }

  func end(_ id: String) {
    look()
    guard let pass = passes[id] else { return }
    if isUndisturbed(id) {
      opens.markEnd(pass.marks.file)
      look()
      // Who came just before the mark would pass for us with the others: this open lies behind it.
      if !isUndisturbed(id) { opens.showReader(pass.path) }
    }
    if let found = pass.found { opens.forget(found.token) }
    passes[id] = nil
  }

  /// Whether nobody else has opened or replaced the document since the pass began.
  private func isUndisturbed(_ id: String) -> Bool {
    guard let pass = passes[id] else { return false }
    // A file that somebody else put there was perhaps opened before it could be watched.
    return !pass.wasOpened && opens.installs(pass.place) <= pass.exports
  }

  private func add(_ file: Watched, of id: String) {
    var list = watched[id] ?? []
    list.append(file)
    while list.count > Self.watchedMax {
      let oldest = list.removeFirst().token
      if !list.contains(where: { $0.token == oldest }) { opens.forget(oldest) }
    }
    watched[id] = list
  }

  // MARK: - What is known

  /// The generations that were watched from their first moment on and that nobody has opened.
  func unread(of bindingID: String) -> Set<Int> {
    look()
    // A generation that was exported twice has two files; whoever opened one of them has read it.
    let all = watched[bindingID] ?? []
    return Set(all.map(\.generation))
      .subtracting(all.filter { $0.hasBeenOpened || !$0.isWhole }.map(\.generation))
  }

  /// The one generation that was opened since the last import; nil for none or several.
  ///
  /// Its opener was perhaps another reader than the writer, so the planner asks the content too.
  func soleOpened(of bindingID: String) -> Int? {
    look()
    guard let generations = recent[bindingID], generations.count == 1 else { return nil }
    return generations.first
  }

  /// Whether somebody wrote into a replaced file since the last pass.
  func hasOrphan(of bindingID: String) -> Bool {
    look()
    return written.contains(bindingID)
  }

  /// A rewrite was imported; opens from now on speak for the next one.
  func didImport(from bindingID: String) { recent[bindingID] = nil }

  private func look() {
    guard let found = opens.drain() else {
      // Events were lost: everything may have been read.
      for id in watched.keys.sorted() {
        for entry in watched[id] ?? [] { opens.forget(entry.token) }
      }
      watched = [:]
      recent = [:]
      for id in passes.keys.sorted() {
        passes[id]?.wasOpened = true
        passes[id]?.found?.isWhole = false
      }
      return
    }
    for (id, pass) in passes {
      guard let token = pass.found?.token, found[token]?.hasReader == true else { continue }
      passes[id]?.found?.isWhole = false
      passes[id]?.wasOpened = true
    }
    for (id, list) in watched {
      watched[id] = list.enumerated().map { index, entry in
        var entry = entry
        guard let counts = found[entry.token], counts.hasReader,
          !list[(index + 1)...].contains(where: { $0.token == entry.token })
        else { return entry }
        passes[id]?.wasOpened = true
        if counts.writes > 0, index < list.count - 1 { written.insert(id) }
        // The close of a reader that was noticed before says nothing new.
        if counts.opens > 0 || counts.writes > 0 || !entry.hasBeenOpened {
          recent[id, default: []].insert(entry.generation)
        }
        entry.hasBeenOpened = true
        return entry
      }
    }
  }
}
