extension JSONTree {
  /// Whether most of what another document has in common with this one has other white space there.
  ///
  /// Line breaks, blanks behind brackets and between values, and colons are counted apart, by what stands
  /// here; names and values that differ, and places with comments, are not counted.
  package func isLaidOutAnew(in other: JSONTree) -> Bool {
    var comparison = LayoutComparison()
    comparison.run(root, other.root)
    return comparison.isOther
  }
}

/// Counts the places at which the white space of two documents is the same, and is not.
private struct LayoutComparison {
  private struct Votes {
    var same = 0
    var other = 0

    mutating func add(_ one: some Sequence<UInt8>, _ another: some Sequence<UInt8>) {
      if one.elementsEqual(another) { same += 1 } else { other += 1 }
    }
  }

  private static let placesMax = 4096
  private static let childrenMax = 256
  private var breaks = Votes()
  private var paddings = Votes()
  private var blanks = Votes()
  private var colons = Votes()
  private var places = 0

  var isOther: Bool { [breaks, paddings, blanks, colons].contains { $0.other > $0.same } }

  mutating func run(_ root: JSONNode, _ other: JSONNode) {
    // Depth first with a list of our own, as deep as documents may be.
    var open = [(root, other)]
    while let (one, another) = open.popLast(), places < Self.placesMax {
      guard one.kind == another.kind, one.kind.isContainer else { continue }
      let (one, another) = (one.unfolded, another.unfolded)
      let pairs = one.kind == .object ? members(one, another) : elements(one, another)
      open += pairs.reversed()
    }
  }

  private mutating func members(_ one: JSONNode, _ another: JSONNode) -> [(JSONNode, JSONNode)] {
    let left = Array(one.members.prefix(Self.childrenMax))
    let right = Array(another.members.prefix(Self.childrenMax))
    let (before, after) = (ContainerLayout(one), ContainerLayout(another))
    var pairs: [(JSONNode, JSONNode)] = []
    for (index, member) in left.enumerated() {
      // Looking for names that are not there takes time, too.
      places += 1
      let isAtPlace = { (place: Int) in right[place].keyText == member.keyText }
      let found = right.indices.contains(index) && isAtPlace(index) ? index : nil
      guard let place = found ?? right.indices.first(where: isAtPlace) else { continue }
      note(before, index, after, place)
      colons.add(
        before.source[before.colons[index]], after.source[after.colons[place]])
      pairs.append((member.value, right[place].value))
    }
    return pairs
  }

  private mutating func elements(_ one: JSONNode, _ another: JSONNode) -> [(JSONNode, JSONNode)] {
    let pairs = Array(
      zip(one.elements.prefix(Self.childrenMax), another.elements.prefix(Self.childrenMax)))
    let (before, after) = (ContainerLayout(one), ContainerLayout(another))
    var isKnown = true
    for (index, (left, right)) in pairs.enumerated() {
      // Other scalars are another value, which has a layout of its own.
      let isSame = left.kind.isContainer && left.kind == right.kind || left.text == right.text
      if isSame && isKnown { note(before, index, after, index) }
      isKnown = isSame
    }
    return pairs
  }

  private mutating func note(
    _ before: ContainerLayout, _ index: Int, _ after: ContainerLayout, _ place: Int
  ) {
    places += 1
    let (one, another) = (before.gap(index), after.gap(place))
    guard !one.hasComment, !another.hasComment else { return }
    // A child that became or was the first has no comma before it.
    let (left, right) = (one.withoutComma, another.withoutComma)
    if !one.newlines.isEmpty {
      breaks.add(left, right)
    } else if index == 0 {
      paddings.add(left, right)
    } else {
      blanks.add(left, right)
    }
  }
}
