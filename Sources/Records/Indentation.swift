import LosslessJSON

/// How a new first item of an empty container is to be set, seen from the lines around it.
struct Indentation {
  var newline: [UInt8]
  /// The white space at the start of the line on which the container begins; nil: all on one line.
  var own: [UInt8]?
  var step: [UInt8]
  /// Whether each item has a line, without brackets and commas.
  var hasLines: Bool
  /// Whether the container has an empty line in it, as Foundation alone prints.
  var hasEmptyLine: Bool

  init(of container: JSONNode, in tree: JSONTree) {
    let bytes = tree.bytes
    let root = tree.root.range
    hasLines = container.hasLines
    hasEmptyLine = bytes[container.inside].count { $0 == 0x0A } > 1 && container.isEmpty
    newline = bytes.contains(0x0D) ? [0x0D, 0x0A] : [0x0A]
    step = Self.blanks(bytes, after: bytes[root].firstIndex(of: 0x0A))
    let isPretty = bytes[root].contains(0x0A)
    let isRoot = container.range.lowerBound == root.lowerBound
    guard isPretty || isRoot && bytes.contains(0x0A) else {
      own = nil
      return
    }
    let line = bytes[..<container.range.lowerBound].lastIndex(of: 0x0A)
    own = line.map { Self.blanks(bytes, after: $0) } ?? []
    if step.isEmpty { step = [0x20, 0x20] }
  }

  var layout: CollectionLayout {
    if hasLines { return .lines(newline) }
    let colon = own == nil ? ":" : hasEmptyLine ? " : " : ": "
    guard let own else {
      return CollectionLayout(first: [], lead: [], close: [], colon: Array(colon.utf8), empty: [])
    }
    let lead = newline + own + step
    return CollectionLayout(
      first: lead, lead: lead, close: newline + own, colon: Array(colon.utf8), empty: [])
  }

  private static func blanks(_ bytes: ArraySlice<UInt8>, after newline: Int?) -> [UInt8] {
    guard let newline else { return [] }
    return Array(bytes[(newline + 1)...].prefix { $0 == 0x20 || $0 == 0x09 })
  }
}
