import FoundationEssentials
import SystemCalls
import TestSupport
import Testing
import Watching

@testable import ReplicatorKit

/// A state that never comes would be waited for without end.
@Suite(.timeLimit(.minutes(2)))
struct ChangesTests {
  private let directory: ScratchDirectory

  init() throws { directory = try ScratchDirectory() }

  private func open(_ node: String) async throws -> Store.Collection<Bookmark> {
    let store = try await Store.open(
      at: directory.path.string, node: node, documents: ["bookmarks"],
      // Other tests of this process have the one inotify of the library.
      watching: .polling(.adaptive))
    return try await store.collection("bookmarks")
  }

  /// The first state that fits; loops without a limit, as the test as a whole has one.
  private func wait(
    _ changes: Store.Changes<Bookmark>, until fits: (RecordList<Bookmark>) -> Bool
  ) async -> RecordList<Bookmark>? {
    for await state in changes {
      if case .loaded(let snapshot) = state, fits(snapshot.records) { return snapshot.records }
    }
    return nil
  }

  @Test func `a reader gets the present state at once and then each newer one`() async throws {
    let bookmarks = try await open("one")
    var states = bookmarks.changes.makeAsyncIterator()
    // The store reads meanwhile: when it is asked a second time it has told its readers of the first. The
    // first state is that of the beginning all the same.
    for _ in 0..<2 { try await bookmarks.store.settle() }
    guard case .loading = await states.next() else {
      Issue.record("nothing had been read when the loop began")
      return
    }
    guard case .loaded(let snapshot) = await states.next(), snapshot.records.isEmpty else {
      Issue.record("a newer state comes behind the first one")
      return
    }
    // What is cached comes at once, without 'loading' before it.
    var late = bookmarks.changes.makeAsyncIterator()
    guard case .loaded = await late.next() else {
      Issue.record("the cached state does not come at once")
      return
    }
    try await bookmarks.transaction { $0["a"] = Bookmark() }
    #expect(await wait(bookmarks.changes) { $0["a"] != nil } != nil)
    await bookmarks.store.close()
  }

  @Test func `many readers see what another process and a plain program write`() async throws {
    let (one, two) = (try await open("one"), try await open("two"))
    let found = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<8 {
        group.addTask {
          await wait(one.changes) { $0["plain"]?.title == "P" && $0["b"]?.title == "B" } != nil
        }
      }
      group.addTask {
        do {
          try await two.transaction {
            $0["b"] = Bookmark()
            $0["b"]?.title = "B"
          }
          try await two.store.settle()
          let file = URL(filePath: directory.path.string + "/bookmarks.json")
          let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
          let more = text.split(separator: "\"items\": [").joined(
            separator: #""items": [{"id": "plain", "title": "P"},"#)
          try Data(more.utf8).write(to: file, options: .atomic)
          return true
        } catch {
          Issue.record(error)
          return false
        }
      }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(found == 9)
    await one.store.close()
    await two.store.close()
  }

  @Test func `a reader that is cancelled or let go leaves nothing behind`() async throws {
    let bookmarks = try await open("one")
    let readers = { bookmarks.store.worker.channels.readerCount }
    let reading = Task {
      for await _ in bookmarks.changes {}
      return true
    }
    do {
      var held = bookmarks.changes.makeAsyncIterator()
      _ = await held.next()
      #expect(readers() >= 1)
    }
    reading.cancel()
    #expect(await reading.value)
    #expect(readers() == 0)
    await bookmarks.store.close()
  }

  @Test func `what cannot be read is told with the last state, and retried`() async throws {
    let bookmarks = try await open("one")
    try await bookmarks.transaction { $0["a"] = Bookmark() }
    let nodes = directory.path.string + "/.replicator/nodes"
    var (isAway, isFailing) = (false, false)
    reading: for await state in bookmarks.changes {
      switch state {
      case .loading: continue
      case .loaded:
        if isFailing { break reading }
        // One more of before may come until it is looked again.
        if isAway { continue }
        isAway = true
        try FileManager.default.moveItem(atPath: nodes, toPath: nodes + "-away")
        try Data().write(to: URL(filePath: nodes))
        bookmarks.retry()
      case .failed(_, let last):
        #expect(last?.records["a"] != nil)
        // It may be told twice, by the events of both changes.
        if isFailing { continue }
        isFailing = true
        try FileManager.default.removeItem(atPath: nodes)
        try FileManager.default.moveItem(atPath: nodes + "-away", toPath: nodes)
        bookmarks.retry()
      }
    }
    #expect(isFailing)
    await bookmarks.store.close()
  }

  @Test func `closing ends every loop, and later ones at once`() async throws {
    let bookmarks = try await open("one")
    let reading = Task {
      for await _ in bookmarks.changes {}
      return true
    }
    await bookmarks.store.close()
    #expect(await reading.value)
    for await _ in bookmarks.changes { Issue.record("a closed store has no states") }
  }

  @Test func `a state that cannot be read is told with the last one, and then the next`() async {
    let channels = Channels()
    let name = CollectionName(document: "a", collection: "items")
    let (first, later) = channels.states(of: name)
    guard case .loading = first else {
      Issue.record("nothing was told before")
      return
    }
    var states = later.makeAsyncIterator()
    channels.fail(name, .closed)
    guard case .failed(.closed, nil) = await states.next() else {
      Issue.record("a failure is told")
      return
    }
    channels.tell(name, .loading)
    channels.tell(name, .failed(.busy(path: "p"), nil))
    guard case .failed(.busy, _) = await states.next() else {
      Issue.record("who is slow gets the newest state alone")
      return
    }
  }
}
