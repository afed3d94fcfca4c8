import Storage
import SystemCalls
import TestSupport
import Testing

struct StoreLayoutTests {
  @Test func `segment names sort by epoch and number and come back from their text`() {
    let names = [
      SegmentName(epoch: 1, number: 2), SegmentName(epoch: 1, number: 10),
      SegmentName(epoch: 2, number: 1),
    ]
    #expect(names.map(\.fileName).first == "00000001-00000002.jsonl")
    #expect(names.sorted() == names)
    #expect(names.map(\.fileName).sorted() == names.map(\.fileName))
    for name in names { #expect(SegmentName(fileName: name.fileName) == name) }
    #expect(SegmentName(epoch: nil, number: 3).fileName == "00000003.jsonl")
    #expect(SegmentName(fileName: "00000001-00000002.jsonl.zst") == names[0])
    #expect(SegmentName(fileName: "00000003.jsonl") == SegmentName(epoch: nil, number: 3))
  }

  @Test(arguments: [
    "", ".jsonl", "1.jsonl", "00000001-0000002.jsonl", "0000000a.jsonl", "00000001.json",
    "00000001-00000002.jsonl.zst.zst", "00000001-00000002.zst", "+0000001.jsonl",
    "000000010-0000002.jsonl",
  ])
  func `other names are no segments`(name: String) {
    #expect(SegmentName(fileName: name) == nil)
  }

  @Test func `temporary names are read back exactly`() {
    let hash = ContentHash(of: [1, 2, 3])
    let ready = TemporaryName.ready(of: "a.json", id: 7, hash: hash)
    #expect(ready == ".a.json.0000000000000007.\(hash.hex).ready")
    #expect(TemporaryName.parse(ready, of: "a.json") == .ready(hash))
    #expect(TemporaryName.parse(ready, of: "b.json") == nil)
    #expect(TemporaryName.parse(".a.json.0000000000000007.part", of: "a.json") == .part)
    #expect(TemporaryName.parse(".a.json.0000000000000007.part", of: "a") == nil)
  }

  @Test func `a binding is named by the hash of the real path`() throws {
    let scratch = try ScratchDirectory()
    let directory = try scratch.open()
    try directory.open("doc", [.write, .create]).close()
    try directory.makeSymbolicLink("link", to: "doc")
    let files = FileStore(system: LiveFileSystem(), entropy: LiveEntropy())
    let direct = try files.place(of: scratch.path.appending("doc"))
    let linked = try files.place(of: scratch.path.appending("link"))
    #expect(direct == linked)
    #expect(direct.bindingID == StoreLayout.bindingID(realPath: direct.path))
    #expect(direct.bindingID.utf8.count == 16)
  }

  @Test func `hashes and their digits are one to one`() {
    let hash = ContentHash(of: Array("hello".utf8))
    #expect(ContentHash(hex: hash.hex) == hash)
    #expect(hash.hex.hasPrefix(hash.shortHex))
    #expect(ContentHash(hex: hash.hex.uppercased()) == nil)
    #expect(ContentHash(hex: "00") == nil)
  }

  @Test func `backups tell their time and hash`() throws {
    let hash = ContentHash(of: [])
    let name = StoreLayout.backup(milliseconds: 5, hash: hash)
    let parsed = try #require(StoreLayout.parseBackup(name))
    #expect(parsed.milliseconds == 5)
    #expect(parsed.shortHash == hash.shortHex)
    #expect(StoreLayout.parseBackup("5-\(hash.shortHex)") == nil)
  }
}
