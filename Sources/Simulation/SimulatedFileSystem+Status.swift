package import SystemCalls

/// What files are, who has them open, and locks.
extension SimulatedFileSystem {
  package func status(of descriptor: Int32) throws(Errno) -> FileStatus {
    try withState { (state) throws(Errno) in
      try state.file(of: descriptor).status(inode: try state.description(descriptor).file)
    }
  }

  package func status(
    _ directory: Int32, _ name: String, followingLink: Bool
  ) throws(Errno) -> FileStatus {
    try withState { (state) throws(Errno) in
      let walk = try PathWalk(
        state.image, from: try state.directory(directory), name,
        PathWalk.Rules(followsLast: followingLink))
      guard let number = walk.file, let file = state.image.files[number] else { throw .ENOENT }
      return file.status(inode: number)
    }
  }

  package func changeOwner(_ descriptor: Int32, owner: UInt32, group: UInt32) throws(Errno) {
    try describe(descriptor) { file in
      if owner != UInt32.max { file.owner = owner }
      if group != UInt32.max { file.group = group }
    }
  }

  package func changeMode(_ descriptor: Int32, mode: UInt32) throws(Errno) {
    try describe(descriptor) { $0.mode = mode }
  }

  package func attributes(of descriptor: Int32) throws(Errno) -> [AttributeName] {
    try withState { (state) throws(Errno) in
      try state.file(of: descriptor).attributes.keys
        .sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    }
  }

  package func attribute(
    _ name: AttributeName, of descriptor: Int32
  ) throws(Errno) -> [UInt8] {
    try withState { (state) throws(Errno) in
      guard let value = try state.file(of: descriptor).attributes[name] else { throw .ENODATA }
      return value
    }
  }

  package func setAttribute(
    _ name: AttributeName, of descriptor: Int32, to value: [UInt8]
  ) throws(Errno) {
    try describe(descriptor) { $0.attributes[name] = value }
  }

  package func removeAttribute(_ name: AttributeName, of descriptor: Int32) throws(Errno) {
    try describe(descriptor) { $0.attributes[name] = nil }
  }

  private func describe(
    _ descriptor: Int32, _ change: (inout DiskFile) -> Void
  ) throws(Errno) {
    try withState { (state) throws(Errno) in
      var file = try state.file(of: descriptor)
      change(&file)
      state.perform(
        .describe(
          file: try state.description(descriptor).file, mode: file.mode, owner: file.owner,
          group: file.group, attributes: file.attributes))
    }
  }

  package func lock(_ descriptor: Int32, _ kind: LockKind) throws(Errno) {
    try withState { (state) throws(Errno) in
      let open = try state.description(descriptor)
      let isHeld = state.others(descriptor).contains {
        kind == .exclusive ? $0.lock != .none : kind == .shared && $0.lock == .exclusive
      }
      if isHeld { throw .EAGAIN }
      if kind == .exclusive, !open.canWrite { throw .EBADF }
      state.open[descriptor]?.lock = kind
    }
  }

  package func isLocked(_ descriptor: Int32) throws(Errno) -> Bool {
    try withState { (state) throws(Errno) in
      _ = try state.description(descriptor)
      return state.others(descriptor).contains { $0.lock != .none }
    }
  }

  package func probeLease(_ descriptor: Int32) throws(Errno) {
    try withState { (state) throws(Errno) in
      let file = try state.description(descriptor).file
      if state.open.values.contains(where: { $0.file == file && $0.canWrite }) { throw .EAGAIN }
    }
  }

  package func lease(_ descriptor: Int32, isHeld: Bool) throws(Errno) {
    try withState { (state) throws(Errno) in
      _ = try state.description(descriptor)
      if isHeld, !state.others(descriptor).isEmpty { throw .EAGAIN }
    }
  }

  /// That of ext4.
  package func type(of descriptor: Int32) throws(Errno) -> UInt32 {
    try withState { (state) throws(Errno) in
      _ = try state.description(descriptor)
      return 0xEF53
    }
  }
}

extension SimulatedDisk.State {
  /// The other open descriptions of the same file.
  fileprivate func others(_ descriptor: Int32) -> [SimulatedDisk.OpenFile] {
    let file = open[descriptor]?.file
    return open.filter { $0.key != descriptor && $0.value.file == file }.map(\.value)
  }
}
