import Glibc
import Testing

/// Machines with a store each, between which node directories are carried as sync engines do.
extension TestStore {
  /// A store on another machine, made from what a carrier brings: the logs, the configuration and
  /// the documents of a store, nothing that is local to its machine.
  convenience init(joining other: TestStore, documents: [String]) throws {
    try self.init()
    for name in documents { try Files.copy(other.path(name), to: path(name)) }
    let (source, target) = (other.path(".replicator"), path(".replicator"))
    try Files.makeDirectory(target)
    for name in try Files.names(below: source, where: { !$0.hasPrefix("local") }) {
      if Files.isDirectory(source + "/" + name) {
        try Files.makeDirectory(target + "/" + name)
      } else {
        try Files.copy(source + "/" + name, to: target + "/" + name)
      }
    }
    try succeed("watch", "--once")
  }

  /// The directories below `nodes/` that belong to this machine.
  func ownNodes() throws -> [String] {
    let list = try JSON.parse(Files.read(path(".replicator/local/nodes.json")))
    return (list["nodes"]?.elements ?? []).compactMap { $0["id"]?.string }
  }

  /// Brings the directories of another machine's nodes, each file whole or only its beginning.
  ///
  /// - Parameter share: how much of each log arrives: 1 = all of it, 0.5 = its first half, which
  ///   ends in the middle of a line.
  func receive(from other: TestStore, share: Double = 1) throws {
    for node in try other.ownNodes() {
      let (source, target) = (
        other.path(".replicator/nodes/\(node)"), path(".replicator/nodes/\(node)")
      )
      for name in try Files.names(below: source, where: { !Files.isDirectory(source + "/" + $0) }) {
        var bytes = try Files.read(source + "/" + name)
        if name.hasPrefix("log/") { bytes = Array(bytes.prefix(Int(Double(bytes.count) * share))) }
        try Files.bring(bytes, to: target + "/" + name)
      }
    }
  }

  /// Brings all that another machine has below `nodes/` except what is this machine's own.
  ///
  /// - Parameter onlyLonger: a file that is here gives way only to a longer one.
  func receiveAll(from other: TestStore, onlyLonger: Bool = false) throws {
    let (source, own) = (other.path(".replicator/nodes"), try ownNodes())
    for (name, bytes) in try Files.tree(source)
    where !name.hasSuffix("/") && !own.contains(where: name.hasPrefix) {
      let target = path(".replicator/nodes/\(name)")
      if onlyLonger, Files.exists(target), try Files.read(target).count >= bytes.count { continue }
      try Files.bring(bytes, to: target)
    }
  }
}

extension Files {
  /// Puts a file where a carrier puts it, with the directories that it lies in.
  static func bring(_ bytes: [UInt8], to path: String) throws {
    try makeDirectory(path.split(separator: "/").dropLast().map { "/" + $0 }.joined())
    try replace(path, with: bytes)
  }

  /// A directory becomes what it was when its tree was taken, as with an image of a disk.
  static func putBack(_ tree: [String: [UInt8]], at root: String) throws {
    try remove(root)
    for (name, bytes) in tree {
      if name.hasSuffix("/") {
        try makeDirectory(root + "/" + name)
      } else {
        try bring(bytes, to: root + "/" + name)
      }
    }
  }

  static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}
