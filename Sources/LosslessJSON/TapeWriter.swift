internal import CBytes

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
    // Real documents need a word for 6 to 15 bytes; memory that stays untouched costs nothing.
    capacity = sourceCount / 4 + 16
    words = Self.allocate(capacity)
  }

  /// Hands the memory to the finished tape.
  func finish() -> JSONTape { JSONTape(owning: words, count: count) }

  /// Forgets all words.
  mutating func clear() { count = 0 }

  func discard() { words.deallocate() }

  @inline(__always)
  mutating func append(_ word: UInt64) {
    if count == capacity { self = reserving(1) }
    appendReserved(word)
  }

  /// Appends without looking for room, which `reserving` made.
  @inline(__always)
  mutating func appendReserved(_ word: UInt64) {
    assert(count < capacity)
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

  /// Large memory comes in large pages where there are some: to get small ones takes as long as to scan.
  private static func allocate(_ capacity: Int) -> UnsafeMutablePointer<UInt64> {
    let length = capacity * MemoryLayout<UInt64>.stride
    guard length >= 4 << 20 else { return .allocate(capacity: capacity) }
    let memory = UnsafeMutableRawPointer.allocate(byteCount: length, alignment: 2 << 20)
    cbytes_prefer_large_pages(memory, length)
    return memory.bindMemory(to: UInt64.self, capacity: capacity)
  }

  /// The same tape with room for so many words more.
  @inline(never)
  func reserving(_ more: Int) -> TapeWriter {
    guard capacity - count < more else { return self }
    var larger = self
    larger.capacity = max(2 * capacity, count + more)
    larger.words = Self.allocate(larger.capacity)
    larger.words.moveInitialize(from: words, count: count)
    words.deallocate()
    return larger
  }
}
