import LosslessJSON
import Merging

/// Where the records of one parsed document are, in some 24 bytes for each.
///
/// Made while the document is taken apart, and only read from then on.
final class RecordTable: Sendable {
  let tree: JSONTree
  let collections: [DocumentShape.Collection]
  /// Where the records of each collection lie.
  let ranges: [Range<Int>]
  private let positions: [JSONPosition]
  let layouts: [Int: JSONText]
  /// Of each record that is not the first of its key.
  let occurrences: [Int: Int]
  /// The records whose ids are numbers that a client with binary64 changes.
  let roundable: [Int]
  private let index: KeyIndex

  init(_ builder: consuming RecordTableBuilder) {
    tree = builder.tree
    collections = builder.collections
    ranges = builder.ranges
    positions = builder.positions
    layouts = builder.layouts
    occurrences = builder.occurrences
    roundable = builder.roundable
    index = builder.index
  }

  var count: Int { positions.count }

  func collection(_ record: Int) -> DocumentShape.Collection {
    collections[collectionNumber(record)]
  }

  private func collectionNumber(_ record: Int) -> Int {
    // Few, and each begins where the one before it ends.
    ranges.lastIndex { $0.lowerBound <= record && !$0.isEmpty } ?? 0
  }

  func node(_ record: Int) -> JSONNode { tree.node(at: positions[record]) }

  /// Whether a record is a member of a map, whose name is its id.
  func isMember(_ record: Int) -> Bool { collection(record).kind == .map }

  /// Where a record begins: in a map with its name.
  func start(_ record: Int) -> Int {
    isMember(record)
      ? tree.member(valueAt: positions[record]).keyRange.lowerBound
      : node(record).range.lowerBound
  }

  /// The record of a range that begins at an offset of the document.
  func record(at offset: Int, in range: Range<Int>) -> Int? {
    let start = tree.bytes.startIndex + offset
    var (low, high) = (range.lowerBound, range.upperBound)
    while low < high {
      let middle = (low + high) / 2
      if self.start(middle) < start { low = middle + 1 } else { high = middle }
    }
    return low < range.upperBound && self.start(low) == start ? low : nil
  }

  func id(_ record: Int) -> JSONText? {
    let collection = collection(record)
    if collection.kind == .map { return tree.member(valueAt: positions[record]).keyText }
    return collection.id(of: node(record))
  }

  func key(_ record: Int) -> RecordKey {
    if isMember(record) {
      return .string(tree.member(valueAt: positions[record]).key)
    }
    return RecordKey(id: id(record), of: node(record))
  }

  /// The records with a key in a collection, in order; nil where there is none.
  func records(_ collection: String, _ key: RecordKey) -> [Int]? {
    guard let number = collections.firstIndex(where: { $0.name == collection }) else { return nil }
    return index.records(number, key) { self.key($0) }
  }

  /// The keys that several records of a collection share.
  func shared(_ collection: String) -> [RecordKey: [Int]] {
    collections.firstIndex { $0.name == collection }.map { index.shared[$0] } ?? [:]
  }

  /// The records that do not have their key alone, or have text of their own around them, in order.
  var special: [Int] {
    let around = layouts.keys.flatMap { [$0 - 1, $0] }
    return Set(around + index.shared.flatMap { $0.values.joined() }).sorted()
  }
}

/// What a record table is made from.
struct RecordTableBuilder {
  let tree: JSONTree
  let collections: [DocumentShape.Collection]
  var ranges: [Range<Int>] = []
  private(set) var positions: [JSONPosition] = []
  var layouts: [Int: JSONText] = [:]
  private(set) var occurrences: [Int: Int] = [:]
  private(set) var roundable: [Int] = []
  private(set) var index: KeyIndex

  init(tree: JSONTree, collections: [DocumentShape.Collection]) {
    self.tree = tree
    self.collections = collections
    index = KeyIndex(collections: collections.count)
  }

  var count: Int { positions.count }

  mutating func reserve(_ count: Int) {
    positions.reserveCapacity(positions.count + count)
    index.reserve(positions.count + count)
  }

  /// Adds a record whose id is a string, if none before it has the hash of that; else adds nothing.
  mutating func addPlain(_ node: JSONNode, id: ArraySlice<UInt8>, _ number: Int) -> Bool {
    guard index.addFirst(number, string: id) else { return false }
    positions.append(node.position)
    return true
  }

