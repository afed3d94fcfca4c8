package import LosslessJSON

/// Hides the values of secret members in what is shown to people and logs.
///
/// A member is secret by its name at any depth, whatever the case of its letters, or because the
/// configuration names its place. Too much is hidden rather than too little: an array index counts
/// as any step of a configured pointer.
package struct SecretMask: Sendable {
  /// What stands in place of a secret.
  package static let mask = JSONText.string("***")

  private static let names: Set<[UInt8]> = Set(
    ["password", "passphrase", "privatekey", "token", "secret"].map { Array($0.utf8) })

  private let pointers: [JSONPointer]
  private let isOff: Bool

  /// - Parameter pointers: the `secrets` of the configuration, inside a record.
  package init(pointers: [JSONPointer]) {
    self.pointers = pointers
    isOff = false
  }

  private init() {
    pointers = []
    isOff = true
  }

  /// Shows everything, for `--show-secrets`.
  package static let off = SecretMask()

  /// A value as it may be shown, when it stands at `path` inside its record.
  ///
  /// - Complexity: one parse of a container; scalars are looked at by their path alone.
  package func masked(_ value: JSONText, at path: JSONPointer) -> JSONText {
    if isOff { return value }
    if (1...max(1, path.tokens.count)).contains(where: { isSecret(path.tokens.prefix($0)) }) {
      return Self.mask
    }
    guard value.kind.isContainer else { return value }
    // Text that is no JSON has no members; hiding all of it is the safe answer.
    guard let tree = try? JSONTree(parsing: value) else { return Self.mask }
    var ranges: [Range<Int>] = []
    collect(tree.root, at: path.tokens, into: &ranges)
    if ranges.isEmpty { return value }
    var bytes: [UInt8] = []
    var position = tree.root.range.lowerBound
    for range in ranges {
      bytes += tree.bytes[position..<range.lowerBound]
      bytes += Self.mask.bytes
      position = range.upperBound
    }
    bytes += tree.bytes[position..<tree.root.range.upperBound]
    return JSONText(unchecked: bytes)
  }

  /// Ranges of secret values, in order; what lies inside one is not looked at.
  private func collect(_ node: JSONNode, at path: [JSONKey], into ranges: inout [Range<Int>]) {
    for member in node.members {
      // The members of a group's value are pointers.
      let steps = Self.steps(of: member.key)
      let inner = path + steps
      let isHidden = (path.count + 1...inner.count).contains { isSecret(inner.prefix($0)) }
      if isHidden {
        ranges.append(member.value.range)
      } else if member.value.kind.isContainer {
        collect(member.value, at: inner, into: &ranges)
      }
    }
    for element in node.elements where element.kind.isContainer {
      collect(element, at: path + ["0"], into: &ranges)
    }
  }

  private static func steps(of key: JSONKey) -> [JSONKey] {
    guard key.bytes.first == UInt8(ascii: "/") else { return [key] }
    // A name that begins with / and is no pointer is just a name.
    guard let pointer = try? JSONPointer(parsing: key.bytes), !pointer.isRoot else { return [key] }
    return pointer.tokens
  }

  private func isSecret(_ path: ArraySlice<JSONKey>) -> Bool {
    guard let last = path.last else { return false }
    if Self.names.contains(Self.lowercased(last.bytes)) { return true }
    return pointers.contains { Self.matches($0.tokens[...], path) }
  }

  /// True if the pointer names the path, where an index, or below the first step the id of an
  /// element of a keyed array, may also be no step at all.
  private static func matches(
    _ pointer: ArraySlice<JSONKey>, _ path: ArraySlice<JSONKey>, isInside: Bool = false
  ) -> Bool {
    guard let step = path.first else { return pointer.isEmpty }
    if pointer.first == step,
      matches(pointer.dropFirst(), path.dropFirst(), isInside: true)
    {
      return true
    }
    return (isInside || isIndex(step)) && path.count > 1
      && matches(pointer, path.dropFirst(), isInside: isInside)
  }

  private static func isIndex(_ key: JSONKey) -> Bool {
    !key.bytes.isEmpty && key.bytes.allSatisfy { (0x30...0x39).contains($0) }
  }

  private static func lowercased(_ bytes: [UInt8]) -> [UInt8] {
    bytes.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }
  }
}
