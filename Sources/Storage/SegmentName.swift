/// The file name of one segment, in the order in which segments were begun.
package struct SegmentName: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The writer's epoch; nil in journals, which have none.
  package let epoch: UInt32?
  package let number: UInt32

  package init(epoch: UInt32?, number: UInt32) {
    self.epoch = epoch
    self.number = number
  }

  /// What the name of a compressed segment ends with, behind that of the segment.
  static let archiveEnding = ".zst"

  /// The name of the segment when it is compressed.
  var archiveName: String { fileName + Self.archiveEnding }

  static func isArchive(_ fileName: String) -> Bool {
    fileName.utf8.suffix(archiveEnding.utf8.count).elementsEqual(archiveEnding.utf8)
  }

  /// Reads `EEEEEEEE-SSSSSSSS.jsonl` or `SSSSSSSS.jsonl`, either perhaps with `.zst` behind it.
  package init?(fileName: String) {
    var bytes = Array(fileName.utf8)
    if Self.isArchive(fileName) { bytes.removeLast(Self.archiveEnding.utf8.count) }
    guard bytes.suffix(Self.ending.count).elementsEqual(Self.ending) else { return nil }
    let stem = bytes.dropLast(Self.ending.count)
    guard let number = digits(stem.suffix(8)) else { return nil }
    switch stem.count {
    case 8:
      self.init(epoch: nil, number: number)
    case 17:
      guard stem[8] == UInt8(ascii: "-"), let epoch = digits(stem.prefix(8)) else { return nil }
      self.init(epoch: epoch, number: number)
    default:
      return nil
    }
  }

  /// The segment of which a file is another version by its name: sync engines keep two versions of a file
  /// by putting something behind the stem, such as `.sync-conflict-…`, ` (conflicted copy …)`, `-HOST`.
  /// What is in it is told by its lines, each of which is sealed.
  init?(copyName: String) {
    guard copyName.utf8.suffix(Self.ending.count).elementsEqual(Self.ending),
      SegmentName(fileName: copyName) == nil
    else { return nil }
    self.init(fileName: String(decoding: copyName.utf8.prefix(17) + Self.ending, as: UTF8.self))
    guard epoch != nil else { return nil }
  }

  package var fileName: String {
    let tail = decimal(UInt64(number), width: 8) + ".jsonl"
    return epoch.map { decimal(UInt64($0), width: 8) + "-" + tail } ?? tail
  }

  package var description: String { fileName }

  package static func < (one: SegmentName, other: SegmentName) -> Bool {
    (one.epoch ?? 0, one.number) < (other.epoch ?? 0, other.number)
  }

  /// The next segment of the same epoch.
  package var next: SegmentName { SegmentName(epoch: epoch, number: number + 1) }

  private static let ending = Array(".jsonl".utf8)
}

/// The number of exactly 8 decimal digits.
private func digits(_ bytes: ArraySlice<UInt8>) -> UInt32? {
  guard bytes.count == 8 else { return nil }
  var number: UInt32 = 0
  for byte in bytes {
    guard (0x30...0x39).contains(byte) else { return nil }
    number = number * 10 + UInt32(byte - 0x30)
  }
  return number
}
