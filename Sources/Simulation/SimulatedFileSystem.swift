package import SystemCalls

/// The calls of one process on a simulated disk.
///
/// It may do anything, as root does. A second open of a file under a write lease would wait on a real
/// machine and is refused here, since one thread runs all processes.
package final class SimulatedFileSystem: FileSystem {
  package let disk: SimulatedDisk
  private let process: Int

  init(_ disk: SimulatedDisk, process: Int) {
    self.disk = disk
    self.process = process
  }

  /// The process ends: its files close and its locks go.
  package func end() {
    disk.state.withLock { state in
      state.open = state.open.filter { $0.value.process != process }
    }
  }

  package var waitedNanoseconds: UInt64 { disk.state.withLock { $0.waitedNanoseconds } }

  package func pause(nanoseconds: UInt64) { disk.pass(nanoseconds: nanoseconds) }

  func withState<Result>(
    _ body: (inout SimulatedDisk.State) throws(Errno) -> Result
  ) throws(Errno) -> Result {
    try disk.state.withLock { (state) throws(Errno) in try body(&state) }
  }

  package func open(
    _ directory: Int32, _ name: String, _ access: FileAccess, mode: UInt32
  ) throws(Errno) -> Int32 {
    try withState { (state) throws(Errno) in
      let rules = PathWalk.Rules(
        followsLast: !access.contains(.noFollow) && !access.contains(.exclusive),
        isBeneath: access.contains(.beneath))
      let walk = try PathWalk(state.image, from: state.directory(directory), name, rules)
      let number = try state.opened(walk, access, mode: mode)
      let descriptor = state.nextDescriptor
      state.nextDescriptor += 1
      state.open[descriptor] = SimulatedDisk.OpenFile(
        process: process, file: number, access: access)
      return descriptor
    }
  }

  package func close(_ descriptor: Int32) throws(Errno) {
    try withState { (state) throws(Errno) in
      guard state.open.removeValue(forKey: descriptor) != nil else { throw .EBADF }
    }
  }

  package func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws(Errno) -> Int {
    let bytes = try withState { (state) throws(Errno) in
      let file = try state.file(of: descriptor)
      guard file.kind == .regular else { throw .EISDIR }
      return file.bytes(at: Int(offset), count: buffer.count)
    }
    buffer.copyBytes(from: bytes)
    return bytes.count
  }

  package func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int {
    try withState { (state) throws(Errno) in
      let open = try state.writable(descriptor)
      let size = try state.file(of: descriptor).sizeBytes
      let offset = open.access.contains(.append) ? size : open.position
      state.write(Array(bytes), to: open.file, at: offset, size: size)
      state.open[descriptor]?.position = offset + bytes.count
      return bytes.count
    }
  }

  package func write(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: UInt64
  ) throws(Errno) -> Int {
    try withState { (state) throws(Errno) in
      let open = try state.writable(descriptor)
      let size = try state.file(of: descriptor).sizeBytes
      state.write(Array(bytes), to: open.file, at: Int(offset), size: size)
      return bytes.count
    }
  }

  package func synchronize(_ descriptor: Int32, dataOnly: Bool) throws(Errno) {
    try withState { (state) throws(Errno) in
      let open = try state.description(descriptor)
      if let left = state.syncsBeforeFailure {
        state.syncsBeforeFailure = left == 0 ? nil : left - 1
        if left == 0 {
          state.history.forsake(open.file)
          throw .EIO
        }
      }
      state.history.synchronize(open.file, dataOnly: dataOnly)
    }
  }

  package func allocate(_ descriptor: Int32, sizeBytes: UInt64) throws(Errno) {
    try withState { (state) throws(Errno) in
      let open = try state.writable(descriptor)
      state.perform(.grow(file: open.file, sizeBytes: Int(sizeBytes)))
    }
  }

  package func truncate(_ descriptor: Int32, sizeBytes: UInt64) throws(Errno) {
    try withState { (state) throws(Errno) in
      let open = try state.writable(descriptor)
      let isShorter = Int(sizeBytes) < (try state.file(of: descriptor).sizeBytes)
      state.perform(
        isShorter
          ? .cut(file: open.file, sizeBytes: Int(sizeBytes))
          : .grow(file: open.file, sizeBytes: Int(sizeBytes)))
    }
  }
}

extension SimulatedDisk.State {
  func description(_ descriptor: Int32) throws(Errno) -> SimulatedDisk.OpenFile {
    guard let open = open[descriptor] else { throw .EBADF }
    return open
  }

  func writable(_ descriptor: Int32) throws(Errno) -> SimulatedDisk.OpenFile {
    let open = try description(descriptor)
    guard open.canWrite else { throw .EBADF }
    return open
  }

  func file(of descriptor: Int32) throws(Errno) -> DiskFile {
    guard let file = image.files[try description(descriptor).file] else { throw .EBADF }
    return file
  }

  func directory(_ descriptor: Int32) throws(Errno) -> UInt64 {
    if descriptor == currentDirectoryDescriptor { return DiskImage.root }
    guard try file(of: descriptor).kind == .directory else { throw .ENOTDIR }
    return try description(descriptor).file
  }

  /// One effect a sector, and the size.
  mutating func write(_ bytes: [UInt8], to file: UInt64, at offset: Int, size: Int) {
    var start = 0
    while start < bytes.count {
      let place = offset + start
      let sector = DiskEffect.sectorBytes - place % DiskEffect.sectorBytes
      let end = min(bytes.count, start + sector)
      perform(.write(file: file, offset: place, bytes: Array(bytes[start..<end])))
      start = end
    }
    if offset + bytes.count > size {
      perform(.grow(file: file, sizeBytes: offset + bytes.count))
    }
  }

  fileprivate mutating func opened(
    _ walk: PathWalk, _ access: FileAccess, mode: UInt32
  ) throws(Errno) -> UInt64 {
    guard let number = walk.file, let file = image.files[number] else {
      guard access.contains(.create) else { throw .ENOENT }
      let made = make(DiskFile(.regular, mode: mode & ~0o022, at: nanoseconds))
      perform(.names(directory: walk.directory, [DiskEffect.Naming(walk.name, made)]))
      return made
    }
    if access.contains(.create), access.contains(.exclusive) { throw .EEXIST }
    let writes = access.contains(.write) || access.contains(.append)
    switch file.kind {
    case .symbolicLink: throw access.contains(.directory) ? .ENOTDIR : .ELOOP
    case .directory: if writes || access.contains(.create) { throw .EISDIR }
    default: if access.contains(.directory) { throw .ENOTDIR }
    }
    if access.contains(.truncate), file.sizeBytes > 0 {
      perform(.cut(file: number, sizeBytes: 0))
    }
    return number
  }
}
