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
      guard let common = CommonRecords(of: other) else { continue }
      bytes.withUnsafeBytes { common.take($0) }
      guard let shared = common.document() else { continue }
      self = shared
      return
    }
    try self.init(bytes: bytes, shape: shape)
  }

  /// Puts runs of another document's records back where they were cut out.
  ///
  /// Nil where a cut is not before a record of the same collection that has another one before it, or
  /// where those records would have another layout or key here.
  init?(_ own: SplitDocument, with cuts: [CommonRecords.Cut], from other: SplitDocument) {
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
      let inside = cuts.filter { theirs.contains($0.records.lowerBound) }
      guard
        inside.isEmpty || own.layouts[collection.name].isSame(as: other.layouts[collection.name])
      else { return nil }
      for cut in inside {
        // The one before it is of the same run; as many members that are no records are before both.
        guard let behind = own.table.record(at: cut.offset, in: mine), behind > mine.lowerBound,
          behind >= next, ItemLayout(own.table.layouts[behind - 1])?.slot == nil
        else { return nil }
        add(own.table, next..<behind)
        add(other.table, cut.records)
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
