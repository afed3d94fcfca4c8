package import SystemCalls

/// The calls of our program, some of them changed: by what a file system refuses, and by a flaw.
package struct FlawedFileSystem: ForwardingFileSystem {
  package let inner: any FileSystem
  private let flaw: Flaw?
  /// The name of the document that some flaws are about.
  private let document: String
  /// `exchange`, `noReplace` or `link`, and the error that answers it.
  private let refusals: [String: Errno]

  package init(
    inner: any FileSystem, flaw: Flaw?, document: String, refusals: [String: Errno] = [:]
  ) {
    self.inner = inner
    self.flaw = flaw
    self.document = document
    self.refusals = refusals
  }

  package func open(
    _ directory: Int32, _ name: String, _ access: FileAccess, mode: UInt32
  ) throws(Errno) -> Int32 {
    if flaw == .rotatesFirst, access.contains([.create, .exclusive]),
      let document = documentName(ofPart: name)
    {
      try ignoring(.ENOENT) { () throws(Errno) in
        try inner.rename(directory, document, to: "\(document).1", in: directory, .replace)
      }
    }
    return try inner.open(directory, name, access, mode: mode)
  }

  package func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int {
    guard flaw == .unsealedTail, bytes.count > 2, bytes.starts(with: " \n".utf8) else {
      return try inner.write(descriptor, bytes)
    }
    let rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(2))
    return try inner.write(descriptor, rest) + 2
  }

  package func synchronize(_ descriptor: Int32, dataOnly: Bool) throws(Errno) {
    if flaw == .noDirectorySync || flaw == .noFileSync {
      let isDirectory = try inner.status(of: descriptor).kind == .directory
      if isDirectory == (flaw == .noDirectorySync) { return }
    }
    do throws(Errno) {
      try inner.synchronize(descriptor, dataOnly: dataOnly)
    } catch {
      guard flaw == .retriedSync else { throw error }
      try inner.synchronize(descriptor, dataOnly: dataOnly)
    }
  }

  package func rename(
    _ directory: Int32, _ name: String, to target: String, in other: Int32, _ rule: RenameRule
  ) throws(Errno) {
    if let errno = refusals["\(rule)"] { throw errno }
    switch flaw {
    case .plainRename where rule == .exchange:
      try inner.rename(other, target, to: name, in: directory, .replace)
    case .linkThenRename where rule == .exchange:
      let part = ".\(name).0123456789abcdef.part"
      try inner.rename(other, target, to: part, in: other, .replace)
      try inner.link(directory, name, to: target, in: other)
      try inner.rename(other, part, to: name, in: directory, .replace)
    case .rotatesFirst where rule == .exchange:
      try inner.rename(other, target, to: name, in: directory, .replace)
      try inner.rename(directory, "\(name).1", to: target, in: other, .replace)
    case .noIntent where target == "intent":
      try inner.unlink(directory, name, isDirectory: false)
    default:
      try inner.rename(directory, name, to: target, in: other, rule)
    }
  }

  package func link(
    _ directory: Int32, _ name: String, to target: String, in other: Int32
  ) throws(Errno) {
    if let errno = refusals["link"] { throw errno }
    guard flaw == .movedBackup, try isElsewhere(other, than: directory) else {
      return try inner.link(directory, name, to: target, in: other)
    }
    try inner.rename(directory, name, to: target, in: other, .replace)
  }

  package func unlink(_ directory: Int32, _ name: String, isDirectory: Bool) throws(Errno) {
    guard flaw == .movedBackup else {
      return try inner.unlink(directory, name, isDirectory: isDirectory)
    }
    try ignoring(.ENOENT) { () throws(Errno) in
      try inner.unlink(directory, name, isDirectory: isDirectory)
    }
  }

  private func isElsewhere(_ one: Int32, than other: Int32) throws(Errno) -> Bool {
    try !inner.status(of: one).isSameFile(as: inner.status(of: other))
  }

  /// The document of `.NAME.ID.part` where that is one of ours; small files of the store are none.
  private func documentName(ofPart name: String) -> String? {
    name.hasPrefix(".\(document).") && name.hasSuffix(".part") ? document : nil
  }

  private func ignoring(_ errno: Errno, _ body: () throws(Errno) -> Void) throws(Errno) {
    do throws(Errno) { try body() } catch {
      if error != errno { throw error }
    }
  }
}
