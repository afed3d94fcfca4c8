import SystemCalls

/// All files of a disk at one moment, as a value.
package struct DiskImage: Sendable {
  static let root: UInt64 = 1

  private(set) var files: [UInt64: DiskFile] = [
    root: DiskFile(.directory, mode: 0o755, at: 0)
  ]
  private var nextFile: UInt64 = 2

  package init() {}

  /// A file without a name.
  mutating func add(_ file: DiskFile) -> UInt64 {
    let number = nextFile
    nextFile += 1
    files[number] = file
    return number
  }

  mutating func apply(_ effect: DiskEffect, at nanoseconds: Int64) {
    switch effect {
    case .write(let file, let offset, let bytes):
      files[file]?.write(bytes, at: offset)
      touch(file, nanoseconds, isContent: true)
    case .grow(let file, let size):
      if let before = files[file]?.sizeBytes, before < size { files[file]?.sizeBytes = size }
      touch(file, nanoseconds, isContent: true)
    case .cut(let file, let size):
      files[file]?.cut(to: size)
      touch(file, nanoseconds, isContent: true)
    case .describe(let file, let mode, let owner, let group, let attributes):
      files[file]?.mode = mode
      files[file]?.owner = owner
      files[file]?.group = group
      files[file]?.attributes = attributes
      touch(file, nanoseconds, isContent: false)
    case .names(let directory, let namings):
      for naming in namings { name(naming, in: directory, nanoseconds) }
      touch(directory, nanoseconds, isContent: true)
    }
  }

  private mutating func name(
    _ naming: DiskEffect.Naming, in directory: UInt64, _ nanoseconds: Int64
  ) {
    let before = files[directory]?.entries[naming.name]
    files[directory]?.entries[naming.name] = naming.file
    if let before {
      files[before]?.links -= 1
      touch(before, nanoseconds, isContent: false)
    }
    if let file = naming.file {
      files[file]?.links += 1
      touch(file, nanoseconds, isContent: false)
      if files[file]?.kind == .directory { files[file]?.parent = directory }
    }
  }

  private mutating func touch(_ file: UInt64, _ nanoseconds: Int64, isContent: Bool) {
    if isContent { files[file]?.modifiedNanoseconds = nanoseconds }
    files[file]?.changedNanoseconds = nanoseconds
  }

  /// A number that tells disks apart by all that can be read on them, times left out.
  package var digest: Int {
    var hasher = Hasher()
    var seen: [UInt64: Int] = [:]
    digest(Self.root, &hasher, &seen)
    return hasher.finalize()
  }

  private func digest(_ number: UInt64, _ hasher: inout Hasher, _ seen: inout [UInt64: Int]) {
    // A second name of one file is told from a second file.
    if let order = seen[number] {
      hasher.combine(order)
      return
    }
    seen[number] = seen.count
    guard let file = files[number] else { return }
    hasher.combine(file.kind)
    hasher.combine(file.mode)
    hasher.combine(file.owner)
    hasher.combine(file.group)
    hasher.combine(file.attributes)
    if file.kind == .directory {
      for name in file.entries.keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
        hasher.combine(name)
        if let child = file.entries[name] { digest(child, &hasher, &seen) }
      }
    } else {
      // Zeros that nobody wrote are in the size; they may be a megabyte.
      hasher.combine(file.sizeBytes)
      file.written.withUnsafeBytes { bytes in
        hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: bytes.prefix(file.sizeBytes)))
      }
    }
  }
}
