package import LosslessJSON

/// The records of a collection as they were read; every list made from it shares it.
package final class RecordBase: Sendable {
  private enum Contents: Sendable {
    /// Of a parsed document, which knows where the record of an id is.
    case document(SplitDocument, collection: String)
    /// Texts that are parsed each time they are looked into, with the first record of each id.
    case texts([(id: RecordID?, text: JSONText)], positions: [RecordID: Int])
  }

  let count: Int
  private let contents: Contents

  package init(_ document: SplitDocument, collection: String) {
    contents = .document(document, collection: collection)
    count = document.records(of: collection).count
  }

  package init(texts: [(id: RecordID?, text: JSONText)]) {
    var positions: [RecordID: Int] = [:]
    positions.reserveCapacity(texts.count)
    for (position, (id, _)) in texts.enumerated() {
      if let id, positions[id] == nil { positions[id] = position }
    }
    contents = .texts(texts, positions: positions)
    count = texts.count
  }

  /// Nil for a record without an id.
  func id(at position: Int) -> RecordID? {
    switch contents {
    case .document(let document, _): document.records[position].id.flatMap { RecordID(text: $0) }
    case .texts(let texts, _): texts[position].id
    }
  }

  func raw(at position: Int) -> RawJSON {
    switch contents {
    case .document(let document, _): RawJSON(document.records[position].node)
    case .texts(let texts, _): RawJSON(texts[position].text)
    }
  }

  func isObject(at position: Int) -> Bool {
    switch contents {
    case .document(let document, _): document.records[position].node.kind == .object
    case .texts(let texts, _): texts[position].text.kind == .object
    }
  }

  /// The first record of an id.
  func position(of id: RecordID) -> Int? {
    switch contents {
    case .document(let document, let collection):
      document.positions(collection, id.key)?.first
    case .texts(_, let positions): positions[id]
    }
  }
}
