import SystemCalls

/// A segment that is open for appending.
final class OpenSegment {
  let name: SegmentName
  let file: FileDescriptor
  let status: FileStatus
  /// Whether a power cut leaves it its name.
  var isNameDurable: Bool

  init(
    _ name: SegmentName, _ file: consuming FileDescriptor, _ status: FileStatus,
    isNameDurable: Bool
  ) {
    self.name = name
    self.file = file
    self.status = status
    self.isNameDurable = isNameDurable
  }
}
