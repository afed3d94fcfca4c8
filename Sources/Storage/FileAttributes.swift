import SystemCalls

/// The extended attributes of a document, its access list among them, for the file that takes its
/// place.
struct FileAttributes {
  private var values: [(name: AttributeName, value: [UInt8])] = []
  private var unreadable: [AttributeName] = []

  /// What says something of the bytes and not of the file: writing in place takes it away as well.
  private static let ofContent: [AttributeName] = [
    AttributeName("security.ima"), AttributeName("security.evm"),
    AttributeName("security.capability"),
  ]

  /// Those of a document; none where it has just vanished, which the exchange finds out.
  ///
  /// Costs three calls where there are none, and one more for each.
  init(of name: String, in directory: borrowing FileDescriptor) throws(SystemError) {
    let file: FileDescriptor
    do throws(SystemError) {
      file = try directory.open(name, [.read, .noFollow, .nonBlocking])
    } catch {
      guard error.errno == .ENOENT else { throw error }
      return
    }
    for name in try file.attributes() where !Self.ofContent.contains(name) {
      do throws(SystemError) {
        values.append((name, try file.attribute(name)))
      } catch {
        if error.errno == .ENODATA { continue }
        guard Self.tolerated.contains(error.errno) else { throw error }
        unreadable.append(name)
      }
    }
  }

  /// Gives them to a new file of ours.
  ///
  /// - Returns: the names of those that the file could not get.
  func give(to file: borrowing FileDescriptor) throws(SystemError) -> [AttributeName] {
    let inherited = try file.attributes()
    if inherited.contains(.accessList), !values.contains(where: { $0.name == .accessList }) {
      // A directory may give its new files an access list: it would let in whom the document did
      // not.
      try file.removeAttribute(.accessList)
    }
    var lost = unreadable
    for (name, value) in values {
      do throws(SystemError) {
        if inherited.contains(name), try file.attribute(name) == value { continue }
        try file.setAttribute(name, to: value)
      } catch {
        guard Self.tolerated.contains(error.errno) else { throw error }
        lost.append(name)
      }
    }
    return lost
  }

  /// We may not, or the file system cannot: the document goes without it, and that is told. A full
  /// or failing disk stops the replacement.
  private static let tolerated: [Errno] = [.EPERM, .EACCES, .EOPNOTSUPP, .ENOSYS, .EINVAL]
}

/// Step 7 of docs/STORAGE.md A2. The owner first, since chown clears setuid and setgid; the mode
/// last, since until then nobody else can open the file.
func giveIdentity(
  of present: FileStatus, _ attributes: FileAttributes, to file: borrowing FileDescriptor
) throws(SystemError) -> [ReplaceNote] {
  var notes: [ReplaceNote] = []
  var mode = present.mode
  let made = try file.status()
  if made.owner != present.owner || made.group != present.group {
    do throws(SystemError) {
      try file.changeOwner(present.owner, group: present.group)
    } catch {
      let tolerated: [Errno] = [.EPERM, .EINVAL, .ENOSYS]
      guard tolerated.contains(error.errno) else { throw error }
      let groupKept = made.group == present.group || keepGroup(present.group, of: file)
      notes.append(
        .ownerNotKept(
          owner: present.owner, group: present.group, groupKept: groupKept, error.errno))
      // With another owner these bits would give rights that nobody granted.
      mode &= 0o1777
    }
  }
  let lost = try attributes.give(to: file)
  if !lost.isEmpty { notes.append(.attributesNotKept(lost)) }
  // Beside an access list these bits are its mask; without it they would be rights of the group.
  if lost.contains(.accessList) { mode &= ~0o070 }
  try file.changeMode(mode)
  return notes
}

private func keepGroup(_ group: UInt32, of file: borrowing FileDescriptor) -> Bool {
  do throws(SystemError) {
    try file.changeOwner(UInt32.max, group: group)
    return true
  } catch {
    return false
  }
}
