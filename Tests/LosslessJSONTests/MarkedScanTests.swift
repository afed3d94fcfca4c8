import Foundation
import Testing

@testable import LosslessJSON

/// The fast scanner beside the one that reads byte by byte, which a comment behind the text demands.
@Suite struct MarkedScanTests {
  private static let sound = [
    "{}", "[]", " [ ] ", "[[[[]]],{},{\"\":{}}]", "[1,-0,0.5,1e9,-12.25E-7,123456789012345]",
    "[1234567890123456,-1234567890.1234567890e+1234567890,10000000000000000000000000000000000]",
    "[true,false,null]", "[ true , false , null , 1 , \"a\" , [ ] , { } ]",
    "{\"a\":1,\"b\" : 2 ,\"c\"\n:\r\n{\"d\"\t:[]} , \"e\":\"f\"}\n",
    "{\"a\":[\n  1,\n  2\n],\"a\":{}}",
    "[\"\\\"\",\"\\\\\",\"\\\\\\\"\",\"\\u0041\\uD800\",\"a\\/\\b\\f\\n\\r\\t\"]",
    "[\"\\\\\\\\\\\\\\\\\"]", "[\"\",\"{[,:]}\",\"tr\\u0075e\",\"\u{7f}\"]",
    "[\"é\",\"設定\",\"😀\",\"a\u{0301}\"]", "{\"ключ\":\"значение\",\"鍵\":[\"値\"]}",
  ]
  private static let unsound = [
    "[1 2]", "[1,]", "[,1]", "[1,,2]", "[:]", "[1:2]", "[\"a\":1]", "[\"a\":]", "{\"a\"}",
    "{\"a\",}", "{\"a\",:1}", "{\"a\" , :1}", "{\"a\":1:}", "{\"a\"::1}", "{\"a\":,1}", "{,}",
    "{:}", "{1:2}", "{\"a\":1 \"b\":2}", "{\"a\" \"b\"}", "[1}", "{\"a\":1]", "[[1]", "[1]]",
    "[1],", "[1] 2", "[1]\"", "[", "{", "[\"", "[\"a", "[\"a\\", "[\"a\\\"", "[\"\\u12\"]",
    "[\"\\x\"]", "[\"\\\n\"]", "[\"\u{1f}\"]", "[\"a\nb\"]", "[01]", "[-]", "[-a]", "[+1]",
    "[.5]", "[1.]", "[1.e1]", "[1e]", "[1e+]", "[1e1.5]", "[1.5.5]", "[1e5e5]", "[1-2]",
    "[--1]", "[1a]", "[1\\]", "[1\"a\"]", "[1[]]", "[\"a\"1]", "[\"a\"\"b\"]", "[\"a\"\\]",
    "[true1]", "[truefalse]", "[tru]", "[True]", "[nul]", "[null\u{0}]", "[1\u{0}]", "[\u{0}]",
    "[1\u{0C}]", "[1\u{0C},2]", "[1\u{1A}2]", "[1\u{0B}]", "[\"a\"\u{0C}]", "[1]\u{0C}",
    "[\u{A0}1]", "[1\u{85}]", "\u{FEFF}[1]\u{FEFF}", "[é]", "[\u{7f}]", "[1]/",
    "[12345678901234567890123", "[1234567890123456e]", "[-01234567890123456]",
    "[1234567890123456.]", "[123456789012345.e1]", "{\"a\":1}{", "[]{", "[]]", "[}",
  ]

  @Test(arguments: sound)
  func `what is sound is scanned fast, with the same tape`(source: String) throws {
    try expectSame(bytes(source), isFast: true)
  }

  @Test(arguments: unsound)
  func `what is unsound is never accepted by the fast scanner`(source: String) throws {
    try expectSame(bytes(source), isFast: false)
  }

  @Test(arguments: sound)
  func `every beginning of a text and every changed byte is judged alike`(source: String) throws {
    let whole = bytes(source)
    for end in 0..<whole.count { try expectSame(Array(whole[..<end])) }
    for at in whole.indices {
      for byte in [0, 0x0C, 0x1A, 0x20, 0x22, 0x2C, 0x30, 0x3A, 0x5B, 0x5C, 0x5D, 0x65, 0x7D, 0xC3]
      {
        var changed = whole
        changed[at] = UInt8(byte)
        try expectSame(changed)
      }
    }
  }

