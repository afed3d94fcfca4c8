import SystemCalls

/// A segment that is open for appending.
final class OpenSegment {
  let name: SegmentName
  let file: FileDescriptor
  let status: FileStatus

  init(_ name: SegmentName, _ file: consuming FileDescriptor, _ status: FileStatus) {
    self.name = name
    self.file = file
    self.status = status
  }
}
