package import SystemCalls

/// A file, directory or symbolic link of a simulated disk.
package struct DiskFile: Sendable {
  package let kind: FileStatus.Kind
  /// What was written; may reach beyond the size, where a power cut took the size and not the bytes.
  var written: [UInt8] = []
  package var sizeBytes = 0
  package var entries: [[UInt8]: UInt64] = [:]
  package var mode: UInt32
  package var owner: UInt32 = 0
  package var group: UInt32 = 0
  package var attributes: [AttributeName: [UInt8]] = [:]
  var modifiedNanoseconds: Int64
  var changedNanoseconds: Int64
  /// How many names it has.
  package var links: UInt64 = 0
  /// Of a directory: where `..` leads.
  var parent: UInt64 = DiskImage.root

  init(_ kind: FileStatus.Kind, mode: UInt32, at nanoseconds: Int64) {
    self.kind = kind
    self.mode = mode
    modifiedNanoseconds = nanoseconds
    changedNanoseconds = nanoseconds
  }

  /// The content as a reader sees it: zeros where nothing was written.
  package var bytes: [UInt8] { bytes(at: 0, count: sizeBytes) }

  func bytes(at offset: Int, count: Int) -> [UInt8] {
    let end = min(offset + count, sizeBytes)
    guard offset < end else { return [] }
    let there = offset < written.count ? Array(written[offset..<min(end, written.count)]) : []
    return there + [UInt8](repeating: 0, count: end - offset - there.count)
  }

  mutating func write(_ bytes: [UInt8], at offset: Int) {
    let end = offset + bytes.count
    if written.count < end {
      written.append(contentsOf: [UInt8](repeating: 0, count: end - written.count))
    }
    written.replaceSubrange(offset..<end, with: bytes)
  }

  mutating func cut(to sizeBytes: Int) {
    if written.count > sizeBytes { written.removeLast(written.count - sizeBytes) }
    self.sizeBytes = sizeBytes
  }

  func status(inode: UInt64) -> FileStatus {
    FileStatus(
      device: 1, inode: inode, sizeBytes: UInt64(sizeBytes),
      modifiedNanoseconds: modifiedNanoseconds, changedNanoseconds: changedNanoseconds, mode: mode,
      owner: owner, group: group, links: links, kind: kind)
  }
}
