import LosslessJSON
import Testing

/// Edits of generated documents in generated layouts: only the edited bytes change.
@Suite struct GeneratedEditTests {
  struct Document {
    var source: [UInt8]
    var tree: JSONTree
    var generator: SeededGenerator

    init(seed: UInt64) throws {
      var generator = SeededGenerator(seed: seed)
      var members: [ModelValue.Member] = []
      for index in 0..<generator.below(5) {
        let value = ModelValue.random(&generator, depth: 3)
        members.append(ModelValue.Member(name: Array("k\(index)".utf16), value: value))
      }
      let model: ModelValue =
        generator.chance(50) ? .object(members) : .array(members.map(\.value))
      let value = try JSONText(validating: model.spelling(&generator))
      let styles = [JSONStyle.pretty, .foundationPretty, .compact]
      source = Array(
        generator.chance(50) ? value.bytes : value.printed(generator.pick(styles)).bytes)
      source += bytes(generator.pick(["", "\n", "\r\n"]))
      tree = try JSONTree(parsing: source)
      self.generator = generator
    }

    /// A random place in the document below its root, nil where there is none.
    mutating func randomPlace() -> JSONPointer? {
      var places: [JSONPointer] = []
      var open: [(JSONNode, JSONPointer)] = [(tree.root, .root)]
      while let (node, place) = open.popLast() {
        if !place.isRoot { places.append(place) }
        for (index, element) in node.elements.enumerated() {
          open.append((element, place.appending(index: index)))
        }
        for (key, value) in node.countingMembers() { open.append((value, place.appending(key))) }
      }
      places.sort()
      return places.isEmpty ? nil : generator.pick(places)
    }
  }

  private static func commonPrefix(_ left: [UInt8], _ right: [UInt8]) -> Int {
    zip(left, right).prefix { $0 == $1 }.count
  }

  private static func commonSuffix(_ left: [UInt8], _ right: [UInt8]) -> Int {
    commonPrefix(left.reversed(), right.reversed())
  }

  @Test func `replacing changes the value's own bytes and no others`() throws {
    for seed in 0..<400 as Range<UInt64> {
      var document = try Document(seed: seed)
      guard let place = document.randomPlace(), let node = document.tree.node(at: place) else {
        continue
      }
      let result = try document.tree.applying([.replace(place, with: .string("new"))])
      let expected =
        document.source[..<node.range.lowerBound] + bytes("\"new\"")
        + document.source[node.range.upperBound...]
      #expect(result == Array(expected), "seed \(seed)")
    }
  }

  @Test func `removing takes one run of bytes away and no value but the one`() throws {
    for seed in 0..<400 as Range<UInt64> {
      var document = try Document(seed: seed)
      guard let place = document.randomPlace(), let last = place.last, let parent = place.parent,
        let container = document.tree.node(at: parent)
      else { continue }
      // Duplicates go together and need not be neighbours.
      guard container.members.filter({ $0.hasKey(last) }).count <= 1 else { continue }
      let result = try document.tree.applying([.remove(place)])
      let kept =
        Self.commonPrefix(result, document.source) + Self.commonSuffix(result, document.source)
      #expect(kept >= result.count, "seed \(seed)")
      let tree = try JSONTree(parsing: result)
      let rest = try #require(tree.node(at: parent))
      #expect(rest.childCount == container.childCount - 1, "seed \(seed)")
      if container.kind == .object {
        var expected = container.countingMembers().mapValues(\.text)
        expected[last] = nil
        #expect(rest.countingMembers().mapValues(\.text) == expected, "seed \(seed)")
      } else {
        var expected = container.elements.map(\.text)
        expected.remove(at: last.arrayIndex ?? 0)
        #expect(rest.elements.map(\.text) == expected, "seed \(seed)")
      }
    }
  }

  @Test func `inserting adds bytes at one place and keeps all others`() throws {
    for seed in 0..<600 as Range<UInt64> {
      var document = try Document(seed: seed)
      let place = document.randomPlace() ?? .root
      guard let node = document.tree.node(at: place), node.kind.isContainer else { continue }
      let index = document.generator.below(node.childCount + 2)
      let edit: JSONEdit
      if node.kind == .array {
        edit = .insertElement(
          in: place, value: .string("new"),
          at: index == 0 ? .first : index > node.childCount ? .last : .after(index - 1))
      } else {
        edit = .insertMember(
          in: place, key: "new", keyText: nil, value: .string("new"),
          at: index == 0
            ? .first
            : index > node.childCount ? .last : .after(Array(node.members)[index - 1].key))
      }
      let result = try document.tree.applying([edit])
      if !node.isEmpty {
        let kept =
          Self.commonPrefix(result, document.source) + Self.commonSuffix(result, document.source)
        #expect(kept >= document.source.count, "seed \(seed): \(text(result))")
      }
      let tree = try JSONTree(parsing: result)
      let children = try #require(tree.node(at: place))
      #expect(children.childCount == node.childCount + 1, "seed \(seed)")
      if node.kind == .array {
        var expected = node.elements.map(\.text)
        expected.insert(.string("new"), at: min(index, node.childCount))
        #expect(children.elements.map(\.text) == expected, "seed \(seed)")
      } else {
        #expect(children.member("new")?.text == .string("new"), "seed \(seed)")
      }
    }
  }

  @Test func `inserting and removing again gives the same value back`() throws {
    for seed in 0..<300 as Range<UInt64> {
      var document = try Document(seed: seed)
      guard document.tree.root.kind == .object else { continue }
      let position: JSONEdit.MemberPosition = document.generator.chance(50) ? .first : .last
      let inserted = try document.tree.applying([
        .insertMember(in: .root, key: "new", keyText: nil, value: .null, at: position)
      ])
      let removed = try JSONTree(parsing: inserted).applying([.remove(JSONPointer(["new"]))])
      let isEmpty = document.tree.root.isEmpty
      #expect(isEmpty || removed == document.source, "seed \(seed): \(text(removed))")
      #expect(try JSONTree(parsing: removed).root.hasSameValue(as: document.tree.root))
    }
  }
}
