/// Numbers by the hashes of lines: open addressing over keys that are spread already.
struct HashIndex {
  private var keys: [UInt64] = []
  /// Of each slot the number, or `free`.
  private var numbers: [UInt32] = []
  private(set) var count = 0

  private static let free = UInt32.max

  init() {}

  /// The index of some hashes by their places.
  init(_ rows: [TransactionRow]) {
    grow(to: rows.count)
    for (number, row) in rows.enumerated() { self[row.hash] = UInt32(number) }
  }

  subscript(hash: LineHash) -> UInt32? {
    get {
      guard count > 0 else { return nil }
      let number = numbers[slot(of: hash.raw)]
      return number == Self.free ? nil : number
    }
    set {
      guard let newValue else { preconditionFailure("nothing is taken out of the index") }
      if (count + 1) * 2 > keys.count { grow(to: max(8, count * 2)) }
      let slot = slot(of: hash.raw)
      if numbers[slot] == Self.free { count += 1 }
      keys[slot] = hash.raw
      numbers[slot] = newValue
    }
  }

  /// Where a hash is, or would be.
  private func slot(of key: UInt64) -> Int {
    // Folded, so that hashes of any pattern are spread over few slots.
    let product = key.multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    let mask = keys.count - 1
    var slot = Int(truncatingIfNeeded: product.high ^ product.low) & mask
    while numbers[slot] != Self.free, keys[slot] != key { slot = (slot + 1) & mask }
    return slot
  }

  /// Makes room for so many, at most half of the slots taken.
  private mutating func grow(to capacity: Int) {
    let (oldKeys, oldNumbers) = (keys, numbers)
    var size = 16
    while size < capacity * 2 + 2 { size *= 2 }
    keys = [UInt64](repeating: 0, count: size)
    numbers = [UInt32](repeating: Self.free, count: size)
    for (key, number) in zip(oldKeys, oldNumbers) where number != Self.free {
      let slot = slot(of: key)
      keys[slot] = key
      numbers[slot] = number
    }
  }
}
