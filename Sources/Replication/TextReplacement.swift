import LosslessJSON
import Merging
import Storage

/// A document in which a few records have another text than in a content that is known by its hash.
///
/// A record's text that is there once is where the record is; then neither document need be taken apart.
struct TextReplacement {
  let changes: [MergeState.ChangedText]

  /// The bytes with the new texts in the place of the old ones; nil where one of those is there twice.
  func applied(to bytes: [UInt8]) -> [UInt8]? {
    var places: [(range: Range<Int>, text: JSONText)] = []
    for change in changes {
      guard let range = Self.onlyRange(of: change.old, in: bytes) else { return nil }
      places.append((range, change.new))
    }
    places.sort { $0.range.lowerBound < $1.range.lowerBound }
    var result: [UInt8] = []
    result.reserveCapacity(
      bytes.count + changes.reduce(0) { $0 + $1.new.bytes.count - $1.old.bytes.count })
    var copied = 0
    for (range, text) in places {
      guard range.lowerBound >= copied else { return nil }
      result += bytes[copied..<range.lowerBound]
      result += text.bytes
      copied = range.upperBound
    }
    return result + bytes[copied...]
  }

  /// Whether bytes are what `applied` makes of the content with a hash.
  ///
  /// - Complexity: each of the texts is looked for, and all bytes are hashed; nothing is copied.
  func leads(to bytes: [UInt8], from hash: ContentHash) -> Bool {
    // With several the old texts would have to be looked for in each other's surroundings.
    guard changes.count == 1, let change = changes.first,
      let range = Self.onlyRange(of: change.new, in: bytes),
      Self.offset(of: change.old, in: bytes[...]) == nil
    else { return false }
    let reach = change.old.bytes.count - 1
    let around =
      bytes[max(0, range.lowerBound - reach)..<range.lowerBound] + change.old.bytes
      + bytes[range.upperBound..<min(bytes.count, range.upperBound + reach)]
    guard Self.onlyRange(of: change.old, in: Array(around)) != nil else { return false }
    return ContentHash(ofPieces: [
      bytes[..<range.lowerBound], change.old.bytes, bytes[range.upperBound...],
    ]) == hash
  }

  /// Where a text is, if it is there once.
  private static func onlyRange(of text: JSONText, in bytes: [UInt8]) -> Range<Int>? {
    guard let start = offset(of: text, in: bytes[...]),
      offset(of: text, in: bytes[(start + 1)...]) == nil
    else { return nil }
    return start..<start + text.bytes.count
  }

  private static func offset(of text: JSONText, in bytes: ArraySlice<UInt8>) -> Int? {
    let offset = bytes.withUnsafeBytes { bytes in
      text.bytes.withUnsafeBytes { RawBytes.firstOffset(of: $0, in: bytes) }
    }
    return offset.map { bytes.startIndex + $0 }
  }
}
