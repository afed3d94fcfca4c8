/// What stat(2) tells about a file.
package struct FileStatus: Hashable, Sendable {
  package enum Kind: Hashable, Sendable, CustomStringConvertible {
    case regular, directory, symbolicLink, fifo, socket, device, other

    package var description: String {
      switch self {
      case .regular: "regular file"
      case .directory: "directory"
      case .symbolicLink: "symbolic link"
      case .fifo: "pipe"
      case .socket: "socket"
      case .device: "device"
      case .other: "special file"
      }
    }
  }

  package let device: UInt64
  package let inode: UInt64
  package let sizeBytes: UInt64
  package let modifiedNanoseconds: Int64
  package let changedNanoseconds: Int64
  /// Permission bits with setuid, setgid and sticky (`07777`).
  package let mode: UInt32
  package let owner: UInt32
  package let group: UInt32
  package let links: UInt64
  package let kind: Kind

  package init(
    device: UInt64, inode: UInt64, sizeBytes: UInt64, modifiedNanoseconds: Int64,
    changedNanoseconds: Int64, mode: UInt32, owner: UInt32, group: UInt32, links: UInt64,
    kind: Kind
  ) {
    self.device = device
    self.inode = inode
    self.sizeBytes = sizeBytes
    self.modifiedNanoseconds = modifiedNanoseconds
    self.changedNanoseconds = changedNanoseconds
    self.mode = mode
    self.owner = owner
    self.group = group
    self.links = links
    self.kind = kind
  }

  /// True when both describe one inode; an inode number alone is no identity over time.
  package func isSameFile(as other: FileStatus) -> Bool {
    device == other.device && inode == other.inode
  }
}
