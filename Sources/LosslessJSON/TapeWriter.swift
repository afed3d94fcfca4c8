/// A tape while it is being written; a struct, so that the scanner pays for no shared access.
///
/// Invariant: the words in 0..<count are initialised.
struct TapeWriter: ~Copyable {
  private var words: UnsafeMutablePointer<UInt64>
  private(set) var count = 0
  private var capacity: Int

  init(sourceCount: Int) {
    // Real documents need a word for 10 to 15 bytes; memory that stays untouched costs nothing.
    capacity = sourceCount / 8 + 16
    words = .allocate(capacity: capacity)
  }

  deinit {
    words.deallocate()
  }

  /// Hands the memory to the finished tape.
  consuming func finish() -> JSONTape {
    let tape = JSONTape(owning: words, count: count)
    discard self
    return tape
  }

  @inline(__always)
  mutating func append(_ word: UInt64) {
    if count == capacity { grow() }
    words[count] = word
    count &+= 1
  }

  /// Gives a container, whose extent is known only now, its word.
  @inline(__always)
  mutating func close(_ container: Int) {
    assert(container < count)
    words[container] |= UInt64(truncatingIfNeeded: count) << 32
  }

  @inline(__always)
  func kind(_ index: Int) -> TapeKind {
    assert(index < count)
    return JSONTape.kind(of: words[index])
  }

  private mutating func grow() {
    let larger = UnsafeMutablePointer<UInt64>.allocate(capacity: capacity * 2)
    larger.moveInitialize(from: words, count: count)
    words.deallocate()
    words = larger
    capacity *= 2
  }
}
