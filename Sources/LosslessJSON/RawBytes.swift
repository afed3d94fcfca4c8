/// Comparing runs of bytes eight at a time.
enum RawBytes {
  static func areEqual(_ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    return left.withUnsafeBytes { left in right.withUnsafeBytes { areEqual(left, $0) } }
  }

  /// Whether two runs of the same length are equal.
  private static func areEqual(
    _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer
  ) -> Bool {
    precondition(left.count == right.count)
    var at = 0
    while at &+ 8 <= left.count {
      if left.loadUnaligned(fromByteOffset: at, as: UInt64.self)
        != right.loadUnaligned(fromByteOffset: at, as: UInt64.self)
      {
        return false
      }
      at &+= 8
    }
    while at < left.count {
      if left[at] != right[at] { return false }
      at &+= 1
    }
    return true
  }
}
