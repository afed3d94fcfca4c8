import Storage
import SystemCalls
import Testing

struct BlobStoreTests {
  private func blobs(_ bench: StoreBench, isCompressed: Bool) throws -> BlobStore {
    try bench.store.makeDirectories(StoreLayout.generations("b"))
    return BlobStore(
      bench.store, directory: StoreLayout.generations("b"), isCompressed: isCompressed)
  }

  @Test(arguments: [true, false])
  func `content comes back under its hash and is stored once`(isCompressed: Bool) throws {
    let bench = try StoreBench()
    let blobs = try blobs(bench, isCompressed: isCompressed)
    let contents = [[], Array("text".utf8), [UInt8](repeating: 7, count: 100_000)]
    for bytes in contents {
      let hash = try blobs.write(bytes)
      #expect(hash == ContentHash(of: bytes))
      #expect(try blobs.write(bytes) == hash)
      #expect(try blobs.read(hash) == bytes)
    }
    let list = try blobs.list()
    #expect(Set(list.map(\.hash)) == Set(contents.map { ContentHash(of: $0) }))
    let largest = list.map(\.storedBytes).max() ?? 0
    #expect(isCompressed ? largest < 1000 : largest == 100_000)
    #expect(try blobs.remove(ContentHash(of: [])))
    #expect(try !blobs.remove(ContentHash(of: [])))
    #expect(try blobs.read(ContentHash(of: [])) == nil)
  }

  @Test(arguments: [true, false])
  func `a large content is read in pieces, and half a file is none`(isCompressed: Bool) throws {
    let bench = try StoreBench()
    let blobs = try blobs(bench, isCompressed: isCompressed)
    let bytes = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) }
    let hash = try blobs.write(bytes)
    var pieces: [[UInt8]] = []
    let stored = try #require(try blobs.stored(hash))
    #expect(stored.contentBytes == bytes.count)
    try stored.read { pieces.append(Array($0)) }
    #expect(pieces.flatMap { $0 } == bytes)
    #expect(isCompressed ? pieces.count > 3 : pieces.count == 1)
    let name = StoreLayout.generations("b") + "/" + hash.hex + (isCompressed ? ".zst" : "")
    let file = try #require(try bench.store.readSmall(name))
    try bench.store.writeSmall(name, Array(file.dropLast(file.count / 2)))
    #expect(throws: StorageError.self) { try blobs.stored(hash)?.read { _ in } }
  }

  @Test(arguments: [true, false])
  func `damaged content is not handed out and is written again`(isCompressed: Bool) throws {
    let bench = try StoreBench()
    let blobs = try blobs(bench, isCompressed: isCompressed)
    let bytes = Array("content".utf8)
    let hash = try blobs.write(bytes)
    let name = StoreLayout.generations("b") + "/" + hash.hex + (isCompressed ? ".zst" : "")
    for damage in [Array("garbage".utf8), []] {
      try bench.store.writeSmall(name, damage)
      #expect(throws: StorageError.self) { try blobs.read(hash) }
    }
    try blobs.write(bytes)
    #expect(try blobs.read(hash) == bytes)
  }

  @Test func `the oldest backups go first and only those that may`() throws {
    let bench = try StoreBench()
    try bench.store.makeDirectories(StoreLayout.backups("b"))
    let texts = ["a", "b", "c", "d"]
    for (number, text) in texts.enumerated() {
      let bytes = Array(text.utf8)
      let name = StoreLayout.backup(
        milliseconds: UInt64(number), hash: ContentHash(of: bytes))
      try bench.store.writeSmall(StoreLayout.backups("b") + "/" + name, bytes)
    }
    let all = try bench.store.backups(of: "b")
    #expect(all.map(\.milliseconds) == [0, 1, 2, 3])
    #expect(try bench.store.readBackup(all[2], of: "b") == Array("c".utf8))
    let removed = try bench.store.pruneBackups(of: "b", keep: 1) { $0.milliseconds != 1 }
    #expect(removed.map(\.milliseconds) == [0, 2])
    #expect(try bench.store.backups(of: "b").map(\.milliseconds) == [1, 3])
    try bench.store.writeSmall(StoreLayout.backups("b") + "/" + all[3].name, [0])
    #expect(throws: StorageError.self) { try bench.store.readBackup(all[3], of: "b") }
  }
}
