import LosslessJSON

/// Bytes that are being written and most likely turn out to be others that are there already: as
/// long as they do, nothing is copied.
struct LikelyBytes {
  private let likely: [UInt8]
  /// How many bytes are as foreseen; all of them while there are none of our own.
  private var same = 0
  private var own: [UInt8]?

  init(_ likely: [UInt8]) { self.likely = likely }

  /// What has been written.
  var bytes: [UInt8] { own ?? (same == likely.count ? likely : Array(likely[..<same])) }

  mutating func append(_ byte: UInt8) {
    if own == nil, same < likely.count, likely[same] == byte {
      same += 1
    } else {
      diverge(by: 1)
      own?.append(byte)
    }
  }

  static func += (left: inout LikelyBytes, right: some Collection<UInt8>) {
    if left.own == nil, left.goesOn(with: right) {
      left.same += right.count
    } else {
      left.diverge(by: right.count)
      left.own?.append(contentsOf: right)
    }
  }

  private func goesOn(with part: some Collection<UInt8>) -> Bool {
    guard part.count <= likely.count - same else { return false }
    let isSame = part.withContiguousStorageIfAvailable { part in
      likely.withUnsafeBytes { likely in
        let next = UnsafeRawBufferPointer(rebasing: likely[same..<same + part.count])
        return RawBytes.commonPrefix(UnsafeRawBufferPointer(part), next) == part.count
      }
    }
    return isSame ?? likely[same...].starts(with: part)
  }

  private mutating func diverge(by count: Int) {
    guard own == nil else { return }
    var copy: [UInt8] = []
    // Mostly the rest is about as long as foreseen.
    copy.reserveCapacity(max(likely.count, same + count) + 4096)
    copy += likely[..<same]
    own = copy
  }
}
