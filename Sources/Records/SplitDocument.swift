package import LosslessJSON
package import Merging

/// A document taken apart: its records, and the frame that is left without them.
package struct SplitDocument: Sendable {
  package let shape: DocumentShape
  /// The text of the root value with the content of every collection cut out.
  ///
  /// With kind `document` the whole root value: it is one record outside of all collections.
  package let frame: JSONText
  /// The white space around everything, for `assemble`; opaque.
  package let frameLayout: JSONText
  /// The parsed frame.
  package let frameTree: JSONTree
  /// In the order of the document, collection by collection.
  package let records: SplitRecords
  /// Where the records of each collection lie in `records`.
  package let ranges: [String: Range<Int>]
  /// Collections whose place holds nothing, or a value of another kind (then true).
  package let missing: [String: Bool]
  /// The records that this document alone has; without sharing all of them.
  let table: RecordTable
  /// The own table, and that of the document with which records are shared.
  let tables: [RecordTable]
  /// By name, for collections that are there.
  let layouts: [String: CollectionLayout]

  package func records(of collection: String) -> Slice<SplitRecords> {
    records[ranges[collection] ?? 0..<0]
  }

  /// The parsed document; with shared records it is put together and parsed anew.
  package var tree: JSONTree {
    guard !isWhole else { return table.tree }
    // What was taken apart parses; if it did not, the parts that are this document's own stand in.
    return (try? JSONTree(parsing: assembled(), dialect: shape.dialect.scanner)) ?? table.tree
  }

  /// The verbatim bytes that were taken apart.
  package var bytes: ArraySlice<UInt8> { tree.bytes }

  /// As much of the document as shows how it is laid out.
  var sample: JSONTree {
    guard !isWhole else { return table.tree }
    let sample = assembled(limit: JSONStyle.sampleBytesMax)
    // See `tree`.
    return (try? JSONTree(parsing: sample, dialect: shape.dialect.scanner)) ?? table.tree
  }

  /// Whether the document has no children at all, whatever it is.
  var isEmpty: Bool {
    let root = table.tree.root
    return !root.kind.isContainer || root.isEmpty
  }

  /// Whether no record is another document's.
  var isWhole: Bool { records.runs.allSatisfy { $0.table === table } }

  package func record(_ collection: String, _ key: RecordKey, occurrence: Int = 0) -> SplitRecord? {
    guard let positions = positions(collection, key), occurrence < positions.count else {
      return nil
    }
    return records[positions[occurrence]]
  }

  /// Where the records with a key are; nil where there is none.
  func positions(_ collection: String, _ key: RecordKey) -> [Int]? {
    for table in tables {
      let found = table.records(collection, key)?.compactMap { records.position(of: $0, in: table) }
      if let found, !found.isEmpty { return found }
    }
    return nil
  }

  /// The records in a range whose ids are numbers that a client with binary64 changes.
  func roundable(in range: Range<Int>) -> [Int] {
    tables.flatMap { table in
      table.roundable.compactMap { records.position(of: $0, in: table) }
    }.filter { range.contains($0) }
  }

  /// The keys that several records of a collection share; all of them are in the own table.
  func shared(_ collection: String) -> [RecordKey: [Int]] {
    table.shared(collection).mapValues { $0.compactMap { records.position(of: $0, in: table) } }
  }
}