  /// Adds a record of the collection with this number.
  mutating func add(_ node: JSONNode, name: JSONMember?, _ number: Int, layout: JSONText?) {
    let record = positions.count
    if let layout { layouts[record] = layout }
    let plain = name.map(\.plainKey) ?? collections[number].idNode(of: node)?.plainString
    if let plain, addPlain(node, id: plain, number) { return }
    positions.append(node.position)
    let key: RecordKey
    if let name {
      key = .string(name.key)
    } else {
      let id = collections[number].id(of: node)
      if let id, id.isChangedByRounding { roundable.append(record) }
      key = RecordKey(id: id, of: node)
    }
    let (tree, collection, positions) = (tree, collections[number], positions)
    let occurrence = index.add(number, key, record) { other in
      if collection.kind == .map { return .string(tree.member(valueAt: positions[other]).key) }
      let node = tree.node(at: positions[other])
      return RecordKey(id: collection.id(of: node), of: node)
    }
    if occurrence > 0 { occurrences[record] = occurrence }
  }
}

extension RecordKey {
  /// The key of a record with this id, or without any.
  init(id: JSONText?, of record: JSONNode) {
    self = id.flatMap { RecordKey(id: $0) } ?? .anonymous(record.text)
  }
}

extension JSONText {
  /// Whether it is a number that may be another one once it went through binary64.
  var isChangedByRounding: Bool {
    guard kind == .number, let value = doubleValue else { return false }
    return value.magnitude >= 9_007_199_254_740_992 || value.rounded() != value
  }
}

/// Finds records by their keys: an open-addressing table of record numbers beside their hashes.
struct KeyIndex: Sendable {
  private var hashes: [UInt64] = []
  /// Record numbers plus 1; 0 is free. A power of two of them, at most half of them taken.
  private var slots: [UInt32] = [UInt32](repeating: 0, count: 16)
  /// By collection, the keys of several records.
  private(set) var shared: [[RecordKey: [Int]]]

  init(collections: Int) { shared = Array(repeating: [:], count: collections) }

  mutating func reserve(_ count: Int) {
    hashes.reserveCapacity(count)
    var size = slots.count
    while size < count * 2 { size *= 2 }
    grow(to: size)
  }

  /// Adds the next record, whose key is a string, if it is the only one so far with the hash of that;
  /// else adds nothing.
  mutating func addFirst(_ collection: Int, string content: ArraySlice<UInt8>) -> Bool {
    let hash = Self.hash(collection, tag: RecordKey.stringTag, content)
    if (hashes.count + 1) * 2 > slots.count { grow(to: slots.count * 2) }
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: hash) & mask
    while slots[slot] != 0 {
      if hashes[Int(slots[slot]) - 1] == hash { return false }
      slot = (slot + 1) & mask
    }
    hashes.append(hash)
    slots[slot] = UInt32(hashes.count)
    return true
  }

  /// Adds the next record and tells how many with its key are there already.
  ///
  /// - Parameter keyOf: the key of an earlier record.
  mutating func add(
    _ collection: Int, _ key: RecordKey, _ record: Int, keyOf: (Int) -> RecordKey
  ) -> Int {
    let hash = Self.hash(collection, key)
    hashes.append(hash)
    if hashes.count * 2 > slots.count { grow(to: slots.count * 2) }
    let slot = slot(hash, key, keyOf)
    guard slots[slot] != 0 else {
      slots[slot] = UInt32(record + 1)
      return 0
    }
    shared[collection][key, default: [Int(slots[slot]) - 1]].append(record)
    return (shared[collection][key]?.count ?? 1) - 1
  }

  func records(_ collection: Int, _ key: RecordKey, keyOf: (Int) -> RecordKey) -> [Int]? {
    if !shared[collection].isEmpty, let several = shared[collection][key] { return several }
    let found = slots[slot(Self.hash(collection, key), key, keyOf)]
    return found == 0 ? nil : [Int(found) - 1]
  }

  /// The slot that has the key, or the free one where it would be.
  private func slot(_ hash: UInt64, _ key: RecordKey, _ keyOf: (Int) -> RecordKey) -> Int {
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: hash) & mask
    while slots[slot] != 0 {
      let record = Int(slots[slot]) - 1
      // Collections have hashes of their own; a key is looked at only where these are equal.
      if hashes[record] == hash, keyOf(record) == key { break }
      slot = (slot + 1) & mask
    }
    return slot
  }

  private mutating func grow(to count: Int) {
    guard count > slots.count else { return }
    let taken = slots.filter { $0 != 0 }
    slots = [UInt32](repeating: 0, count: count)
    for record in taken {
      var slot = Int(truncatingIfNeeded: hashes[Int(record) - 1]) & (count - 1)
      while slots[slot] != 0 { slot = (slot + 1) & (count - 1) }
      slots[slot] = record
    }
  }

  private static func hash(_ collection: Int, _ key: RecordKey) -> UInt64 {
    hash(collection, tag: key.bytes.first ?? 0, key.bytes.dropFirst())
  }

  private static func hash(_ collection: Int, tag: UInt8, _ content: ArraySlice<UInt8>) -> UInt64 {
    XXH3.hash64(content, seed: UInt64(collection) << 8 | UInt64(tag))
  }
}
