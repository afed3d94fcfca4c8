import LosslessJSON
import Merging
import Testing

@testable import Records

/// Documents that share records with another one are the same as those that share none.
@Suite struct SharingTests {
  private static let shapes: [(shape: DocumentShape, open: String, close: String)] = [
    (.items, "{\"v\": 1, \"items\": [", "], \"w\": {\"a\": 1}}\n"),
    (
      DocumentShape(collections: [
        .init(name: "m", at: .root, kind: .map, except: ["x"]),
        .init(name: "list", at: pointer("/x"), kind: .array, id: [pointer("/id")]),
      ]), "{", "}"
    ),
    (
      DocumentShape(
        dialect: .jsonl,
        collections: [.init(name: "l", at: .root, kind: .array, id: [pointer("/id")])]), "", "\n"
    ),
  ]

  @Test(arguments: 0..<3, [1, 2, 3, 4, 5, 6, 7, 8])
  func `an edited document is the same whether it shares records or not`(
    number: Int, seed: UInt64
  ) throws {
    let (shape, open, close) = Self.shapes[number]
    var chance = Generator(seed: seed)
    var shared = 0
    for _ in 0..<40 {
      var items = (0..<30 + chance.number(60)).map { Self.item($0, number, &chance) }
      let text = { (items: [String]) in
        open + items.joined(separator: number == 2 ? "\n" : ",\n  ") + close
      }
      let old = try SplitDocument(text(items), shape)
      for _ in 0..<chance.number(5) { Self.edit(&items, number, &chance) }
      let bytes = Array(text(items).utf8)
      let whole = try SplitDocument(bytes: bytes, shape: shape)
      try expectSame(SplitDocument(bytes: bytes, shape: shape, foldBytesMin: 0), whole)
      guard let likewise = SplitDocument(bytes: bytes, sharing: old, &chance) else { continue }
      shared += 1
      try expectSame(likewise, whole)
      #expect(likewise.hasSameContent(as: whole) && whole.hasSameContent(as: likewise))
      #expect(likewise.hasSameContent(as: old) == whole.hasSameContent(as: old))
    }
    #expect(shared > 10)
  }

  @Test(arguments: 0..<3, [11, 12, 13, 14, 15, 16])
  func `a rewrite means the same whether its candidates share records or not`(
    number: Int, seed: UInt64
  ) throws {
    let (shape, open, close) = Self.shapes[number]
    var chance = Generator(seed: seed)
    for _ in 0..<15 {
      var items = (0..<30 + chance.number(40)).map { Self.item($0, number, &chance) }
      var texts: [[UInt8]] = []
      for _ in 0..<4 {
        let text = open + items.joined(separator: number == 2 ? "\n" : ",\n  ") + close
        texts.append(Array(text.utf8))
        for _ in 0..<chance.number(4) { Self.edit(&items, number, &chance) }
      }
      let rewrite = try SplitDocument(bytes: texts[3], shape: shape)
      let plans = try [false, true].map { isShared in
        let candidates = try texts[..<3].enumerated().map { position, bytes in
          let whole = try SplitDocument(bytes: bytes, shape: shape)
          let shared = SplitDocument(bytes: bytes, sharing: rewrite, &chance)
          return BaseCandidate(position + 1, isShared ? shared ?? whole : whole)
        }
        return ImportPlanner.plan(
          ImportRequest(
            document: Configuration.Document(shape: shape), incoming: rewrite,
            candidates: candidates, writer: .oneOf([])))
      }
      #expect(plans[0].outcome == plans[1].outcome && plans[0].base == plans[1].base)
      #expect(plans[0].lines == plans[1].lines)
      #expect(plans[0].decisions == plans[1].decisions)
    }
  }

  private static func item(_ id: Int, _ number: Int, _ chance: inout Generator) -> String {
    let value = "{\"id\": \(id), \"v\": \(chance.value())}".filter { number < 2 || !$0.isNewline }
    if number != 1 { return value }
    return id == 0 ? "\"x\": [{\"id\": 1}, {\"id\": 2}]" : "\"k\(id)\": \(value)"
  }

  private static func edit(_ items: inout [String], _ number: Int, _ chance: inout Generator) {
    let place = chance.number(items.count)
    switch chance.number(7) {
    case 0: items.remove(at: place)
    case 1: items.insert(item(1000 + chance.number(9), number, &chance), at: place)
    case 2: items.insert(items[chance.number(items.count)], at: place)
    case 3: items.swapAt(place, chance.number(items.count))
    case 4: items.removeSubrange(place..<min(items.count, place + 30))
    case 5 where number < 2: items[place] = "  \n" + items[place]
    default: items[place] = item(place, number, &chance)
    }
    if items.isEmpty { items = [item(1, number, &chance)] }
  }

