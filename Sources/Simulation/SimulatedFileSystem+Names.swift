package import SystemCalls

/// Calls on names. A name becomes durable by an fsync of its directory.
extension SimulatedFileSystem {
  package func rename(
    _ directory: Int32, _ name: String, to target: String, in targetDirectory: Int32,
    _ rule: RenameRule
  ) throws(Errno) {
    try withState { (state) throws(Errno) in
      let from = try state.named(directory, name)
      let to = try state.named(targetDirectory, target)
      guard let file = from.file else { throw .ENOENT }
      switch rule {
      case .noReplace where to.file != nil: throw .EEXIST
      case .exchange where to.file == nil: throw .ENOENT
      default: break
      }
      // rename(2) does nothing where both are names of one file.
      if rule == .replace, to.file == file { return }
      let left = DiskEffect.Naming(from.name, rule == .exchange ? to.file : nil)
      let arrived = DiskEffect.Naming(to.name, file)
      if from.directory == to.directory {
        state.perform(.names(directory: from.directory, [left, arrived]))
      } else {
        state.perform(.names(directory: to.directory, [arrived]))
        state.perform(.names(directory: from.directory, [left]))
      }
    }
  }

  package func link(
    _ directory: Int32, _ name: String, to target: String, in targetDirectory: Int32
  ) throws(Errno) {
    try withState { (state) throws(Errno) in
      let from = try state.named(directory, name)
      let to = try state.named(targetDirectory, target)
      guard let file = from.file else { throw .ENOENT }
      guard to.file == nil else { throw .EEXIST }
      guard state.image.files[file]?.kind != .directory else { throw .EPERM }
      state.perform(.names(directory: to.directory, [DiskEffect.Naming(to.name, file)]))
    }
  }

  package func unlink(_ directory: Int32, _ name: String, isDirectory: Bool) throws(Errno) {
    try withState { (state) throws(Errno) in
      let walk = try state.named(directory, name)
      guard let number = walk.file, let file = state.image.files[number] else { throw .ENOENT }
      if isDirectory {
        guard file.kind == .directory else { throw .ENOTDIR }
        guard file.entries.isEmpty else { throw .ENOTEMPTY }
      } else if file.kind == .directory {
        throw .EISDIR
      }
      state.perform(.names(directory: walk.directory, [DiskEffect.Naming(walk.name, nil)]))
    }
  }

  package func makeDirectory(_ directory: Int32, _ name: String, mode: UInt32) throws(Errno) {
    try withState { (state) throws(Errno) in
      try state.add(
        DiskFile(.directory, mode: mode & ~0o022, at: state.nanoseconds), directory, name)
    }
  }

  package func makeSymbolicLink(
    _ directory: Int32, _ name: String, to target: String
  ) throws(Errno) {
    try withState { (state) throws(Errno) in
      var file = DiskFile(.symbolicLink, mode: 0o777, at: state.nanoseconds)
      file.write(Array(target.utf8), at: 0)
      file.sizeBytes = target.utf8.count
      try state.add(file, directory, name)
    }
  }

  package func names(in directory: Int32) throws(Errno) -> [String] {
    let entries = try withState { (state) throws(Errno) in
      let file = try state.file(of: directory)
      guard file.kind == .directory else { throw .ENOTDIR }
      return file.entries
    }
    return entries.keys.sorted { $0.lexicographicallyPrecedes($1) }
      .map { String(decoding: $0, as: UTF8.self) }
  }

  package func readLink(_ directory: Int32, _ name: String) throws(Errno) -> String {
    try withState { (state) throws(Errno) in
      guard let number = try state.named(directory, name).file,
        let file = state.image.files[number]
      else { throw .ENOENT }
      guard file.kind == .symbolicLink else { throw .EINVAL }
      return String(decoding: file.bytes, as: UTF8.self)
    }
  }

  package func realPath(_ path: String) throws(Errno) -> String {
    try withState { (state) throws(Errno) in
      let walk = try PathWalk(
        state.image, from: DiskImage.root, path, PathWalk.Rules(followsLast: true))
      guard walk.file != nil else { throw .ENOENT }
      var names = walk.name.isEmpty ? [] : [walk.name]
      var directory = walk.directory
      while directory != DiskImage.root, let here = state.image.files[directory],
        let above = state.image.files[here.parent]?.entries.first(where: { $0.value == directory })
      {
        names.append(above.key)
        directory = here.parent
      }
      return "/"
        + names.reversed().map { String(decoding: $0, as: UTF8.self) }
        .joined(separator: "/")
    }
  }
}

extension SimulatedDisk.State {
  func named(_ directory: Int32, _ name: String) throws(Errno) -> PathWalk {
    try PathWalk(image, from: try self.directory(directory), name, PathWalk.Rules())
  }

  fileprivate mutating func add(
    _ file: DiskFile, _ directory: Int32, _ name: String
  ) throws(Errno) {
    let walk = try named(directory, name)
    guard walk.file == nil else { throw .EEXIST }
    let number = make(file)
    perform(.names(directory: walk.directory, [DiskEffect.Naming(walk.name, number)]))
  }
}
