/// Where chance comes from.
package protocol Entropy: Sendable {
  func random64() -> UInt64
}

/// The kernel's random numbers.
package struct LiveEntropy: Entropy {
  package init() {}

  package func random64() -> UInt64 {
    var generator = SystemRandomNumberGenerator()
    return generator.next()
  }
}

/// Numbers that follow from a seed (SplitMix64), for tests and simulation.
package final class SeededEntropy: Entropy {
  private let state: Guarded<UInt64>

  package init(seed: UInt64) {
    state = Guarded(seed)
  }

  package func random64() -> UInt64 {
    state.withLock { state in
      state &+= 0x9E37_79B9_7F4A_7C15
      var word = state
      word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
      word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
      return word ^ (word >> 31)
    }
  }
}
