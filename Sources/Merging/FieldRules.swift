internal import LosslessJSON

/// The rules of one place in small path numbers.
struct FieldRules {
  struct Group {
    var name: String
    var members: [UInt32]
  }

  /// An array of objects that merge by their ids.
  struct Keyed {
    var path: UInt32
    /// The place of the id inside an element.
    var id: JSONPointer
  }

  private(set) var groups: [Group] = []
  /// Without those that touch a group: that is one register.
  private(set) var keyed: [Keyed] = []
  private(set) var sets: Set<UInt32> = []
  private(set) var monotonic: Set<UInt32> = []
  /// Volatile, local and derived members: they merge by rank and say nothing.
  private(set) var silent: Set<UInt32> = []
  private(set) var silentPointers: [JSONPointer] = []

  init(_ rules: RecordRules, paths: inout PathTable) {
    groups = rules.groups.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map {
      Group(name: $0.key, members: $0.value.sorted().map { paths.intern($0) })
    }
    sets = Set(rules.sets.map { paths.intern($0) })
    monotonic = Set(rules.monotonic.map { paths.intern($0) })
    for (array, id) in rules.keyed.sorted(by: { $0.key < $1.key }) {
      let path = paths.intern(array)
      let isOfGroup = groups.contains { group in
        group.members.contains {
          paths.lies(path, atOrBelow: $0) || paths.lies($0, atOrBelow: path)
        }
      }
      if !isOfGroup { keyed.append(Keyed(path: path, id: id)) }
    }
    silentPointers = rules.volatile.union(rules.local).union(rules.derived).sorted()
    silent = Set(silentPointers.map { paths.intern($0) })
  }

  /// Whether the path or a container around it merges silently.
  func isSilent(_ path: UInt32, _ paths: PathTable) -> Bool {
    guard !silent.isEmpty else { return false }
    var path: UInt32? = path
    while let current = path {
      if silent.contains(current) { return true }
      path = paths.parent(current)
    }
    return false
  }

  func keyed(at path: UInt32) -> Keyed? {
    keyed.isEmpty ? nil : keyed.first { $0.path == path }
  }

  /// The group of which the path is a member or a part of one.
  func group(of path: UInt32, _ paths: PathTable) -> Group? {
    guard !groups.isEmpty else { return nil }
    return groups.first { $0.members.contains { paths.lies(path, atOrBelow: $0) } }
  }
}
