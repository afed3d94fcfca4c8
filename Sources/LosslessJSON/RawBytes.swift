internal import CBytes

/// Comparing and finding runs of bytes, many at a time.
package enum RawBytes {
  static func areEqual(_ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    return left.withUnsafeBytes { left in
      right.withUnsafeBytes { commonPrefix(left, $0) == left.count }
    }
  }

  /// Whether the bytes from an address on are these, of which there are mostly few.
  @inline(__always)
  static func areEqual(_ left: UnsafeRawPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    func differ<Word: FixedWidthInteger>(at place: Int, _ type: Word.Type) -> Bool {
      left.loadUnaligned(fromByteOffset: place, as: type)
        != right.loadUnaligned(fromByteOffset: place, as: type)
    }
    var at = 0
    while at &+ 8 <= right.count {
      if differ(at: at, UInt64.self) { return false }
      at &+= 8
    }
    // What is left, and some of what is known to be equal.
    if at > 0 { return at == right.count || !differ(at: right.count &- 8, UInt64.self) }
    if right.count >= 4 {
      return !differ(at: 0, UInt32.self) && !differ(at: right.count &- 4, UInt32.self)
    }
    while at < right.count {
      if differ(at: at, UInt8.self) { return false }
      at &+= 1
    }
    return true
  }

  /// How many bytes at the beginning are the same.
  package static func commonPrefix(
    _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer
  ) -> Int {
    let count = min(left.count, right.count)
    var at = 0
    while at &+ 32 <= count {
      var difference: UInt64 = 0
      for place in stride(from: at, to: at &+ 32, by: 8) {
        difference |=
          left.loadUnaligned(fromByteOffset: place, as: UInt64.self)
          ^ right.loadUnaligned(fromByteOffset: place, as: UInt64.self)
      }
      if difference != 0 { break }
      at &+= 32
    }
    while at &+ 8 <= count {
      let difference =
        left.loadUnaligned(fromByteOffset: at, as: UInt64.self)
        ^ right.loadUnaligned(fromByteOffset: at, as: UInt64.self)
      if difference != 0 { return at &+ difference.littleEndian.trailingZeroBitCount >> 3 }
      at &+= 8
    }
    while at < count, left[at] == right[at] { at &+= 1 }
    return at
  }

  /// How many bytes at the end are the same.
  package static func commonSuffix(
    _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer
  ) -> Int {
    let count = min(left.count, right.count)
    var at = 0
    while at &+ 8 <= count {
      let one = left.loadUnaligned(fromByteOffset: left.count &- at &- 8, as: UInt64.self)
      let other = right.loadUnaligned(fromByteOffset: right.count &- at &- 8, as: UInt64.self)
      if one != other { break }
      at &+= 8
    }
    while at < count, left[left.count &- at &- 1] == right[right.count &- at &- 1] { at &+= 1 }
    return at
  }

  /// Where the first run of these bytes begins; nil where there is none.
  package static func firstOffset(
    of needle: UnsafeRawBufferPointer, in haystack: UnsafeRawBufferPointer
  ) -> Int? {
    guard let start = haystack.baseAddress, let wanted = needle.baseAddress,
      let found = cbytes_find(start, haystack.count, wanted, needle.count)
    else { return nil }
    return start.distance(to: found)
  }
}
