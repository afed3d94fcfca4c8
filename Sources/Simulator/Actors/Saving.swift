import SystemCalls

/// How a program brings its content into the file.
enum Saving: CaseIterable {
  /// A new file takes the name.
  case byRename
  /// The same, and it waits for the disk.
  case durably
  /// Into the file that lies there.
  case inPlace
  /// The old file moves away first, as vim does it.
  case aside
  /// In place, and the program dies before it is done.
  case halfway

  /// - Returns: whether a whole document is there now.
  func save(
    _ bytes: [UInt8], at path: FilePath, _ files: Files, _ chance: inout Chance
  ) throws(SystemError) -> Bool {
    switch self {
    case .byRename: try files.put(bytes, at: path)
    case .durably: try files.put(bytes, at: path, durably: true)
    case .inPlace: try overwrite(bytes, at: path, files)
    case .aside:
      let directory = try files.directory(path.parent)
      let aside = path.lastComponent + "~"
      if files.status(path) != nil {
        try directory.rename(path.lastComponent, to: aside, .replace)
      }
      try overwrite(bytes, at: path, files)
      if files.status(path.parent.appending(aside)) != nil { try directory.unlink(aside) }
    case .halfway:
      guard chance.once(in: 3) else {
        return try Self.byRename.save(bytes, at: path, files, &chance)
      }
      try overwrite(Array(bytes.prefix(chance.below(bytes.count))), at: path, files)
      return false
    }
    return true
  }

  private func overwrite(
    _ bytes: [UInt8], at path: FilePath, _ files: Files
  ) throws(SystemError) {
    let file = try files.directory(path.parent)
      .open(path.lastComponent, [.write, .create, .truncate], mode: 0o644)
    try file.write(bytes)
    try file.close()
  }
}
