package import SystemCalls

/// Small files that are replaced whole: node.json, nodes.json, binding.json.
extension StoreDirectory {
  /// The bytes of a file of the store, nil when it does not exist.
  package func readSmall(
    _ relative: String, limitBytes: UInt64 = StorageLimits.smallFileBytesMax
  ) throws(StorageError) -> [UInt8]? {
    let file: FileDescriptor
    do throws(SystemError) {
      file = try open(relative, .read)
    } catch {
      switch error.errno {
      case .ENOENT: return nil
      case .ELOOP: throw .notRegular(path(relative), .symbolicLink)
      case .ENXIO: throw .notRegular(path(relative), .socket)
      default: throw StorageError(error)
      }
    }
    let status = try harmless { () throws(SystemError) in try file.status() }
    guard status.kind == .regular else { throw .notRegular(path(relative), status.kind) }
    guard status.sizeBytes <= limitBytes else {
      throw .tooLarge(path(relative), sizeBytes: status.sizeBytes, limitBytes: limitBytes)
    }
    return try harmless { () throws(SystemError) in
      try file.read(at: 0, count: Int(status.sizeBytes))
    }
  }

  /// Replaces a file of the store; after a crash it has the old or the new bytes, whole.
  ///
  /// For files that only we write: what another program put there meanwhile is overwritten.
  /// - Throws: `.failed(_, .nothingChanged)` with the old bytes in place, or
  ///   `.failed(_, .newBytesNotDurable)` when only the directory could not be synchronised.
  package func writeSmall(_ relative: String, _ bytes: [UInt8]) throws(StorageError) {
    try writeNew(relative, bytes, .replace)
  }

  /// The same for one line of JSON, which gets the checksum of its bytes as its last member.
  package func writeSealed(_ relative: String, _ json: [UInt8]) throws(StorageError) {
    var line = json
    if line.last == UInt8(ascii: "\n") { line.removeLast() }
    LineSeal.seal(&line)
    try writeSmall(relative, line)
  }

  /// The same for a file that must not exist; `.failed` with EEXIST when it does.
  package func createSmall(_ relative: String, _ bytes: [UInt8]) throws(StorageError) {
    try writeNew(relative, bytes, .noReplace)
  }

  /// Removes a file durably; false when there was none.
  @discardableResult
  package func remove(_ relative: String) throws(StorageError) -> Bool {
    let (parent, name) = split(relative)
    do throws(SystemError) {
      let directory = try openDirectory(parent)
      try directory.unlink(name)
      try directory.synchronize()
      return true
    } catch {
      if error.errno == .ENOENT { return false }
      throw StorageError(error)
    }
  }

  /// Gives a file or directory of the store another name beside it, durably, so that a new one can
  /// be made; nothing is removed. Under the lock that its writers hold.
  ///
  /// - Returns: where it lies now; nil when it was not there.
  package func setAside(
    _ relative: String, milliseconds: UInt64
  ) throws(StorageError) -> FilePath? {
    let (parent, name) = split(relative)
    var number = milliseconds
    let directory: FileDescriptor
    do throws(SystemError) { directory = try openDirectory(parent) } catch {
      if error.errno == .ENOENT { return nil }
      throw StorageError(error)
    }
    while true {
      let aside = "\(name).\(decimal(number, width: 13)).damaged"
      do throws(SystemError) {
        try directory.rename(name, to: aside, .noReplace)
      } catch {
        if error.errno == .ENOENT { return nil }
        guard error.errno == .EEXIST else { throw StorageError(error) }
        number += 1
        continue
      }
      try after(.newBytesNotDurable) { () throws(SystemError) in try directory.synchronize() }
      return path(parent).appending(aside)
    }
  }

  /// Removes `.part` files that a killed process left in a directory of ours.
  ///
  /// Only under the lock that every writer of that directory holds.
  package func removeParts(in relative: String) throws(StorageError) {
    for name in try names(in: relative) where isPart(name) {
      try remove(relative + "/" + name)
    }
  }

  private func writeNew(
    _ relative: String, _ bytes: [UInt8], _ rule: RenameRule
  ) throws(StorageError) {
    let (parent, name) = split(relative)
    let directory = try harmless { () throws(SystemError) in try openDirectory(parent) }
    let part = StoreLayout.part(of: name, id: entropy.random64())
    try writeWhole(bytes, to: part, in: directory) { (file) throws(SystemError) in
      try applyPermissions(to: file, relative)
    }
    do throws(SystemError) {
      try directory.rename(part, to: name, rule)
    } catch {
      // The first error is the one to report; a leftover `.part` is removed by recovery.
      try? directory.unlink(part)
      throw StorageError(error)
    }
    try after(.newBytesNotDurable) { () throws(SystemError) in try directory.synchronize() }
  }

  /// Gives a new file the mode and group of the store, whatever the umask.
  func applyPermissions(
    to file: borrowing FileDescriptor, _ relative: String
  ) throws(SystemError) {
    if let group = permissions.group { try file.changeOwner(UInt32.max, group: group) }
    try file.changeMode(permissions.fileMode(for: relative))
  }

  /// Gives a document that is new its mode: what the umask leaves; in a shared store that of its other
  /// files, and the group, where this user may give it.
  func applyDocumentPermissions(to file: borrowing FileDescriptor) throws(SystemError) {
    guard permissions.isExact else { return try file.changeMode(0o666 & ~ThisProcess.umask) }
    // Outside the store its directory may be that of another group.
    if let group = permissions.group { try? file.changeOwner(UInt32.max, group: group) }
    try file.changeMode(permissions.fileMode(for: ""))
  }
}

private func isPart(_ name: String) -> Bool {
  let parts = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
  guard parts.count >= 4, parts[0].isEmpty, let last = parts.last else { return false }
  return last.elementsEqual("part".utf8) && hexValue(parts[parts.count - 2]) != nil
}
