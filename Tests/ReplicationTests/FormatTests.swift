import LosslessJSON
import Merging
import Records
import Storage
import SystemCalls
import Testing

@testable import Replication

/// A store of format 1 as release 0.1.0 wrote it: it must be read to the same state for ever.
///
/// The files below Tests/Fixtures/Formats/v1 are never made anew. A format that reads them
/// otherwise is another format.
struct FormatTests {
  static let fixture = FilePath(#filePath).parent.parent.appending("Fixtures/Formats/v1")
  static let store = fixture.appending("store")
  /// The binding of the document in the place where the store was made.
  static let binding = "e7a9d5170f0f75a6"

  static func bytes(_ name: String) throws -> [UInt8] {
    let file = try FileDescriptor.open(fixture.appending(name), .read, system: LiveFileSystem())
    return try file.read(at: 0, count: Int(file.status().sizeBytes))
  }

  static func replica() throws -> Replica {
    try Replica(
      root: store,
      surroundings: Surroundings(
        system: LiveFileSystem(), clock: SetWallClock(milliseconds: 1_800_000_000_000),
        entropy: SeededEntropy(seed: 1), machineID: "m", bootID: "b", release: "test"))
  }

  @Test func `a store of format 1 shows what it showed`() throws {
    let replica = try Self.replica()
    #expect(replica.readers.count == 2 && replica.obstacles.isEmpty && replica.refused.isEmpty)
    #expect(replica.readers.values.allSatisfy { $0.damage.isEmpty && $0.problems.isEmpty })
    #expect(!replica.state.isWaiting)
    #expect(replica.configurationProblem == nil)
    #expect(
      replica.render(try replica.document(named: "hosts")) == (try Self.bytes("store/hosts.json")))
    #expect(
      replica.render(try replica.document(named: "library"))
        == (try Self.bytes("store/library.json")))
    #expect(
      replica.render(.configuration) == (try Self.bytes("store/.replicator/config.json")))
  }

  @Test func `its log of decisions reads as it read`() throws {
    let replica = try Self.replica()
    let entries = try replica.allEntries() + replica.overwrites()
    let lines = try Self.bytes("log.jsonl").split(separator: UInt8(ascii: "\n"))
    #expect(entries.count == lines.count)
    for line in lines {
      let root = try JSONTree(parsing: line).root
      let id = try root.requireField("id").hex()
      let entry = try #require(entries.first { $0.id == id })
      #expect(entry.kind.rawValue == (try root.requireField("kind").string()))
      #expect(Timestamp.rfc3339(entry.time) == (try root.requireField("time").string()))
      let discarded =
        root.field("discarded").map { $0.elements.map { $0.field("value")?.text } } ?? []
      #expect(entry.discarded.map(\.value) == discarded)
      #expect(entry.kept?.value == root.field("kept")?.field("value")?.text)
    }
    for reader in replica.readers.keys {
      let journal = JournalFile(store: replica.store, node: reader)
      try journal.refresh()
      #expect(journal.unreadableCount == 0 && journal.entries.count == 2)
    }
  }

  @Test func `its binding, its generations and what it held can be read`() throws {
    let replica = try Self.replica()
    let binding = try #require(try replica.binding(id: Self.binding))
    #expect(binding.document == "hosts" && binding.path == "/home/user/store/hosts.json")
    #expect(binding.nodes.count == 2)
    let generations = try GenerationStore(
      store: replica.store, bindingID: Self.binding,
      shape: try replica.document(named: "hosts").shape)
    #expect(!generations.isDamaged)
    #expect(generations.index.last == 5)
    #expect(generations.index.entries.map(\.kind).count { $0 == .snapshot } == 2)
    #expect(generations.index.over != nil)
    for entry in generations.index.entries {
      #expect(generations.document(entry) != nil)
      #expect(replica.state.context.includes(entry.context))
    }
    let present = try #require(generations.index.present)
    #expect(generations.bytes(present) == (try Self.bytes("store/hosts.json")))
    let held = try #require(
      try replica.allEntries().first { $0.kind == .bulkDeleteHeld })
    let path = "store/.replicator/" + HeldRewrite.path(Self.binding, entry: held.id)
    let rewrite = try HeldRewrite(parsing: try Self.bytes(path))
    #expect(rewrite.entry == held.id && rewrite.hash == held.bytes && rewrite.client == "hosts-1")
    #expect(
      try LocalNodes(parsing: try Self.bytes("store/.replicator/local/nodes.json")).nodes.count == 2
    )
  }

  @Test func `what is written for it today has the same form`() throws {
    // Reading and writing again must give the same bytes, or a file of today is another format.
    let index = "store/.replicator/local/bindings/\(Self.binding)/generations/index.json"
    #expect(try GenerationIndex(parsing: try Self.bytes(index)).json == (try Self.bytes(index)))
    let binding = "store/.replicator/local/bindings/\(Self.binding)/binding.json"
    #expect(try Binding(parsing: try Self.bytes(binding)).json == (try Self.bytes(binding)))
    let replica = try Self.replica()
    for (id, reader) in replica.readers {
      let node = "store/.replicator/nodes/\(Hex.string(id.raw))/node.json"
      #expect(reader.description?.json == (try Self.bytes(node)))
    }
  }
}
