import CBytes
import Foundation
import Testing

#if arch(x86_64)
  /// Both ways to mark, of which a processor takes one.
  @Suite(.enabled(if: cbytes_can_mark_wide() == 1, "this processor has no wide registers"))
  struct MarksTests {
    private static let tokens = [
      "\"", "\\", "\\\"", "a", "é", "設", "😀", "{", "}", "[", "]", ",", ":", " ", "\n", "\u{1}",
      "\u{1A}",
      "\u{0C}", "\u{0}", "1", "-", "true", "\"key\":", "      ", "\\\\\\", "abcdefghijklmnop",
    ]

    @Test func `wide and narrow registers mark alike`() {
      for seed in 0..<2000 {
        var random = SeededGenerator(seed: UInt64(seed))
        var text: [UInt8] = []
        while text.count < 640 {
          text += random.pick(Self.tokens).utf8
          // Not only well-formed sequences.
          if random.chance(2) { text.append(UInt8(random.below(256))) }
        }
        let cut = 64 * random.below(11)
        let narrow = marks(of: text, cutAt: cut, cbytes_mark_avx2)
        let wide = marks(of: text, cutAt: cut, cbytes_mark_avx512)
        #expect(narrow.marks == wide.marks && narrow.carried == wide.carried, "seed \(seed)")
      }
    }

    private typealias Mark = (
      UnsafePointer<UInt8>?, Int, UInt32, UnsafeMutablePointer<UInt32>?,
      UnsafeMutablePointer<cbytes_marks>?
    ) -> Int

    /// The marks of 640 bytes in two pieces, and what is carried on.
    private func marks(
      of text: [UInt8], cutAt cut: Int, _ mark: Mark
    ) -> (marks: [UInt32], carried: [UInt8]) {
      var state = cbytes_marks()
      var marks: [UInt32] = []
      for piece in [0..<cut, cut..<640] {
        var output = [UInt32](repeating: 0, count: piece.count + 16)
        let count = mark(
          Array(text[piece]), piece.count, UInt32(piece.lowerBound), &output, &state)
        marks += output[..<count]
      }
      return (marks, withUnsafeBytes(of: &state) { Array($0) })
    }
  }

  /// What `Tools/processors` runs all tests of the parser with.
  @Suite struct InstructionTests {
    @Test func `a build for fewer instructions uses fewer`() {
      switch ProcessInfo.processInfo.environment["CBYTES_WIDEST"] {
      case "256": #expect(cbytes_can_mark_wide() == 0 && cbytes_can_mark() == 1)
      case "0": #expect(cbytes_can_mark() == 0 && cbytes_is_utf8([0x61], 1) == 0)
      // Where it is told nothing it takes what there is; both are the same where there is no more.
      default: #expect(cbytes_can_mark_wide() <= cbytes_can_mark())
      }
    }
  }
#endif
