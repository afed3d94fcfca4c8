import CXXHash

/// The checksum that ends every line of a log or journal.
///
/// A sealed line is `{…,"sum":"<16 hex digits>"}` and a newline. The sum is XXH3-64 (seed 0) of
/// all bytes from `{` up to and including the one before `,"sum":"`.
package enum LineSeal {
  /// Seals the object that lies in `bytes` from `start` to the end, and ends the line.
  ///
  /// The object must have a member, must not have a `sum` and must hold no newline; anything else
  /// is a mistake of the caller and traps.
  /// - Returns: the sum, which the next line carries as its `prev`.
  @discardableResult
  package static func seal(_ bytes: inout [UInt8], from start: Int = 0) -> UInt64 {
    precondition(bytes.count - start > 2, "a sealed line needs a member")
    precondition(bytes[start] == UInt8(ascii: "{"), "a sealed line is a JSON object")
    let closing = bytes.removeLast()
    precondition(closing == UInt8(ascii: "}"), "a sealed line is a whole JSON object")
    let sum = bytes.withUnsafeBytes { buffer in
      let line = UnsafeRawBufferPointer(rebasing: buffer[start...])
      precondition(!line.contains(UInt8(ascii: "\n")), "a sealed line is one line")
      return XXH3_64bits(line.baseAddress, line.count)
    }
    bytes.append(contentsOf: opening)
    appendHex(sum, to: &bytes)
    bytes.append(contentsOf: ending)
    bytes.append(UInt8(ascii: "\n"))
    return sum
  }

  /// The sum of a sealed line if it agrees with the bytes; `line` may end with its newline.
  package static func verify(_ line: ArraySlice<UInt8>) -> UInt64? {
    line.withUnsafeBytes { verify($0) }
  }

  package static func verify(_ bytes: [UInt8]) -> UInt64? {
    bytes.withUnsafeBytes { verify($0) }
  }

  package static func verify(_ line: UnsafeRawBufferPointer) -> UInt64? {
    var count = line.count
    if count > 0, line[count - 1] == UInt8(ascii: "\n") { count -= 1 }
    let body = count - opening.count - 16 - ending.count
    guard body > 1, line[0] == UInt8(ascii: "{") else { return nil }
    guard line[body..<body + opening.count].elementsEqual(opening) else { return nil }
    let digits = body + opening.count
    guard line[(digits + 16)..<count].elementsEqual(ending) else { return nil }
    guard let sum = hexValue(line[digits..<digits + 16]) else { return nil }
    return XXH3_64bits(line.baseAddress, body) == sum ? sum : nil
  }

  private static let opening = Array(#","sum":""#.utf8)
  private static let ending = Array(#""}"#.utf8)
}
