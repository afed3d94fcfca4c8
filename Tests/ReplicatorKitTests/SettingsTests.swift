import FoundationEssentials
import SystemCalls
import TestSupport
import Testing
import Watching

@testable import ReplicatorKit

/// Settings of an application: a document that is one record.
private struct Settings: ForwardCompatibleRecord {
  struct Fields {
    let theme = Field<String>("theme")
    let size = Field<Int>("size")
    let window = Field<Window>("window")
  }
  struct Window: ForwardCompatibleRecord {
    struct Fields {
      let width = Field<Int>("width")
    }
    static let fields = Fields()
    var raw: RawJSON
  }
  static let fields = Fields()
  var raw: RawJSON
}

struct SettingsTests {
  private let directory: ScratchDirectory
  private var file: URL { URL(filePath: directory.path.string + "/settings.json") }

  private static let empty = "{\n  \"schemaVersion\": 1\n}\n"

  init() throws { directory = try ScratchDirectory() }

  private func open(_ node: String = "one") async throws -> Store.Collection<Settings> {
    let store = try await Store.open(
      at: directory.path.string, node: node, documents: [.record("settings")],
      // Other tests of this process have the one inotify of the library.
      watching: .polling(.adaptive))
    return try await store.collection("settings")
  }

  private func text() throws -> String {
    String(decoding: try Data(contentsOf: file), as: UTF8.self)
  }

  @Test func `settings are one record that is there from the start`() async throws {
    let settings = try await open()
    #expect(try text() == Self.empty)
    try await settings.transaction { list in
      list[.document]?.theme = "dark"
      list[.document]?.window = Settings.Window()
      list[.document]?.window?.width = 80
    }
    await settings.store.close()
    let again = try await open()
    let records = try await again.read().records
    #expect(records.map(\.id) == [.document])
    #expect(records[.document]?.theme == "dark" && records[.document]?.window?.width == 80)
    #expect(try RawJSON(parsing: try text()).hasSameValue(as: #require(records[.document]).raw))
    await again.store.close()
  }

  @Test func `what others write into settings is merged by field and has a history`() async throws {
    let settings = try await open()
    try await settings.transaction { $0[.document]?.theme = "dark" }
    var form = try await settings.read()
    try Data(#"{"theme": "light", "later": {"x": 1.0}}"#.utf8).write(to: file, options: .atomic)
    try await settings.store.settle()
    form.records[.document]?.size = 12
    try await settings.save(form)
    let record = try #require(try await settings.read().records[.document])
    #expect(record.theme == "light" && record.size == 12)
    #expect(record.unknownFields["/later"]?[member: "x"]?.text == "1.0")
    let history = try await settings.history(of: .document)
    #expect(history.contains { $0.path == "/theme" && $0.discarded.first?.value?.string == "dark" })
    form.records[.document]?.theme = "blue"
    try await settings.save(form)
    #expect(try await settings.conflicts().first?.path == "/theme")
    await settings.store.close()
  }

  @Test func `settings are neither deleted nor made`() async throws {
    let settings = try await open()
    for change in [
      { $0[.document] = nil } as @Sendable (inout RecordList<Settings>) -> Void,
      { $0["other"] = Settings() },
    ] {
      await #expect(throws: StoreError.self) { try await settings.transaction(change) }
    }
    #expect(try text() == Self.empty)
    await settings.store.close()
  }
}
