import LosslessJSON
import Merging
import Records
import SystemCalls

/// What is checked of any bytes; a wrong answer traps with its name.
enum FuzzTarget: String, CaseIterable {
  case parse
  case edit
  case split
  case schema

  func run(_ bytes: [UInt8]) {
    switch self {
    case .parse: Self.parse(bytes)
    case .edit: Self.edit(bytes)
    case .split: Self.split(bytes)
    case .schema: Self.schema(bytes)
    }
  }

  private static let dialects: [JSONDialect] = [.json, .jsonc, .jsonl]

  private static func tree(_ bytes: ArraySlice<UInt8>, _ dialect: JSONDialect) -> JSONTree? {
    do throws(JSONError) {
      return try JSONTree(parsing: bytes, dialect: dialect)
    } catch {
      check(error.offset <= bytes.count, "an error lies outside of the text: \(error)")
      check(error.line >= 1 && error.column >= 1, "an error has no line: \(error)")
      return nil
    }
  }

  // MARK: - Parsing

  private static func parse(_ bytes: [UInt8]) {
    var accepted: [JSONDialect] = []
    for dialect in dialects {
      // The same bytes inside a longer buffer, with what would go on with the text around them.
      let padded = [0x31, 0x22] + bytes + [0x31, 0x22, 0x5D, 0x7D]
      let slice = tree(padded[2..<(2 + bytes.count)], dialect)
      let whole = tree(bytes[...], dialect)
      check((slice == nil) == (whole == nil), "bytes beside the text count in \(dialect)")
      for depth in 1...3 {
        // Whatever the reason, it must be refused if and only if it is refused without folding.
        let folded = try? JSONTree(parsing: bytes, dialect: dialect, foldDepth: depth)
        check(folded?.root.valueHash == whole?.root.valueHash, "folded it is another value")
      }
      guard let whole, let slice else { continue }
      accepted.append(dialect)
      // Nothing is edited, so this cannot throw.
      check((try? whole.applying([])) == bytes, "an unedited text changed in \(dialect)")
      check(
        Array(slice.root.text.bytes) == Array(whole.root.text.bytes), "a slice reads differently")
      walk(whole)
    }
    if accepted.contains(.json) {
      check(accepted.contains(.jsonc), "jsonc refuses what json accepts")
    }
    compareScanners(bytes)
  }

  /// A comment sends the text to the scanner that reads byte by byte.
  private static func compareScanners(_ bytes: [UInt8]) {
    let (fast, slow) = (tree(bytes[...], .jsonc), tree(bytes[...] + Array("/**/".utf8), .jsonc))
    check(slow != nil || fast == nil, "only the fast scanner accepts it")
    guard let fast, let slow else { return }
    var open = [(fast.root, slow.root)]
    while let (one, other) = open.popLast() {
      check(
        one.range == other.range && one.kind == other.kind && one.valueHash == other.valueHash,
        "the scanners find different values")
      open += zip(one.members.map(\.value), other.members.map(\.value))
      open += zip(one.elements, other.elements)
    }
  }

  /// Every value lies where its text parses again, inside of its container.
  private static func walk(_ tree: JSONTree) {
    var open = [tree.root]
    var count = 0
    while let node = open.popLast(), count < 300 {
      count += 1
      let children = node.members.map(\.value) + Array(node.elements)
      check(node.childCount == children.count, "children are counted differently")
      for child in children {
        check(
          node.range.lowerBound <= child.range.lowerBound
            && child.range.upperBound <= node.range.upperBound, "a child lies outside")
      }
      open += children
      guard !node.hasLines else { continue }
      // A text of a tree is a text; the trap says what did not parse.
      guard let again = try? JSONTree(parsing: node.text) else {
        wrong("the text of a value does not parse: \(node.text)")
      }
      check(again.root.kind == node.kind, "a text has another kind alone")
      check(again.root.hasSameValue(as: node), "a text means something else alone")
      check(again.root.valueHash == node.valueHash, "equal values hash differently")
    }
  }

  // MARK: - Editing

  private static func edit(_ bytes: [UInt8]) {
    for dialect in dialects {
      guard let tree = tree(bytes[...], dialect) else { continue }
      var random = FuzzRandom(seed: XXH3.hash64(bytes))
      var edits: [JSONEdit] = []
      for _ in 0..<(1 + random.below(4)) { edits.append(edit(of: tree, &random)) }
      // Edits without a place are refused, which is right.
      guard let result = try? tree.applying(edits) else { continue }
      check(
        self.tree(result[...], dialect) != nil,
        "after \(edits) of \(String(decoding: bytes, as: UTF8.self)) in \(dialect) is no text:"
          + " \(String(decoding: result, as: UTF8.self))")
    }
  }

