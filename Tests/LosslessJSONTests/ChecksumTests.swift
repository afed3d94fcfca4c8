import LosslessJSON
import Testing

@Suite struct ChecksumTests {
  @Test func `known checksums come out`() {
    // From xxHash's own sanity tests: XXH3 of nothing, seed 0.
    #expect(XXH3.hash64([UInt8]()) == 0x2D06_8005_38D3_94C2)
    #expect(XXH3.hash128([UInt8]()).description == "99aa06d3014798d86001c324468d497f")
    #expect(XXH3.hash64(bytes("abc")) == 0x78AF_5F94_892F_3950)
    #expect(XXH3.hash64(bytes("abc"), seed: 1) != XXH3.hash64(bytes("abc")))
  }

  @Test func `array, slice and buffer give one checksum`() {
    let data = bytes(String(repeating: "0123456789", count: 50))
    let padded = [0xFF] + data
    #expect(XXH3.hash64(data, seed: 7) == XXH3.hash64(padded[1...], seed: 7))
    #expect(XXH3.hash128(data) == XXH3.hash128(padded[1...]))
    #expect(data.withUnsafeBytes { XXH3.hash64($0, seed: 7) } == XXH3.hash64(data, seed: 7))
  }

  @Test(
    arguments: [
      (0, "0000000000000000"), (1, "0000000000000001"), (.max, "ffffffffffffffff"),
      (0x0123_4567_89AB_CDEF, "0123456789abcdef"),
    ] as [(UInt64, String)])
  func `numbers are 16 lower-case digits`(value: UInt64, digits: String) {
    #expect(Hex.string(value) == digits)
    #expect(Hex.value(of: bytes(digits)) == value)
  }

  @Test(arguments: [
    "", "0", "00000000000000000", "000000000000000g", "ABCDEF0123456789", "0x00000000000000",
    " 000000000000001",
  ])
  func `other spellings of a number are refused`(digits: String) {
    #expect(Hex.value(of: bytes(digits)) == nil)
  }

  @Test func `128 bits are 32 digits and ordered by the high half`() {
    let hash = XXH128(high: 1, low: .max)
    #expect(text(hash.hex) == "0000000000000001ffffffffffffffff")
    #expect(XXH128(hex: hash.hex) == hash)
    #expect(XXH128(hex: hash.hex.dropLast()) == nil)
    #expect(XXH128(hex: bytes("0000000000000001FFFFFFFFFFFFFFFF")) == nil)
    #expect(hash < XXH128(high: 2, low: 0))
  }
}
