package import SystemCalls

/// What a file looks like from outside; equal stamps make equal content likely, never certain.
package struct FileStamp: Hashable, BitwiseCopyable, Sendable {
  package let device: UInt64
  package let inode: UInt64
  package let sizeBytes: UInt64
  package let modifiedNanoseconds: Int64
  package let changedNanoseconds: Int64

  package init(_ status: FileStatus) {
    device = status.device
    inode = status.inode
    sizeBytes = status.sizeBytes
    modifiedNanoseconds = status.modifiedNanoseconds
    changedNanoseconds = status.changedNanoseconds
  }

  /// The same file with the same bytes as far as link(2), which sets ctime, lets us see.
  func agreesExceptChangeTime(with other: FileStamp) -> Bool {
    device == other.device && inode == other.inode && sizeBytes == other.sizeBytes
      && modifiedNanoseconds == other.modifiedNanoseconds
  }
}

/// The whole content of a file at one moment.
package struct FileContent: Sendable {
  package let bytes: [UInt8]
  package let hash: ContentHash
  package let status: FileStatus
  /// Whether somebody can still write to it; `.unknown` when that was not asked.
  package let writers: OpenWriters

  package var stamp: FileStamp { FileStamp(status) }
}

/// Where a document really lies, after all symbolic links.
package struct DocumentPlace: Hashable, Sendable {
  package let path: FilePath

  package var directory: FilePath { path.parent }
  package var name: String { path.lastComponent }
  /// The id of the binding in `local/bindings/`.
  package var bindingID: String { StoreLayout.bindingID(realPath: path) }

  /// For a path that `FileStore.place(of:)` has resolved before.
  package init(realPath: FilePath) {
    path = realPath
  }
}
