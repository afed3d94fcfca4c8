internal import LosslessJSON

/// Paths inside records as small numbers; the root is 0.
struct PathTable {
  private struct Step: Hashable {
    var parent: UInt32
    var key: JSONKey
  }

  static let root: UInt32 = 0

  private var numbers: [Step: UInt32] = [:]
  private(set) var parents: [UInt32] = [0]
  private(set) var keys: [JSONKey] = [JSONKey(uncheckedWTF8: [])]
  private var depths: [UInt32] = [0]

  /// The number of a path, given one if it has none yet.
  mutating func intern(_ pointer: JSONPointer) -> UInt32 {
    pointer.tokens.reduce(Self.root) { intern($1, below: $0) }
  }

  /// The number of a path one step further, given one if it has none yet.
  mutating func intern(_ key: JSONKey, below parent: UInt32) -> UInt32 {
    let step = Step(parent: parent, key: key)
    if let number = numbers[step] { return number }
    let number = UInt32(parents.count)
    parents.append(parent)
    keys.append(key)
    depths.append(depths[Int(parent)] + 1)
    numbers[step] = number
    return number
  }

  /// The number of a path one step further, if it has one.
  func child(of path: UInt32, _ key: JSONKey) -> UInt32? {
    numbers[Step(parent: path, key: key)]
  }

  func find(_ pointer: JSONPointer) -> UInt32? {
    var path = Self.root
    for key in pointer.tokens {
      guard let next = child(of: path, key) else { return nil }
      path = next
    }
    return path
  }

  func parent(_ path: UInt32) -> UInt32? { path == Self.root ? nil : parents[Int(path)] }

  func key(_ path: UInt32) -> JSONKey { keys[Int(path)] }

  func depth(_ path: UInt32) -> Int { Int(depths[Int(path)]) }

  /// Whether `path` is `ancestor` or lies below it.
  func lies(_ path: UInt32, atOrBelow ancestor: UInt32) -> Bool {
    var path = path
    let depth = depths[Int(ancestor)]
    while depths[Int(path)] > depth { path = parents[Int(path)] }
    return path == ancestor
  }

  /// The steps from one path down to another at or below it.
  func steps(from ancestor: UInt32, to path: UInt32) -> [JSONKey] {
    var steps: [JSONKey] = []
    var path = path
    while path != ancestor, path != Self.root {
      steps.append(keys[Int(path)])
      path = parents[Int(path)]
    }
    return steps.reversed()
  }

  func pointer(_ path: UInt32) -> JSONPointer { JSONPointer(steps(from: Self.root, to: path)) }
}
