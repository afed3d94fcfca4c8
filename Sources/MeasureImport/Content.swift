import LosslessJSON
import Records

/// One record of a simulated document; nil where a member is absent.
struct Item: Equatable {
  let id: Int
  private var values = [JSONText?](repeating: nil, count: Field.allCases.count)

  init(id: Int) { self.id = id }

  subscript(field: Field) -> JSONText? {
    get { values[field.rawValue] }
    set { values[field.rawValue] = newValue }
  }
}

/// A simulated document: what a program has in memory, or what stands in a file.
struct Content: Equatable {
  var items: [Item] = []

  subscript(id: Int) -> Item? { items.first { $0.id == id } }

  /// Changes a record that is there.
  mutating func set(_ field: Field, _ value: JSONText?, of id: Int) {
    guard let index = items.firstIndex(where: { $0.id == id }) else { return }
    items[index][field] = value
  }

  mutating func remove(_ id: Int) { items.removeAll { $0.id == id } }
}

extension Content {
  static let collection = "items"
  static let shape = DocumentShape(collections: [
    DocumentShape.Collection(
      name: collection, at: JSONPointer(["items"]), kind: .array, id: [JSONPointer(["id"])])
  ])

  init(_ split: SplitDocument) {
    for record in split.records(of: Content.collection) {
      guard let id = record.id?.intValue else { continue }
      items.append(Item(id: id, record.node))
    }
  }

  /// The document as a program writes it.
  func bytes(sortsMembers: Bool = false) -> [UInt8] {
    let records = items.map { $0.text(sortsMembers: sortsMembers) }
    return Array("{\"schemaVersion\":1,\"items\":[\(records.joined(separator: ","))]}\n".utf8)
  }
}

extension Item {
  init(id: Int, _ node: JSONNode) {
    self.init(id: id)
    for field in Field.allCases { self[field] = node.node(at: field.pointer)?.text.detached }
  }

  func text(sortsMembers: Bool = false) -> String {
    var members = ["\"id\":\(id)"]
    var option: [String] = []
    for field in Field.allCases {
      guard let value = self[field], let name = field.pointer.last else { continue }
      let member = "\(JSONText.string(name)):\(value)"
      if field.pointer.tokens.count > 1 { option.append(member) } else { members.append(member) }
    }
    members.append("\"option\":{\(option.joined(separator: ","))}")
    if sortsMembers { members.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) } }
    return "{\(members.joined(separator: ","))}"
  }
}
