package import LosslessJSON
package import Merging

/// One record as it stands in a document.
package struct SplitRecord: Sendable {
  package let collection: String
  package let key: RecordKey
  /// The id as it is spelt: in a map the member name with its quotes; nil where there is none.
  package let id: JSONText?
  /// Counts the records of the same collection and key before this one.
  package let occurrence: Int
  package let node: JSONNode
  /// What of the text around the record is not as the collection has it; nil where all is.
  package let layout: JSONText?

  /// The verbatim text of the record.
  package var text: JSONText { node.text }

  package var valueHash: UInt64 { node.valueHash }
}

/// A document taken apart: its records, and the frame that is left without them.
package struct SplitDocument: Sendable {
  package let tree: JSONTree
  package let shape: DocumentShape
  /// The text of the root value with the content of every collection cut out.
  ///
  /// With kind `document` the whole root value: it is one record outside of all collections.
  package let frame: JSONText
  /// The white space around everything, for `assemble`; opaque.
  package let frameLayout: JSONText
  /// In the order of the document, collection by collection.
  package let records: [SplitRecord]
  /// Where the records of each collection lie in `records`.
  package let ranges: [String: Range<Int>]
  /// Collections whose place holds nothing, or a value of another kind (then true).
  package let missing: [String: Bool]
  /// The parsed frame.
  package let frameTree: JSONTree
  let index: RecordIndex

  package func records(of collection: String) -> ArraySlice<SplitRecord> {
    records[ranges[collection] ?? 0..<0]
  }

  /// The verbatim bytes that were taken apart.
  package var bytes: ArraySlice<UInt8> { tree.bytes }

  package func record(_ collection: String, _ key: RecordKey, occurrence: Int = 0) -> SplitRecord? {
    guard let positions = index.positions(collection, key), occurrence < positions.count else {
      return nil
    }
    return records[positions[positions.startIndex + occurrence]]
  }
}

/// Where the records with a key are; built once, while the document is taken apart.
struct RecordIndex: Sendable {
  private var first: [String: [RecordKey: Int]] = [:]
  private var further: [String: [RecordKey: [Int]]] = [:]

  /// Adds a record and tells how many with its key are there already.
  mutating func add(_ collection: String, _ key: RecordKey, at position: Int) -> Int {
    guard let earlier = first[collection, default: [:]][key] else {
      first[collection, default: [:]][key] = position
      return 0
    }
    further[collection, default: [:]][key, default: [earlier]].append(position)
    return (further[collection]?[key]?.count ?? 1) - 1
  }

  mutating func reserve(_ collection: String, _ count: Int) {
    first[collection, default: [:]].reserveCapacity(count)
  }

  func positions(_ collection: String, _ key: RecordKey) -> [Int]? {
    if let several = further[collection]?[key] { return several }
    return first[collection]?[key].map { [$0] }
  }

  /// The keys that several records of a collection share.
  func shared(_ collection: String) -> [RecordKey: [Int]] { further[collection] ?? [:] }
}
