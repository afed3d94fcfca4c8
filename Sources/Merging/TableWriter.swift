/// Writes what a checkpoint keeps: numbers as they lie in memory, and texts with their lengths.
///
/// Only the same release on the same machine reads it again.
package struct TableWriter {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  package mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }

  package mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  package mutating func append<Value: BitwiseCopyable>(_ value: Value) {
    withUnsafeBytes(of: value) { bytes += $0 }
  }

  /// A length in as few bytes as it needs; a negative number is written as 0.
  package mutating func append(length: Int) {
    var rest = UInt64(max(length, 0))
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  package mutating func append(raw: some Collection<UInt8>) { bytes += raw }

  package mutating func append(counted text: ArraySlice<UInt8>) {
    append(length: text.count)
    bytes += text
  }

  package mutating func append(text: String) { append(counted: Array(text.utf8)[...]) }

  package mutating func append(optional text: String?) {
    append(text == nil ? UInt8(0) : 1)
    if let text { append(text: text) }
  }

  package mutating func append<Value: BitwiseCopyable>(array: [Value]) {
    append(length: array.count)
    array.withUnsafeBytes { bytes += $0 }
  }
}

/// A table that does not say what was asked for.
package struct TableError: Error, Equatable, Sendable {
  package init() {}
}

/// Reads what a `TableWriter` wrote.
package struct TableReader {
  private let bytes: ArraySlice<UInt8>
  private var position: Int

  package init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  package var isAtEnd: Bool { position == bytes.endIndex }

  package mutating func value<Value: BitwiseCopyable>(
    _ type: Value.Type
  ) throws(TableError) -> Value {
    let range = try next(MemoryLayout<Value>.size)
    return bytes[range].withUnsafeBytes { $0.loadUnaligned(as: type) }
  }

  package mutating func length() throws(TableError) -> Int {
    var length: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let byte = try value(UInt8.self)
      guard shift < 63 else { throw TableError() }
      length |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { break }
      shift += 7
    }
    guard let length = Int(exactly: length) else { throw TableError() }
    return length
  }

  package mutating func countedBytes() throws(TableError) -> ArraySlice<UInt8> {
    bytes[try next(try length())]
  }

  package mutating func text() throws(TableError) -> String {
    String(decoding: try countedBytes(), as: UTF8.self)
  }

  package mutating func optionalText() throws(TableError) -> String? {
    try value(UInt8.self) == 0 ? nil : try text()
  }

  package mutating func array<Value: BitwiseCopyable>(
    _ type: Value.Type
  ) throws(TableError) -> [Value] {
    let count = try length()
    let (size, isTooLarge) = count.multipliedReportingOverflow(by: MemoryLayout<Value>.stride)
    guard !isTooLarge else { throw TableError() }
    let range = try next(size)
    return [Value](unsafeUninitializedCapacity: count) { buffer, filled in
      bytes[range].withUnsafeBytes {
        UnsafeMutableRawBufferPointer(buffer).copyMemory(from: $0)
      }
      filled = count
    }
  }

  package mutating func rest() -> ArraySlice<UInt8> {
    defer { position = bytes.endIndex }
    return bytes[position...]
  }

  private mutating func next(_ count: Int) throws(TableError) -> Range<Int> {
    guard count >= 0, count <= bytes.endIndex - position else { throw TableError() }
    defer { position += count }
    return position..<position + count
  }
}
