import FoundationEssentials
import Replication
import SystemCalls
import TestSupport
import Testing
import UseCases
import Watching

@testable import ReplicatorKit

/// An application's own type, as in the README.
struct Bookmark: ForwardCompatibleRecord {
  struct Fields {
    let id = Field<RecordID>("id")
    let title = Field<String>("title")
    let tags = Field<[String]>("tags")
  }
  static let fields = Fields()
  var raw: RawJSON
}

struct StoreTests {
  private let directory: ScratchDirectory
  private var path: String { directory.path.string }

  init() throws { directory = try ScratchDirectory() }

  private func open(_ node: String) async throws -> Store.Collection<Bookmark> {
    let store = try await Store.open(
      at: path, node: node, documents: ["bookmarks"],
      // Other tests of this process have the one inotify of the library.
      watching: .polling(.adaptive))
    return try await store.collection("bookmarks")
  }

  private var file: URL { URL(filePath: path + "/bookmarks.json") }

  private func text() throws -> String {
    String(decoding: try Data(contentsOf: file), as: UTF8.self)
  }

  /// As a program does that knows of nobody else.
  private func write(_ text: String) throws {
    try Data(text.utf8).write(to: file, options: .atomic)
  }

  @Test func `a record is saved, read again and stands in the file`() async throws {
    let bookmarks = try await open("one")
    try await bookmarks.transaction { bookmarks in
      bookmarks["swift"] = Bookmark()
      bookmarks["swift"]?.title = "Swift"
    }
    #expect(try await bookmarks.read().records["swift"]?.title == "Swift")
    #expect(
      try text() == """
        {
          "schemaVersion": 1,
          "items": [
            {
              "id": "swift",
              "title": "Swift"
            }
          ]
        }

        """)
    await bookmarks.store.close()
  }

  @Test func `what an old program strips and a new one writes both survive`() async throws {
    let bookmarks = try await open("one")
    try await bookmarks.transaction { $0["a"] = Bookmark() }
    try await bookmarks.store.settle()
    // A newer release adds what nobody here knows.
    try write(
      #"{"schemaVersion": 1, "items": [{"id": "a", "title": "A", "later": {"deep": 1.0}}]}"#)
    try await bookmarks.store.settle()
    try await bookmarks.transaction { $0["a"]?.title = "B" }
    let record = try #require(try await bookmarks.read().records["a"])
    #expect(record.title == "B")
    #expect(record.unknownFields["/later"]?[member: "deep"]?.text == "1.0")
    #expect(try text().contains(#""deep": 1.0"#))
    await bookmarks.store.close()
  }

  @Test func `only the fields that were changed are written`() async throws {
    let (one, two) = (try await open("one"), try await open("two"))
    try await one.transaction { $0["a"] = Bookmark() }
    var late = try await two.read()
    try await one.transaction { $0["a"]?.title = "by one" }
    late.records["a"]?.tags = ["by two"]
    try await two.save(late)
    let record = try #require(try await one.read().records["a"])
    #expect(record.title == "by one" && record.tags == ["by two"])
    #expect(try await one.conflicts().isEmpty)
    await one.store.close()
    await two.store.close()
  }

  @Test func `status knows of an opened store as long as it is open`() async throws {
    let bookmarks = try await open("one")
    try await bookmarks.store.settle()
    func watcher() throws -> StatusResponse.Watcher {
      let session = try StoreSession(
        root: directory.path, nodeName: "one", surroundings: Surroundings.live)
      return try ReportStatus().execute(in: session).watcher
    }
    #expect(try watcher().mode == "polling" && watcher().processes == 1)
    await bookmarks.store.close()
    #expect(try watcher().mode == "none")
  }

  @Test func `a stale snapshot is a conflict, and what lost can be restored`() async throws {
    let (one, two) = (try await open("one"), try await open("two"))
    try await one.transaction {
      $0["a"] = Bookmark()
      $0["a"]?.title = "first"
    }
    var late = try await two.read()
    try await one.transaction { $0["a"]?.title = "by one" }
    late.records["a"]?.title = "by two"
    try await two.save(late)
    let shown = try #require(try await one.read().records["a"]?.title)
    let conflict = try #require(try await one.conflicts().first)
    #expect(conflict.kind == "concurrent" && conflict.path == "/title" && conflict.record == "a")
    #expect(conflict.kept?.value?.string == shown)
    let lost = try #require(conflict.discarded.first)
    #expect(Set([shown, lost.value?.string]) == ["by one", "by two"])
    try await one.restore(conflict)
    #expect(try await two.read().records["a"]?.title == lost.value?.string)
    #expect(try await two.conflicts().isEmpty)
    let values = try await one.history(of: "a").flatMap { [$0.kept] + $0.discarded }
    #expect(values.contains { $0?.value?.string == "first" })
    await one.store.close()
    await two.store.close()
  }

  @Test func `records are moved, and what others do meanwhile stays`() async throws {
    let (one, two) = (try await open("one"), try await open("two"))
    try await one.transaction { list in
      for id in ["a", "b", "c", "d"] { list[RecordID(id)] = Bookmark() }
    }
    var late = try await two.read()
    try await one.transaction {
      $0["a"]?.title = "edited"
      $0["e"] = Bookmark()
    }
    late.records.move("d", to: .first)
    late.records.move("a", to: .after("c"))
    late.records["f"] = Bookmark()
    late.records.move("f", to: .before("c"))
    #expect(late.records.map(\.id) == ["d", "b", "f", "c", "a"])
    try await two.save(late)
    let records = try await one.read().records
    #expect(records.map(\.id) == ["d", "b", "f", "c", "a", "e"])
    #expect(records["a"]?.title == "edited")
    #expect(try await one.conflicts().isEmpty)
    try await one.store.settle()
    let ids = try text().split(separator: "\"id\": \"").dropFirst().map { $0.prefix(1) }
    #expect(ids == ["d", "b", "f", "c", "a", "e"])
    await one.store.close()
    await two.store.close()
  }

  @Test
  func `what is moved to where it stands is no change, and nothing moves to what is not there`()
    async throws
  {
    let bookmarks = try await open("one")
    try await bookmarks.transaction { for id in ["a", "b"] { $0[RecordID(id)] = Bookmark() } }
    try await bookmarks.transaction { list in
      let stays = [list.move("a", to: .before("b")), list.move("b", to: .last)]
      let nowhere = [list.move("a", to: .after("x")), list.move("x", to: .first)]
      #expect(stays == [true, true] && nowhere == [false, false] && list.isUnchanged)
      list["b"] = nil
      let behindNone = list.move("a", to: .after("b"))
      list["b"] = Bookmark()
      let again = list.move("b", to: .first)
      #expect(!behindNone && again)
    }
    #expect(try await bookmarks.read().records.map(\.id) == ["b", "a"])
    await bookmarks.store.close()
  }

  @Test func `records are removed and made again`() async throws {
    let bookmarks = try await open("one")
    try await bookmarks.transaction {
      for id in ["a", "b", "c"] { $0[RecordID(id)] = Bookmark() }
    }
    try await bookmarks.transaction { $0["b"] = nil }
    #expect(try await bookmarks.read().records.map(\.id) == ["a", "c"])
    try await bookmarks.transaction { $0["b"] = Bookmark() }
    #expect(try await bookmarks.read().records.map(\.id) == ["a", "c", "b"])
    await bookmarks.store.close()
  }

  @Test func `a record put over another one keeps the unknown, one made anew does not`()
    async throws
  {
    try write(#"{"items": [{"id": "a", "later": 1.0, "title": "old"}]}"#)
    let bookmarks = try await open("one")
    try await bookmarks.transaction {
      $0["a"] = Bookmark()
      $0["a"]?.tags = ["t"]
    }
    var record = try #require(try await bookmarks.read().records["a"])
    #expect(record.unknownFields["/later"]?.text == "1.0" && record.id == "a")
    #expect(record.title == nil && record.tags == ["t"])
    try await bookmarks.transaction {
      $0["a"] = nil
      $0["a"] = Bookmark()
    }
    record = try #require(try await bookmarks.read().records["a"])
    #expect(record.raw.memberNames == ["id"])
    await bookmarks.store.close()
  }

  @Test func `a store that needs a newer release is neither read nor written`() async throws {
    let bookmarks = try await open("one")
    try await bookmarks.transaction { $0["a"] = Bookmark() }
    await bookmarks.store.close()
    let nodes = path + "/.replicator/nodes/"
    let name = try #require(try FileManager.default.contentsOfDirectory(atPath: nodes).first)
    let node = URL(filePath: nodes + name + "/node.json")
    let text = String(decoding: try Data(contentsOf: node), as: UTF8.self)
    let needing = text.split(separator: #""requires":[]"#).joined(
      separator: #""requires":["time-travel"]"#)
    try #require(needing != text)
    try Data(needing.utf8).write(to: node)
    let before = try self.text()
    await #expect {
      let later = try await open("two")
      _ = try await later.read()
    } throws: { error in
      guard case StoreError.needsNewerRelease(_, needs: let needs) = error else { return false }
      return needs.contains("time-travel")
    }
    #expect(try self.text() == before)
  }

  @Test func `nothing is saved when a transaction throws`() async throws {
    struct Stop: Error {}
    let bookmarks = try await open("one")
    await #expect(throws: Stop.self) {
      try await bookmarks.transaction {
        $0["a"] = Bookmark()
        throw Stop()
      }
    }
    #expect(try await bookmarks.read().records.isEmpty)
    await bookmarks.store.close()
  }

  @Test func `tasks that write at once all succeed`() async throws {
    let bookmarks = try await open("one")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<64 {
        group.addTask { try await bookmarks.transaction { $0[RecordID(number)] = Bookmark() } }
      }
      try await group.waitForAll()
    }
    #expect(try await bookmarks.read().records.count == 64)
    #expect(try await bookmarks.conflicts().isEmpty)
    await bookmarks.store.close()
  }

  @Test func `what tasks count up together adds up, without a conflict`() async throws {
    let bookmarks = try await open("one")
    try await bookmarks.transaction { $0["a"] = Bookmark() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          for round in 0..<5 {
            try await bookmarks.transaction { list in
              let (title, tags) = (list["a"]?.title ?? "0", list["a"]?.tags ?? [])
              list["a"]?.title = String((Int(title) ?? 0) + 1)
              list["a"]?.tags = tags + ["\(task)-\(round)"]
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let record = try #require(try await bookmarks.read().records["a"])
    #expect(record.title == "40" && record.tags?.count == 40)
    #expect(try await bookmarks.conflicts().isEmpty)
    await bookmarks.store.close()
  }

  @Test func `a document of another form is left alone`() async throws {
    let later = #"{"schemaVersion": 9, "items": [{"id": "a"}]}"#
    try write(later)
    let bookmarks = try await open("one")
    await #expect {
      try await bookmarks.transaction { $0["a"] = nil }
    } throws: { error in
      guard case StoreError.unsupportedSchemaVersion(9, supported: 1...1, document: _) = error
      else { return false }
      return true
    }
    await bookmarks.store.close()
    #expect(try text() == later)
  }

  @Test func `an id cannot be changed`() async throws {
    let bookmarks = try await open("one")
    try await bookmarks.transaction { $0["a"] = Bookmark() }
    var snapshot = try await bookmarks.read()
    snapshot.records["a"]?.raw[member: "id"] = RawJSON("b")
    await #expect(throws: StoreError.self) { try await bookmarks.save(snapshot) }
    #expect(try await bookmarks.read().records.map(\.id) == ["a"])
    await bookmarks.store.close()
  }

  @Test func `a document that is not there is named, and a closed store says so`() async throws {
    let bookmarks = try await open("one")
    await #expect {
      _ = try await bookmarks.store.collection("notes", of: Bookmark.self)
    } throws: { error in
      guard case StoreError.unknownDocument("notes", known: ["bookmarks"]) = error else {
        return false
      }
      return true
    }
    await bookmarks.store.close()
    await #expect {
      _ = try await bookmarks.read()
    } throws: { error in
      guard case StoreError.closed = error else { return false }
      return true
    }
  }
}
