import LosslessJSON

/// Changes a text by whole values, which changes of single bytes hardly bring about.
enum ValueMutation {
  /// The text with one of its values replaced, repeated or put into a list; nil for what is no text.
  static func changed(_ bytes: [UInt8], seed: UInt64) -> [UInt8]? {
    // The lines of JSON Lines are also those of the schema target.
    let trees = [JSONDialect.jsonc, .jsonl].lazy.compactMap { dialect in
      // What one dialect refuses the other may take.
      try? JSONTree(parsing: bytes, dialect: dialect)
    }
    guard let tree = trees.first else { return nil }
    var random = FuzzRandom(seed: seed)
    let place = unit(of: tree, &random)
    let old = Array(bytes[place.unit])
    switch random.below(5) {
    case 0: return replacing(place.value, in: bytes, with: DocumentMaker.value(seed: seed))
    case 1, 2:
      let other = unit(of: tree, &random)
      return replacing(place.unit, in: bytes, with: Array(bytes[other.unit]))
    case 3: return replacing(place.unit, in: bytes, with: old + [UInt8(ascii: ",")] + old)
    default:
      return replacing(
        place.value, in: bytes,
        with: [UInt8(ascii: "[")] + bytes[place.value] + [UInt8(ascii: "]")])
    }
  }

  /// Some value, and the same with the name that it has as a member.
  private static func unit(
    of tree: JSONTree, _ random: inout FuzzRandom
  ) -> (unit: Range<Int>, value: Range<Int>) {
    var node = tree.root
    var unit = node.range
    while random.below(4) != 0 {
      let members = Array(node.members)
      let elements = Array(node.elements)
      if !members.isEmpty {
        let member = members[random.below(members.count)]
        (node, unit) = (member.value, member.range)
      } else if !elements.isEmpty {
        node = elements[random.below(elements.count)]
        unit = node.range
      } else {
        break
      }
    }
    return (unit, node.range)
  }

  private static func replacing(
    _ range: Range<Int>, in bytes: [UInt8], with new: [UInt8]
  ) -> [UInt8] {
    Array(bytes[..<range.lowerBound] + new + bytes[range.upperBound...])
  }
}
