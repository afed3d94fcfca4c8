package import LosslessJSON

/// The records of a collection as they were read; every list made from it shares it.
package final class RecordBase: Sendable {
  /// Of a parsed document, or texts that are parsed each time they are looked into.
  private enum Contents: Sendable {
    case nodes([JSONNode])
    case texts([JSONText])
  }

  /// Nil for a record without an id.
  package let ids: [RecordID?]
  /// The first record of each id.
  let positions: [RecordID: Int]
  private let contents: Contents

  package convenience init(nodes: [(id: RecordID?, node: JSONNode)]) {
    self.init(ids: nodes.map(\.id), .nodes(nodes.map(\.node)))
  }

  package convenience init(texts: [(id: RecordID?, text: JSONText)]) {
    self.init(ids: texts.map(\.id), .texts(texts.map(\.text)))
  }

  private init(ids: [RecordID?], _ contents: Contents) {
    var positions: [RecordID: Int] = [:]
    positions.reserveCapacity(ids.count)
    for (position, id) in ids.enumerated() {
      if let id, positions[id] == nil { positions[id] = position }
    }
    (self.ids, self.positions, self.contents) = (ids, positions, contents)
  }

  func raw(at position: Int) -> RawJSON {
    switch contents {
    case .nodes(let nodes): RawJSON(nodes[position])
    case .texts(let texts): RawJSON(texts[position])
    }
  }

  func isObject(at position: Int) -> Bool {
    switch contents {
    case .nodes(let nodes): nodes[position].kind == .object
    case .texts(let texts): texts[position].kind == .object
    }
  }
}
