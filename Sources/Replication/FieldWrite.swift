package import LosslessJSON

/// How a write at a path becomes a write of a member that is there.
package enum FieldWrite {
  /// The topmost place that has to be written: where the record has no object on the way, the
  /// rest of the path becomes objects around the value.
  package static func topmost(
    _ path: JSONPointer, _ value: JSONText, in root: JSONNode
  ) -> (JSONPointer, JSONText) {
    var node: JSONNode? = root
    for (depth, token) in path.tokens.enumerated().dropLast() {
      let next = node.flatMap { $0.kind == .object ? $0.member(token) : nil }
      guard let next, next.kind == .object else {
        let rest = path.tokens[(depth + 1)...]
        let wrapped = rest.reversed().reduce(value) { wrapping($0, in: $1) }
        return (JSONPointer(Array(path.tokens[...depth])), wrapped)
      }
      node = next
    }
    return (path, value)
  }

  private static func wrapping(_ value: JSONText, in key: JSONKey) -> JSONText {
    JSONText(
      unchecked: [UInt8(ascii: "{")] + key.literal + [UInt8(ascii: ":")] + value.bytes
        + [UInt8(ascii: "}")])
  }
}
