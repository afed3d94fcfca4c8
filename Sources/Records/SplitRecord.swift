package import LosslessJSON
package import Merging

/// One record as it stands in a document.
///
/// Light to copy; it keeps the document alive. What is in it is parsed each time it is asked for.
package struct SplitRecord: Sendable {
  let table: RecordTable
  let index: Int

  package var collection: String { table.collection(index).name }

  package var key: RecordKey { table.key(index) }

  /// The id as it is spelt: in a map the member name with its quotes; nil where there is none.
  package var id: JSONText? { table.id(index) }

  /// Counts the records of the same collection and key before this one.
  package var occurrence: Int { table.occurrences[index] ?? 0 }

  package var node: JSONNode { table.node(index).unfolded }

  /// What of the text around the record is not as the collection has it; nil where all is.
  package var layout: JSONText? { table.layouts[index] }

  /// The verbatim text of the record.
  package var text: JSONText { table.node(index).text }

  package var valueHash: UInt64 { node.valueHash }

  /// Whether both are one record of one document, or have the same id and the same text.
  func isSame(as other: SplitRecord) -> Bool {
    if table === other.table, index == other.index { return true }
    return table.isMember(index) == other.table.isMember(other.index) && text == other.text
      && (!table.isMember(index) || id == other.id)
  }
}

/// The records of a document, in the order of the document, collection by collection.
package struct SplitRecords: RandomAccessCollection, Sendable {
  /// Records that stand behind each other here and in a table.
  struct Run: Sendable {
    var table: RecordTable
    /// The first of them among all records of the document, and in the table.
    var start: Int
    var from: Int
    var count: Int
  }

  /// In order, without gaps. Those of one table are in the order of that table as well.
  let runs: [Run]
  package let endIndex: Int

  init(runs: [Run]) {
    self.runs = runs
    endIndex = runs.last.map { $0.start + $0.count } ?? 0
  }

  package var startIndex: Int { 0 }

  package subscript(position: Int) -> SplitRecord {
    precondition(position >= 0 && position < endIndex, "no such record")
    let run = runs[runs.endOfRun { $0.start <= position } - 1]
    return SplitRecord(table: run.table, index: run.from + position - run.start)
  }

  /// Where a record of a table stands here.
  func position(of index: Int, in table: RecordTable) -> Int? {
    // With several tables the runs of one lie apart, and are few beside the records.
    let run = runs.first {
      $0.table === table && $0.from <= index && index < $0.from + $0.count
    }
    return run.map { $0.start + index - $0.from }
  }
}

extension Array {
  /// The first index behind all elements for which a condition holds; those come first.
  func endOfRun(_ holds: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if holds(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
