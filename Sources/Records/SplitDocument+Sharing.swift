package import LosslessJSON
import Merging

extension SplitDocument {
  /// Takes a document apart that has many of its records in common with another one: those are that
  /// other one's from then on, and only the rest of the bytes stays in memory.
  ///
  /// - Parameter others: documents that it may be like; the first one with which half of it is in
  ///   common counts.
  /// - Throws: where the bytes are no document of the shape's dialect.
  /// - Complexity: a comparison of the bytes, and the parsing of what is not in common.
  package init(
    bytes: [UInt8], shape: DocumentShape, like others: [SplitDocument]
  ) throws(JSONError) {
    for other in others where other.shape == shape {
      guard let shared = SplitDocument(bytes: bytes, sharing: other, keeping: 65),
        shared.table.tree.bytes.count <= bytes.count / 2
      else { continue }
      self = shared
      return
    }
    try self.init(bytes: bytes, shape: shape)
  }

  /// Nil where nothing can be shared.
  ///
  /// - Parameter kept: how many records at the beginning of a collection are never shared: its layout
  ///   is that of the first ones.
  init?(bytes: [UInt8], sharing other: SplitDocument, keeping kept: Int) {
    guard other.isWhole, other.records.count > kept else { return nil }
    let found = bytes.withUnsafeBytes { bytes in
      other.bytes.withUnsafeBytes { CommonRecords(bytes, $0, other, kept).runs }
    }
    guard !found.isEmpty else { return nil }
    // What is left after cutting whole records out of a list is a document with that list.
    var rest: [UInt8] = []
    var cuts: [(offset: Int, run: CommonRecords.Run)] = []
    var copied = 0
    for run in found {
      rest += bytes[copied..<run.bytes.lowerBound]
      cuts.append((rest.count, run))
      copied = run.bytes.upperBound
    }
    rest += bytes[copied...]
    // Bytes that were no document are refused by whoever parses all of them.
    guard let own = try? SplitDocument(bytes: rest, shape: other.shape) else { return nil }
    self.init(own, with: cuts, from: other)
  }

  /// Puts runs of another document's records back where they were cut out.
  ///
  /// Nil where a cut is not before a record of the same collection that has another one before it, or
  /// where those records would have another layout or key here.
  private init?(
    _ own: SplitDocument, with cuts: [(offset: Int, run: CommonRecords.Run)],
    from other: SplitDocument
  ) {
    var runs: [SplitRecords.Run] = []
    var ranges: [String: Range<Int>] = [:]
    var position = 0
    func add(_ table: RecordTable, _ range: Range<Int>) {
      guard !range.isEmpty else { return }
      runs.append(
        SplitRecords.Run(table: table, start: position, from: range.lowerBound, count: range.count))
      position += range.count
    }
    for collection in other.shape.recordCollections {
      let mine = own.ranges[collection.name] ?? 0..<0
      let theirs = other.ranges[collection.name] ?? 0..<0
      let start = position
      var next = mine.lowerBound
      let inside = cuts.filter { theirs.contains($0.run.records.lowerBound) }
      guard
        inside.isEmpty || own.layouts[collection.name].isSame(as: other.layouts[collection.name])
      else { return nil }
      for cut in inside {
        // The one before it is of the same run; as many members that are no records are before both.
        guard let behind = own.table.record(at: cut.offset, in: mine), behind > mine.lowerBound,
          behind >= next, ItemLayout(own.table.layouts[behind - 1])?.slot == nil
        else { return nil }
        add(own.table, next..<behind)
        add(other.table, cut.run.records)
        next = behind
      }
      add(own.table, next..<mine.upperBound)
      ranges[collection.name] = start..<position
    }
    let records = SplitRecords(runs: runs)
    for index in 0..<own.table.count {
      let (name, key) = (own.table.collection(index).name, own.table.key(index))
      let twins = other.table.records(name, key) ?? []
      if twins.contains(where: { records.position(of: $0, in: other.table) != nil }) { return nil }
    }
    (shape, frame, frameLayout, frameTree) = (
      own.shape, own.frame, own.frameLayout, own.frameTree
    )
    (missing, table, layouts) = (own.missing, own.table, own.layouts)
    tables = [own.table, other.table]
    self.records = records
    self.ranges = ranges
  }
}

extension CollectionLayout? {
  /// Whether records that have no layout of their own have the same text around them.
  fileprivate func isSame(as other: CollectionLayout?) -> Bool {
    guard let self, let other else { return false }
    return self.lead == other.lead && self.colon == other.colon && self.slot == other.slot
  }
}

/// Runs of records that two documents have in common, with the same text around them.
private struct CommonRecords {
  struct Run {
    /// Where they are in the new document: from the beginning of the first one to that of the record
    /// behind the last one.
    var bytes: Range<Int>
    /// In the table of the other document.
    var records: Range<Int>
  }

  private(set) var runs: [Run] = []

  private let new: UnsafeRawBufferPointer
  private let old: UnsafeRawBufferPointer
  private let other: SplitDocument
  /// The records that are never shared, in order.
  private let special: [Int]
  /// Where the bytes of `old` begin in the buffer to which the ranges of nodes belong.
  private let base: Int
  /// From these bytes on both documents are compared.
  private var newAt = 0
  private var oldAt = 0

