import Storage
package import SystemCalls

/// Who may have read which generation of the documents that this process exports.
///
/// A watch is set on each exported file before it gets the document's name, so a generation that
/// nobody opened since cannot be what the writer of a rewrite started from. What was exported
/// before the watch began, or by another process, may have been read by anybody. It only ever
/// narrows the search for a base; without it the content decides alone.
package final class ReadEvidence {
  private struct Watched {
    var token: InodeOpens.Token
    var generation: Int
    var hasBeenOpened = false
  }

  /// How many exported files of one document are watched; older ones count as read.
  private static let watchedMax = 8

  private let opens: InodeOpens
  private var watched: [String: [Watched]] = [:]
  /// Generations that were opened since the last rewrite of the document was imported.
  private var recent: [String: Set<Int>] = [:]

  package init(_ opens: InodeOpens) { self.opens = opens }

  /// Watches a complete new file that is about to get the document's name.
  func willExport(_ path: FilePath, generation: Int, of bindingID: String) {
    guard let token = opens.watch(path) else { return }
    var list = watched[bindingID] ?? []
    list.append(Watched(token: token, generation: generation))
    while list.count > Self.watchedMax { opens.forget(list.removeFirst().token) }
    watched[bindingID] = list
  }

  /// The generations that were watched from their first moment on and that nobody has opened.
  func unread(of bindingID: String) -> Set<Int> {
    look()
    // A generation that was exported twice has two files; whoever opened one of them has read it.
    let all = watched[bindingID] ?? []
    return Set(all.map(\.generation))
      .subtracting(all.filter(\.hasBeenOpened).map(\.generation))
  }

  /// The one generation that was opened since the last import; nil for none or several.
  ///
  /// Its opener was perhaps another reader than the writer, so the planner asks the content too.
  func soleOpened(of bindingID: String) -> Int? {
    look()
    guard let generations = recent[bindingID], generations.count == 1 else { return nil }
    return generations.first
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
      return
    }
    for (id, list) in watched {
      watched[id] = list.map { entry in
        var entry = entry
        guard let counts = found[entry.token], counts.hasReader else { return entry }
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