  @Test(arguments: sound + unsound)
  func `a border between chunks or vectors may lie anywhere in a text`(source: String) throws {
    let isSound = Self.sound.contains(source)
    for border in [64, MarkedText.chunkLength, MarkedText.chunkLength + 64] {
      for before in max(0, border - source.utf8.count - 2)...border {
        let blanks = [UInt8](repeating: 0x20, count: before)
        try expectSame(blanks + bytes(source), isFast: isSound)
      }
    }
    let long = [UInt8](repeating: 0x20, count: 3 * MarkedText.chunkLength)
    try expectSame(long + bytes(source) + long, isFast: isSound)
  }

  @Test func `values longer than a chunk are scanned fast`() throws {
    let digits = String(repeating: "7", count: 2 * MarkedText.chunkLength)
    let letters = String(repeating: "é\\\\x", count: MarkedText.chunkLength)
    for source in ["[\(digits)]", "[-0.\(digits)e\(digits) ]", "{\"\(letters)\":\"\(letters)\"}"] {
      try expectSame(bytes(source), isFast: true)
      try expectSame(Array(bytes(source).dropLast()), isFast: false)
    }
    try expectSame(bytes("[" + String(repeating: "[],", count: 9999) + "{}]"), isFast: true)
    try expectSame(bytes(String(repeating: "[", count: 9999)), isFast: false)
    try expectSame(bytes("[\"a\(String(repeating: "\\", count: 9998))\"]"), isFast: true)
    try expectSame(bytes("[\"a\(String(repeating: "\\", count: 9999))\"]"), isFast: false)
  }

  @Test func `texts made of tokens are judged alike`() throws {
    let tokens = [
      "[", "]", "{", "}", ",", ":", "\"", "\"a\"", "\"é\\n\"", "\\", "1", "-2.5e3", "true", "null",
      " ",
      "\n", "\t", "x", "\u{0}", "\"b\":", ",", "[1,2]", "{\"c\":3}", "/", "12345678901234567",
    ]
    for seed in 0..<3000 {
      var random = SeededGenerator(seed: UInt64(seed))
      let source = (0..<random.below(40)).map { _ in random.pick(tokens) }.joined()
      try expectSame(bytes("[" + source), "seed \(seed)")
    }
  }

  @Test(.enabled(if: Vectors.directory != nil, "REPLICATOR_VECTORS has no JSONTestSuite"))
  func `the files of JSONTestSuite are judged alike`() throws {
    for file in try ["y_", "n_", "i_"].flatMap(SuiteTests.files) {
      let source = try [UInt8](Data(contentsOf: file))
      try expectSame(source, "\(file.lastPathComponent)")
      try expectSame(source + [UInt8](repeating: 0x20, count: 100), "\(file.lastPathComponent)")
    }
  }

  /// Checks that what the fast scanner accepts has the same tape from the other one, folded too, and
  /// that it accepts what it should.
  private func expectSame(
    _ source: [UInt8], isFast: Bool? = nil, _ name: Comment? = nil
  ) throws {
    for foldDepth in [Int.max, 1] {
      let fast = self.fast(source, foldDepth)
      let slow = try? JSONTree(
        parsing: source + bytes("/**/"), dialect: .jsonc, foldDepth: foldDepth, foldKey: "a")
      if let fast {
        #expect(fast == slow.map { words($0.storage.tape) }, name ?? "\(text(source))")
        #expect((try? JSONTree(parsing: source)) != nil, name ?? "\(text(source))")
      }
      if let isFast, cpuCanMark { #expect((fast != nil) == isFast, name ?? "\(text(source))") }
    }
  }

  private var cpuCanMark: Bool { MarkedText.isPossible(1) }

  /// The tape of the fast scanner alone, from memory with nothing behind it.
  private func fast(_ source: [UInt8], _ foldDepth: Int) -> [UInt64]? {
    guard cpuCanMark, !source.isEmpty else { return nil }
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: source.count)
    defer { memory.deallocate() }
    memory.initialize(from: source, count: source.count)
    let marked = MarkedText(memory, count: source.count, from: 0)
    defer { marked.deallocate() }
    var tape = TapeWriter(sourceCount: source.count)
    let isAccepted = bytes("a").withUnsafeBytes { name in
      MarkedScan(
        depthMax: 512, foldDepth: foldDepth, kept: KeptMember(text: memory, name: name)
      ).run(marked, &tape)
    }
    guard isAccepted else {
      tape.discard()
      return nil
    }
    let finished = tape.finish()
    defer { finished.deallocate() }
    return words(finished)
  }

  private func words(_ tape: JSONTape) -> [UInt64] {
    Array(UnsafeBufferPointer(start: tape.words, count: tape.count))
  }
}
