import SystemCalls
import Testing

@testable import Storage

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

  /// Text of records that compress well, in which some are changed.
  private func records(_ count: Int, changed: Set<Int> = [], without: Set<Int> = []) -> [UInt8] {
    var bytes: [UInt8] = []
    for number in 0..<count where !without.contains(number) {
      let name = changed.contains(number) ? "another, longer name" : "name"
      bytes += Array(
        "{\"id\":\(number &* 2_654_435_761 % 4_294_967_291),\"\(name)\":\"\(number)\"},\n".utf8)
    }
    return bytes
  }

  @Test func `of a large content only what is new is compressed`() throws {
    let bench = try StoreBench()
    let blobs = try blobs(bench, isCompressed: true)
    let base = records(60_000)
    let first = try blobs.write(base)
    let variants = [
      records(60_000, changed: [30_000]), records(60_000, changed: [0, 59_999]),
      records(60_000, changed: Set(stride(from: 500, to: 60_000, by: 9000))),
      records(60_000, without: Set(20_000..<45_000)), records(70_000), records(50_000),
      Array(base.reversed()), [0x20] + base, Array(base.dropFirst(700_000)), base + base,
    ]
    let chunks = try #require(try blobs.stored(first)?.chunked).chunks
    #expect(chunks.map(\.contentBytes).reduce(0, +) == base.count && chunks.count > 5)
    for (number, bytes) in variants.enumerated() {
      let hash = ContentHash(of: bytes)
      try blobs.write(bytes, hash: hash, like: [ContentHash(of: [1]), first])
      let stored = try #require(try blobs.stored(hash))
      #expect(try stored.read() == bytes)
      for known in [base, bytes, [], records(60_000, changed: [10, 40_000])] {
        var read: [UInt8] = []
        try stored.read(knowing: known[...]) { read += $0 }
        #expect(read == bytes, "variant \(number)")
      }
      let own = try #require(stored.chunked).chunks
      let taken = own.count { chunk in chunks.contains { $0.hash == chunk.hash } }
      if number == 0 || number == 7 { #expect(taken == chunks.count - 1 && own.count <= taken + 2) }
    }
  }

  @Test func `a damaged chunk is not handed out, and not taken over`() throws {
    let bench = try StoreBench()
    let blobs = try blobs(bench, isCompressed: true)
    let base = records(60_000)
    let hash = try blobs.write(base)
    let name = StoreLayout.generations("b") + "/" + hash.hex + ".zst"
    let file = try #require(try bench.store.readSmall(name))
    for place in stride(from: 11, to: file.count, by: file.count / 23) {
      var damaged = file
      damaged[place] ^= 1
      try bench.store.writeSmall(name, damaged)
      #expect(throws: StorageError.self) { try blobs.read(hash) }
      let changed = records(60_000, changed: [59_998])
      let other = ContentHash(of: changed)
      try blobs.write(changed, hash: other, like: [hash])
      #expect(try blobs.read(other) == changed)
      try blobs.remove(other)
      // It is noticed, and written again.
      try blobs.write(base)
      #expect(try blobs.read(hash) == base)
    }
    for end in [file.count - 1, file.count - 41, file.count / 2, 100] {
      try bench.store.writeSmall(name, Array(file[..<end]))
      #expect(throws: StorageError.self) { try blobs.read(hash) }
    }
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