  /// How far behind a difference one of the next records is looked for, and how many of them.
  private static let nearBytes = 1 << 16
  private static let nearRecords = 16
  /// After so many differences, and so many large ones, the rest is no longer compared.
  private var searchesLeft = 10_000
  private var farSearchesLeft = 50
  /// Fewer records than this are not worth a run.
  private static let runMin = 4

  init(
    _ new: UnsafeRawBufferPointer, _ old: UnsafeRawBufferPointer, _ other: SplitDocument,
    _ kept: Int
  ) {
    self.new = new
    self.old = old
    self.other = other
    special = other.table.special
    base = other.bytes.startIndex
    let inOrder = other.table.ranges.filter { $0.count > kept + Self.runMin }.sorted {
      other.table.start($0.lowerBound) < other.table.start($1.lowerBound)
    }
    for range in inOrder where start(range.lowerBound) >= oldAt {
      // The last ones stay as well: the layout of what follows them is theirs.
      find(range.lowerBound + kept..<range.upperBound - 2)
    }
  }

  private func start(_ record: Int) -> Int { other.table.start(record) - base }

  /// Finds the runs among some records of one collection.
  private mutating func find(_ units: Range<Int>) {
    var next = units.lowerBound
    while true {
      let end =
        oldAt
        + RawBytes.commonPrefix(
          UnsafeRawBufferPointer(rebasing: new[newAt...]),
          UnsafeRawBufferPointer(rebasing: old[oldAt...]))
      let behind = units.first(behind: next - 1) { start($0 + 1) > end } ?? units.upperBound
      addPlain(next..<behind)
      next = behind
      guard next < units.upperBound, let found = meet(next..<units.upperBound) else { return }
      next = found
    }
  }

  /// Adds the runs of records that have the text around them that all have, and a key of their own.
  private mutating func addPlain(_ records: Range<Int>) {
    var first = records.lowerBound
    var place = special.endOfRun { $0 < records.lowerBound }
    while place < special.count, special[place] < records.upperBound {
      add(first..<max(first, special[place]))
      first = special[place] + 1
      place += 1
    }
    add(first..<max(first, records.upperBound))
  }

  /// Adds a run without its first record, which stays as a sign that the list is the right one.
  private mutating func add(_ records: Range<Int>) {
    let run = records.dropFirst()
    guard run.count >= Self.runMin else { return }
    let shift = newAt - oldAt
    runs.append(
      Run(
        bytes: start(run.lowerBound) + shift..<start(run.upperBound) + shift,
        records: run.lowerBound..<run.upperBound))
  }

  /// Goes on behind a difference, with the first of these records that both have there.
  private mutating func meet(_ units: Range<Int>) -> Int? {
    let from = min(new.count, newAt + max(0, start(units.lowerBound) - oldAt))
    let rest = UnsafeRawBufferPointer(rebasing: new[from...])
    let near = UnsafeRawBufferPointer(rebasing: rest[..<min(rest.count, Self.nearBytes)])
    guard searchesLeft > 0 else { return nil }
    searchesLeft -= 1
    // Mostly one record was changed; then the next one follows soon.
    for record in Array(units.dropFirst().prefix(Self.nearRecords)) + [units.lowerBound] {
      if let found = meet(record, in: near, from) { return found }
    }
    guard farSearchesLeft > 0 else { return nil }
    farSearchesLeft -= 1
    // Many new ones before the next of the old ones, or many old ones gone.
    for record in units.prefix(2) {
      if let found = meet(record, in: rest, from) { return found }
    }
    var record = units.lowerBound
    while let next = units.first(behind: record, { start($0) >= start(record) + near.count / 2 }) {
      record = next
      guard meet(record, in: near, from) != nil else { continue }
      // Some of those before it may be there as well.
      let back = RawBytes.commonSuffix(
        UnsafeRawBufferPointer(rebasing: new[from..<newAt]),
        UnsafeRawBufferPointer(rebasing: old[start(units.lowerBound)..<oldAt]))
      let first = units.first(behind: units.lowerBound - 1) { start($0) >= oldAt - back } ?? record
      let shift = oldAt - start(first)
      (newAt, oldAt) = (newAt - shift, oldAt - shift)
      return first
    }
    return nil
  }

  private mutating func meet(_ record: Int, in window: UnsafeRawBufferPointer, _ from: Int) -> Int?
  {
    guard special.endOfRun({ $0 < record }) == special.endOfRun({ $0 <= record }) else {
      return nil
    }
    let unit = UnsafeRawBufferPointer(rebasing: old[start(record)..<start(record + 1)])
    guard let offset = RawBytes.firstOffset(of: unit, in: window) else { return nil }
    (newAt, oldAt) = (from + offset, start(record))
    return record
  }
}

extension Range<Int> {
  /// The first number above another one for which a condition holds; it holds for all behind it.
  fileprivate func first(behind number: Int, _ holds: (Int) -> Bool) -> Int? {
    var (low, high) = (number + 1, upperBound)
    while low < high {
      let middle = (low + high) / 2
      if holds(middle) { high = middle } else { low = middle + 1 }
    }
    return low < upperBound ? low : nil
  }
}
