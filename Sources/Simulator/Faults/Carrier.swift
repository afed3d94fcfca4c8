import Storage
import SystemCalls

/// Brings the files of `nodes/` from machine to machine, as any program that copies files would: some late,
/// some not at all, some in part.
final class Carrier {
  private let plan: Plan
  /// Machines of which a bit is set cannot reach the others.
  private var parted: UInt64 = 0

  init(_ plan: Plan) { self.plan = plan }

  func part(_ chance: inout Chance) { parted = chance.next() }
  func join() { parted = 0 }

  static let nodes = Machine.control.appending(StoreLayout.nodes)

  private func reaches(_ one: Machine, _ other: Machine) -> Bool {
    (parted >> UInt64(one.number)) & 1 == (parted >> UInt64(other.number)) & 1
  }

  /// One transfer of what some other machine has.
  func carry(to machine: Machine, among machines: [Machine], _ chance: inout Chance) throws {
    let others = machines.filter { $0 !== machine }
    guard !others.isEmpty else { return }
    let from = chance.pick(others)
    guard reaches(from, machine) else { return }
    guard !chance.once(in: 3) else { return try mirror(from, machine) }
    for file in try Self.allFiles(of: from) where try !isOwn(file, machine) {
      if plan.has(.disorder), chance.once(in: 3) { continue }
      try carry(file, from, machine, &chance)
    }
  }

  private func carry(
    _ file: String, _ from: Machine, _ to: Machine, _ chance: inout Chance
  ) throws {
    let path = Self.nodes.appending(file)
    guard let bytes = try from.files.bytes(path) else { return }
    let known = try to.files.bytes(path)
    if plan.has(.conflictCopies), let known, known != bytes, chance.once(in: 3) {
      let name = path.lastComponent.split(separator: ".").first.map(String.init) ?? "x"
      try to.files.put(
        known, at: path.parent.appending("\(name).sync-conflict-20261130-120000-AAAAAAA.jsonl"))
    }
    if plan.has(.truncation), chance.once(in: 4) {
      let short = Array(bytes.prefix(chance.below(bytes.count + 1)))
      to.workplace.state.withLock {
        $0.tell { "\(short.count) of \(bytes.count) bytes of \(file)" }
      }
      return try put(short, at: path, to)
    }
    // A relay that has an older version does not replace a newer one, unless it is a bad one.
    let isNewer = bytes.count > known?.count ?? -1
    guard isNewer || plan.has(.oldVersions) && chance.once(in: 2) else { return }
    try put(bytes, at: path, to)
  }

  private func put(_ bytes: [UInt8], at path: FilePath, _ to: Machine) throws {
    try to.files.makeDirectories(path.parent)
    guard try to.files.bytes(path) != bytes else { return }
    try to.files.put(bytes, at: path)
  }

  /// What a machine's own nodes have is brought to another one exactly, removals too; of others only what
  /// is longer.
  func mirror(_ from: Machine, _ to: Machine) throws {
    let own = try from.ownNodes()
    let files = try Self.allFiles(of: from)
    for file in files where try !isOwn(file, to) {
      let path = Self.nodes.appending(file)
      guard let bytes = try from.files.bytes(path) else { continue }
      let isOwner = own.contains { file.hasPrefix($0) }
      let known = try to.files.bytes(path)
      if isOwner || bytes.count > known?.count ?? -1 { try put(bytes, at: path, to) }
    }
    let wanted = Set(files)
    for file in try Self.allFiles(of: to)
    where own.contains(where: { file.hasPrefix($0) }) && !wanted.contains(file) {
      try to.files.remove(Self.nodes.appending(file))
    }
  }

  private func isOwn(_ file: String, _ machine: Machine) throws -> Bool {
    try machine.ownNodes().contains { file.hasPrefix($0) }
  }

  /// All files below `nodes/`, those of logs last: a description comes before what it describes.
  static func allFiles(of machine: Machine) throws -> [String] {
    var found: [String] = []
    for node in try machine.files.names(Self.nodes) {
      let directory = Self.nodes.appending(node)
      for name in try machine.files.names(directory).sorted(by: >) {
        if machine.files.status(directory.appending(name))?.kind == .directory {
          for file in try machine.files.names(directory.appending(name))
          where !file.hasPrefix(".") {
            found.append("\(node)/\(name)/\(file)")
          }
        } else if !name.hasPrefix(".") {
          found.append("\(node)/\(name)")
        }
      }
    }
    return found
  }
}

extension Machine {
  /// The directories of the nodes of this machine, as its list names or once named them.
  func ownNodes() throws -> [String] {
    let path = Self.control.appending(StoreLayout.localNodes)
    let text = String(decoding: try files.bytes(path) ?? [], as: UTF8.self)
    nodes.formUnion(
      text.split(separator: "\"id\":\"").dropFirst().map { String($0.prefix(16)) })
    return nodes.sorted()
  }
}
