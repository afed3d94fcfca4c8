package import LosslessJSON
import Merging
import Synchronization

/// The records of a collection as they were read; every list made from it shares it.
package final class RecordBase: Sendable {
  private enum Contents: Sendable {
    /// Of a parsed document.
    case document(DocumentRecords)
    /// Texts that are parsed each time they are looked into.
    case texts([(id: RecordID?, text: JSONText)])
  }

  let count: Int
  private let contents: Contents
  /// The first record of each id; made when the first one is looked for.
  private let positions = Mutex<[RecordID: Int]?>(nil)

  /// The records in a container of a document, in whose elements the id is a member.
  package init(of container: JSONNode, in tree: JSONTree, id: JSONKey) {
    let records = DocumentRecords(of: container, in: tree, id: id)
    contents = .document(records)
    count = records.positions.count
  }

  package init(texts: [(id: RecordID?, text: JSONText)]) {
    contents = .texts(texts)
    count = texts.count
  }

  /// A record and its id, if it has one.
  func entry(at position: Int) -> (id: RecordID?, raw: RawJSON) {
    switch contents {
    case .document(let records):
      let node = records.node(at: position)
      return (records.id(at: position, of: node), RawJSON(node))
    case .texts(let texts): return (texts[position].id, RawJSON(texts[position].text))
    }
  }

  /// Nil for a record without an id.
  func id(at position: Int) -> RecordID? {
    switch contents {
    case .document(let records): records.id(at: position, of: records.node(at: position))
    case .texts(let texts): texts[position].id
    }
  }

  func raw(at position: Int) -> RawJSON {
    switch contents {
    case .document(let records): RawJSON(records.node(at: position))
    case .texts(let texts): RawJSON(texts[position].text)
    }
  }

  func isObject(at position: Int) -> Bool {
    switch contents {
    case .document(let records): records.node(at: position).kind == .object
    case .texts(let texts): texts[position].text.kind == .object
    }
  }

  /// The first record of an id.
  func position(of id: RecordID) -> Int? {
    positions.withLock { known in
      if let known { return known[id] }
      var made: [RecordID: Int] = [:]
      made.reserveCapacity(count)
      for position in (0..<count).reversed() {
        if let id = self.id(at: position) { made[id] = position }
      }
      known = made
      return made[id]
    }
  }
}

/// Where the records of a parsed document are.
private final class DocumentRecords: Sendable {
  let positions: [JSONPosition]
  private let tree: JSONTree
  private let isMap: Bool
  private let idMember: JSONKey

  init(of container: JSONNode, in tree: JSONTree, id: JSONKey) {
    self.tree = tree
    isMap = container.kind == .object
    idMember = id
    if isMap {
      positions = container.members.map(\.value.position)
    } else {
      var (positions, elements) = ([JSONPosition](), container.elements.makeIterator())
      while let position = elements.nextPosition() { positions.append(position) }
      self.positions = positions
    }
  }

  func node(at position: Int) -> JSONNode { tree.node(at: positions[position]) }

  func id(at position: Int, of node: JSONNode) -> RecordID? {
    if isMap { return RecordID(text: tree.member(valueAt: positions[position]).keyText) }
    return RecordID.member(idMember, of: node)
  }
}