  private func expectSame(_ one: SplitDocument, _ other: SplitDocument) throws {
    #expect(one.assembled() == Array(other.bytes))
    #expect(Array(one.tree.bytes) == Array(other.bytes))
    #expect(JSONStyle.detect(in: one.sample) == JSONStyle.detect(in: other.sample))
    #expect(one.frame == other.frame && one.frameLayout == other.frameLayout)
    #expect(one.ranges == other.ranges && one.missing == other.missing)
    try #require(one.records.count == other.records.count)
    for (left, right) in zip(one.records, other.records) {
      #expect(left.key == right.key && left.id == right.id && left.text == right.text)
      #expect(left.layout == right.layout && left.occurrence == right.occurrence)
      #expect(left.collection == right.collection)
      #expect(
        one.positions(left.collection, left.key) == other.positions(left.collection, left.key))
    }
    for collection in one.shape.recordCollections {
      #expect(one.shared(collection.name) == other.shared(collection.name))
      #expect(one.positions(collection.name, .string("none")) == nil)
    }
  }

  @Test func `a long document keeps only what differs`() throws {
    var items = (0..<2000).map { "{\"id\": \($0), \"name\": \"number \($0)\"}" }
    let text = { "{\"items\": [\n" + items.joined(separator: ",\n") + "\n]}\n" }
    let old = try SplitDocument(text())
    items[5] = "{\"id\": 5, \"name\": \"other\"}"
    items.removeSubrange(300..<900)
    items.insert("{\"id\": 9999999999999999}", at: 1200)
    let bytes = Array(text().utf8)
    let new = try SplitDocument(bytes: bytes, shape: .items, like: [old])
    #expect(!new.isWhole && new.table.tree.bytes.count < 8000)
    try expectSame(new, SplitDocument(bytes: bytes, shape: .items))
    #expect(new.roundable(in: 0..<new.records.count) == [1200])
  }

  @Test func `records that the other document has elsewhere are not taken for the same`() throws {
    let items = (0..<40).map { "{\"id\": \($0)}" }.joined(separator: ",\n")
    let old = try SplitDocument("{\"items\": [\(items)]}")
    var chance = Generator(seed: 5)
    // The same text as a string, in another list, and in a list inside a record.
    let quoted = JSONText.string("{\"items\": [\(items)]}").bytes
    for text in [
      "{\"items\": [1,2,3], \"other\": [\(items)]}",
      "{\"items\": [{\"id\": 1, \"x\": [\(items)]}]}",
      "{\"items\": [{\"id\": 1}, {\"id\": 2}], \"x\": \(String(decoding: quoted, as: UTF8.self))}",
    ] {
      let bytes = Array(text.utf8)
      guard let new = SplitDocument(bytes: bytes, sharing: old, &chance, keeping: 1) else {
        continue
      }
      try expectSame(new, SplitDocument(bytes: bytes, shape: .items))
    }
  }

  @Test func `text that is no document is refused with the same error`() throws {
    let items = (0..<200).map { "{\"id\": \($0)}" }
    let old = try SplitDocument("{\"items\": [\(items.joined(separator: ","))]}")
    let bytes = Array("{\"items\": [\(items.joined(separator: ",")),]}".utf8)
    let one = #expect(throws: JSONError.self) {
      try SplitDocument(bytes: bytes, shape: .items, like: [old])
    }
    let other = #expect(throws: JSONError.self) { try SplitDocument(bytes: bytes, shape: .items) }
    #expect(one == other)
  }
}

extension SplitDocument {
  /// Shares whatever can be shared, and comes in pieces of any length.
  fileprivate init?(
    bytes: [UInt8], sharing other: SplitDocument, _ chance: inout Generator, keeping kept: Int = 3
  ) {
    let windowMax = [1, 100, 1000, 1 << 20][chance.number(4)]
    guard
      let common = CommonRecords(of: other, keeping: kept, windowMax: windowMax, restMax: .max)
    else { return nil }
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = rest.prefix(1 + chance.number(2000))
      piece.withUnsafeBytes { common.take($0) }
      rest = rest.dropFirst(piece.count)
    }
    guard let shared = common.document() else { return nil }
    self = shared
  }
}
