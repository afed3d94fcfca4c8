import CSystem
import Glibc

extension FileStatus {
  init(_ data: stat) {
    let kind: Kind =
      switch data.st_mode & S_IFMT {
      case S_IFREG: .regular
      case S_IFDIR: .directory
      case S_IFLNK: .symbolicLink
      case S_IFIFO: .fifo
      case S_IFSOCK: .socket
      case S_IFCHR, S_IFBLK: .device
      default: .other
      }
    self.init(
      device: UInt64(data.st_dev), inode: UInt64(data.st_ino),
      sizeBytes: UInt64(clamping: data.st_size),
      modifiedNanoseconds: nanoseconds(data.st_mtim), changedNanoseconds: nanoseconds(data.st_ctim),
      mode: UInt32(data.st_mode) & 0o7777, owner: data.st_uid, group: data.st_gid,
      links: UInt64(data.st_nlink), kind: kind)
  }
}

private func nanoseconds(_ time: timespec) -> Int64 {
  Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
}

extension LiveFileSystem {
  package func names(in directory: Int32) throws(Errno) -> [String] {
    // A second description, because closedir(3) closes the descriptor it was given and because
    // the position of a directory belongs to the description.
    let copy = Glibc.openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0 else { throw .current }
    guard let stream = fdopendir(copy) else {
      let error = Errno.current
      _ = Glibc.close(copy)
      throw error
    }
    defer { closedir(stream) }
    var names: [String] = []
    while true {
      Glibc.errno = 0
      guard let entry = readdir(stream) else {
        let error = Errno.current
        if error.rawValue != 0 { throw error }
        break
      }
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}
