import LosslessJSON

/// The bytes of a text.
func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

/// The text of some bytes, for messages and comparisons.
func text(_ bytes: some Collection<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

func parse(_ text: String, _ dialect: JSONDialect = .json) throws -> JSONTree {
  try JSONTree(parsing: bytes(text), dialect: dialect)
}

func path(_ text: String) throws -> JSONPointer { try JSONPointer(parsing: text) }

/// SplitMix64: a test that fails names its seed, and the seed brings the failure back.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }

  mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

  mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

  mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }
}
