/// A tape while it is being written.
///
/// A plain value, so that it can live in registers while the scanner runs; who holds the last copy
/// frees the memory or makes a tape of it.
/// Invariant: the words in 0..<count are initialised.
struct TapeWriter {
  private var words: UnsafeMutablePointer<UInt64>
  private(set) var count = 0
  private var capacity: Int

  init(sourceCount: Int) {
    // Real documents need a word for 10 to 15 bytes; memory that stays untouched costs nothing.
    capacity = sourceCount / 8 + 16
    words = .allocate(capacity: capacity)
  }

  /// Hands the memory to the finished tape.
  func finish() -> JSONTape { JSONTape(owning: words, count: count) }

  func discard() { words.deallocate() }

  @inline(__always)
  mutating func append(_ word: UInt64) {
    if count == capacity { self = grown() }
    words[count] = word
    count &+= 1
  }

  /// Puts one word in the place of all from an index below the count on.
  @inline(__always)
  mutating func fold(from index: Int, into word: UInt64) {
    assert(index < count)
    words[index] = word
    count = index &+ 1
  }

  /// The word at an index below the count.
  @inline(__always)
  subscript(index: Int) -> UInt64 {
    get {
      assert(index < count)
      return words[index]
    }
    nonmutating set {
      assert(index < count)
      words[index] = newValue
    }
  }

  @inline(never)
  private func grown() -> TapeWriter {
    var larger = self
    larger.capacity *= 2
    larger.words = .allocate(capacity: larger.capacity)
    larger.words.moveInitialize(from: words, count: count)
    words.deallocate()
    return larger
  }
}
