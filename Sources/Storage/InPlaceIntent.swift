/// What is about to be written in place, and what lies there, both whole.
///
/// The file begins with a line `in-place 1 BYTES HASH BYTES HASH WORD`, sizes and hashes of the old
/// and the new version, and `keep` or `drop` for the old one; then both follow.
struct InPlaceIntent: Equatable {
  let old: [UInt8]
  let new: [UInt8]
  /// Whether the old version becomes a backup.
  let keepsOld: Bool

  static let headerBytesMax = 160
  /// What a disk writes whole.
  private static let sectorBytes = 512

  init(old: [UInt8], new: [UInt8], keepsOld: Bool) {
    self.old = old
    self.new = new
    self.keepsOld = keepsOld
  }

  var bytes: [UInt8] {
    let (oldHash, newHash) = (ContentHash(of: old), ContentHash(of: new))
    let sizes = "\(old.count) \(oldHash.hex) \(new.count) \(newHash.hex)"
    return Array("in-place 1 \(sizes) \(keepsOld ? "keep" : "drop")\n".utf8) + old + new
  }

  /// nil where a byte is not as it was written.
  init?(parsing bytes: [UInt8]) {
    guard let end = bytes.prefix(Self.headerBytesMax).firstIndex(of: UInt8(ascii: "\n")) else {
      return nil
    }
    let words = bytes[..<end].split(separator: UInt8(ascii: " ")).map {
      String(decoding: $0, as: UTF8.self)
    }
    guard words.count == 7, words[0] == "in-place", words[1] == "1",
      let oldCount = Int(words[2]), let newCount = Int(words[4]), oldCount >= 0, newCount >= 0,
      bytes.count - end - 1 == oldCount + newCount
    else { return nil }
    let middle = end + 1 + oldCount
    self.init(
      old: Array(bytes[(end + 1)..<middle]), new: Array(bytes[middle...]),
      keepsOld: words[6] != "drop")
    guard ContentHash(of: old).hex == words[3], ContentHash(of: new).hex == words[5] else {
      return nil
    }
  }

  /// Whether a content is what a process leaves that dies while it writes the new version over the
  /// old one, or a power cut: of each sector one of the two, zeros behind the old end, or the new one up
  /// to where the write was cut short and then the old one.
  func mayHaveLeft(_ content: [UInt8]) -> Bool {
    guard content.count >= min(old.count, new.count), content.count <= max(old.count, new.count)
    else { return false }
    let written = new + old.dropFirst(new.count)
    let left = [
      old + new.dropFirst(old.count),
      old + [UInt8](repeating: 0, count: max(0, new.count - old.count)),
    ]
    return stride(from: 0, to: content.count, by: Self.sectorBytes).allSatisfy { start in
      let sector = start..<min(start + Self.sectorBytes, content.count)
      let cut = sector.first { content[$0] != written[$0] } ?? sector.upperBound
      return left.contains { $0[cut..<sector.upperBound] == content[cut..<sector.upperBound] }
    }
  }
}