  private static func edit(of tree: JSONTree, _ random: inout FuzzRandom) -> JSONEdit {
    var node = tree.root
    var path = JSONPointer.root
    while random.below(3) != 0 {
      let members = Array(node.members)
      let elements = Array(node.elements)
      if !members.isEmpty {
        let member = members[random.below(members.count)]
        path = path.appending(member.key)
        node = member.value
      } else if !elements.isEmpty {
        let index = random.below(elements.count)
        path = path.appending(JSONKey("\(index)"))
        node = elements[index]
      } else {
        break
      }
    }
    let values = [
      "1", "\"x\"", "{}", "[1, 2]", "{\n  \"k\": [\n    true\n  ]\n}", "{\"a\" : /* c */ 2}",
    ]
    let text = JSONText(unchecked: Array(values[random.below(5 + (tree.hasLines ? 1 : 0))].utf8))
    switch (random.below(3), node.kind) {
    case (0, _) where !path.isRoot: return .remove(path)
    case (1, _) where !path.isRoot || !tree.hasLines: return .replace(path, with: text)
    case (_, .object):
      return .insertMember(
        in: path, key: JSONKey("n\(random.below(3))"), keyText: nil, value: text,
        at: random.below(2) == 0 ? .first : .last)
    case (_, .array):
      return .insertElement(
        in: path, value: text, at: random.below(2) == 0 ? .last : .after(random.below(3)))
    default: return .replace(path.isRoot && tree.hasLines ? JSONPointer(["0"]) : path, with: text)
    }
  }

  // MARK: - Taking apart

  private static let collection = DocumentShape.Collection(
    name: "items", at: JSONPointer(["items"]), kind: .array, id: [JSONPointer(["id"])])

  private static let shapes: [DocumentShape] = {
    let root = DocumentShape.Collection(
      name: "items", at: .root, kind: .array, id: [JSONPointer(["id"])])
    let map = DocumentShape.Collection(
      name: "map", at: .root, kind: .map, except: [JSONKey("items"), JSONKey("x")])
    return [
      DocumentShape(dialect: .jsonc, collections: [collection]),
      DocumentShape(dialect: .jsonc, collections: [map, collection]),
      DocumentShape(dialect: .jsonc, collections: [root]),
      DocumentShape(dialect: .jsonl, collections: [root]),
    ]
  }()

  private static func shown(_ bytes: [UInt8]) -> String {
    String(decoding: bytes, as: UTF8.self).debugDescription
  }

  private static func split(_ bytes: [UInt8]) {
    for shape in shapes {
      // What is no text of this dialect is the business of `parse`.
      guard let split = try? SplitDocument(bytes: bytes, shape: shape) else { continue }
      check(
        split.assembled() == bytes,
        "\(shown(bytes)) put together again: \(shown(split.assembled()))")
      // What was accepted is accepted again.
      guard let folded = try? SplitDocument(bytes: bytes, shape: shape, foldBytesMin: 0) else {
        wrong("folded it is refused")
      }
      check(folded.hasSameContent(as: split) && folded.assembled() == bytes, "folded it differs")
      var random = FuzzRandom(seed: XXH3.hash64(bytes))
      var records = split.records.map(AssembledRecord.init)
      if !records.isEmpty { records.remove(at: random.below(records.count)) }
      if let name = shape.recordCollections.first?.name {
        let new = JSONText(unchecked: Array("{\"id\":\n\"new\"}".utf8))
        let record = AssembledRecord(
          collection: name, text: new,
          id: shape.recordCollections[0].kind == .map ? .string("new") : nil)
        records.insert(record, at: random.below(records.count + 1))
      }
      let changed = SplitDocument.assemble(
        frame: split.frame, frameLayout: split.frameLayout, shape: shape, records: records)
      // The trap says what did not parse.
      guard let again = try? SplitDocument(bytes: changed, shape: shape) else {
        wrong(
          "with other records it is no text: \(String(decoding: changed, as: UTF8.self))")
      }
      check(again.records.count >= min(1, records.count), "records were lost")
      guard let common = CommonRecords(of: split, keeping: 0, windowMax: 64, restMax: .max) else {
        continue
      }
      changed.withUnsafeBytes { common.take($0) }
      guard let shared = common.document() else { continue }
      check(shared.assembled() == changed, "with shared records it has other bytes")
      check(shared.hasSameContent(as: again), "with shared records it means something else")
    }
  }

  // MARK: - Schemas

  /// A schema on the first line, a value before and one behind: two contents of one settings file.
  private static func schema(_ bytes: [UInt8]) {
    let lines = bytes.split(separator: 0x0A, maxSplits: 2, omittingEmptySubsequences: false)
    guard lines.count == 3, let schema = tree(lines[0], .json) else { return }
    let shape = DocumentShape(collections: [.init(name: "all", at: .root, kind: .document)])
    // Contents that are no JSON are not for this target.
    guard let before = try? SplitDocument(bytes: Array(lines[1]), shape: shape),
      let after = try? SplitDocument(bytes: Array(lines[2]), shape: shape)
    else { return }
    let document = Configuration.Document(name: "d", file: "d.json", shape: shape)
    let profile = ClientProfile(
      name: "c", schemas: [.init(document: "d", collection: nil): JSONSchema(schema)],
      numbers: .double, omitsNull: true, drops: .mistyped)
    for incoming in [before, after] {
      let base = BaseCandidate(number: 1) { before }
      var request = ImportRequest(
        document: document, incoming: incoming, candidates: [base], writer: .named(profile))
      request.acceptsBulkDelete = true
      let plan = ImportPlanner.plan(request)
      check(
        incoming.bytes != before.bytes || plan.outcome == .nothing, "nothing is taken for something"
      )
    }
  }
}

/// Traps with a message, which an optimised build would leave out.
private func wrong(_ message: String) -> Never {
  // Nothing is left to do if even this fails.
  try? StandardStream.error.write("Fuzz: \(message)\n")
  fatalError()
}

private func check(_ condition: Bool, _ message: @autoclosure () -> String) {
  if !condition { wrong(message()) }
}

/// SplitMix64.
struct FuzzRandom {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }

  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}
