import SystemCalls

/// Where a path leads on a simulated disk.
struct PathWalk {
  /// The directory of the last name; the file itself where the path has no name, as `.` or `/`.
  let directory: UInt64
  /// Empty where the path has none.
  let name: [UInt8]
  let file: UInt64?

  struct Rules {
    var followsLast = false
    /// Neither links nor `..` nor absolute paths, as openat2(2) with RESOLVE_BENEATH.
    var isBeneath = false
  }

  init(_ image: DiskImage, from start: UInt64, _ path: String, _ rules: Rules) throws(Errno) {
    guard !path.isEmpty else { throw .ENOENT }
    // A single name is by far the most common, and needs no list of parts.
    if let walk = try Self.single(image, in: start, path, rules) {
      self = walk
      return
    }
    var rest = Self.parts(path)[...]
    var directory = start
    if path.utf8.first == slash {
      if rules.isBeneath { throw .EXDEV }
      directory = DiskImage.root
    }
    var links = 0
    while let part = rest.popFirst() {
      guard part.count <= 255 else { throw .ENAMETOOLONG }
      guard let here = image.files[directory], here.kind == .directory else { throw .ENOTDIR }
      if part == Array("..".utf8) {
        if rules.isBeneath { throw .EXDEV }
        directory = here.parent
        continue
      }
      let found = here.entries[part]
      if let found, let file = image.files[found], file.kind == .symbolicLink,
        !rest.isEmpty || rules.followsLast
      {
        links += 1
        guard !rules.isBeneath, links <= 40 else { throw .ELOOP }
        if file.bytes.first == slash { directory = DiskImage.root }
        rest = (Self.parts(String(decoding: file.bytes, as: UTF8.self)) + rest)[...]
        continue
      }
      if rest.isEmpty {
        (self.directory, name, self.file) = (directory, part, found)
        return
      }
      guard let found else { throw .ENOENT }
      directory = found
    }
    (self.directory, name, file) = (directory, [], directory)
  }

  private init(directory: UInt64, name: [UInt8], file: UInt64?) {
    (self.directory, self.name, self.file) = (directory, name, file)
  }

  private static func single(
    _ image: DiskImage, in directory: UInt64, _ path: String, _ rules: Rules
  ) throws(Errno) -> PathWalk? {
    let name = Array(path.utf8)
    guard name.count <= 255, name[0] != UInt8(ascii: "."), !name.contains(slash),
      image.files[directory]?.kind == .directory
    else { return nil }
    let found = image.files[directory]?.entries[name]
    if rules.followsLast, let found, image.files[found]?.kind == .symbolicLink { return nil }
    return PathWalk(directory: directory, name: name, file: found)
  }

  private static func parts(_ path: String) -> [[UInt8]] {
    path.utf8.split(separator: slash).map(Array.init).filter { $0 != [UInt8(ascii: ".")] }
  }
}

private let slash = UInt8(ascii: "/")
