package import SystemCalls

/// The smallest thing that a power cut takes as a whole or leaves.
///
/// Each says what is there afterwards and not what changes, so any of those before it may be missing.
package enum DiskEffect: Sendable {
  /// Bytes within one sector. The size is an effect of its own: without it they are beyond the end.
  case write(file: UInt64, offset: Int, bytes: [UInt8])
  /// The file is at least that long; without the bytes it has zeros there.
  case grow(file: UInt64, sizeBytes: Int)
  case cut(file: UInt64, sizeBytes: Int)
  case describe(
    file: UInt64, mode: UInt32, owner: UInt32, group: UInt32,
    attributes: [AttributeName: [UInt8]])
  /// What names of one directory stand for, nil for nothing. Several are one step of the file
  /// system: a rename within a directory. A rename into another one is two effects.
  case names(directory: UInt64, [Naming])

  package struct Naming: Sendable {
    let name: [UInt8]
    let file: UInt64?

    init(_ name: [UInt8], _ file: UInt64?) {
      self.name = name
      self.file = file
    }
  }

  /// What a disk writes whole.
  package static let sectorBytes = 512

  /// The file whose fsync makes it durable: of a name that is its directory.
  var file: UInt64 {
    switch self {
    case .write(let file, _, _), .grow(let file, _), .cut(let file, _): file
    case .describe(let file, _, _, _, _), .names(let file, _): file
    }
  }

  /// Whether fdatasync is enough.
  var isData: Bool {
    switch self {
    case .write, .grow, .cut: true
    case .describe, .names: false
    }
  }
}

extension DiskEffect: CustomStringConvertible {
  package var description: String {
    switch self {
    case .write(let file, let offset, let bytes):
      "write \(bytes.count) bytes at \(offset) of file \(file)"
    case .grow(let file, let size): "size \(size) of file \(file)"
    case .cut(let file, let size): "cut file \(file) to \(size)"
    case .describe(let file, let mode, _, _, _): "mode \(String(mode, radix: 8)) of file \(file)"
    case .names(let directory, let namings):
      namings.map { naming in
        let name = String(decoding: naming.name, as: UTF8.self)
        return naming.file.map { "'\(name)' is file \($0)" } ?? "no '\(name)'"
      }.joined(separator: " and ") + " in directory \(directory)"
    }
  }
}
