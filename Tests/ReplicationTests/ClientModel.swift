import LosslessJSON

/// A plain program of a test: it reads the whole document, changes its copy and writes it whole.
struct ClientModel {
  struct Member: Equatable {
    var name: String
    /// JSON text.
    var value: String
  }

  /// Release 1 drops `note` and knows two methods; what it does not know becomes `ssh`. It rounds
  /// numbers and fills in the port.
  var isOld: Bool
  private(set) var records: [[Member]]
  /// Values that this program replaced or deleted having read them.
  private(set) var replaced: Set<String> = []

  init(isOld: Bool, reading text: String) throws {
    self.isOld = isOld
    records = try Self.records(text)
  }

  private static let rounded = "12345678901234567000"

  static func records(_ text: String) throws -> [[Member]] {
    let tree = try JSONTree(parsing: JSONText(validating: Array(text.utf8)))
    guard let items = tree.root.member("items") else { return [] }
    return items.elements.map { record in
      record.members.map { Member(name: $0.key.string, value: $0.value.text.description) }
    }
  }

  mutating func read(_ text: String) throws { records = try Self.records(text) }

  /// The document as this program writes it.
  var text: String {
    let items = records.map { record in
      var members = record.compactMap { member -> String? in
        if isOld, member.name == "note" { return nil }
        if isOld, member.value == RewriteWorld.big { return "\"\(member.name)\":\(Self.rounded)" }
        let isKnown = ["\"ssh\"", "\"mosh\""].contains(member.value)
        let value = isOld && member.name == "method" && !isKnown ? "\"ssh\"" : member.value
        return "\"\(member.name)\":\(value)"
      }
      if isOld, !record.contains(where: { $0.name == "port" }) { members.append("\"port\":22") }
      return "{" + members.joined(separator: ",") + "}"
    }
    return "{\"items\":[" + items.joined(separator: ",") + "]}"
  }

  mutating func set(_ record: Int, _ name: String, _ value: String) {
    guard !records.isEmpty else { return }
    let index = record % records.count
    if let place = records[index].firstIndex(where: { $0.name == name }) {
      replaced.insert(records[index][place].value)
      records[index][place].value = value
    } else {
      records[index].append(Member(name: name, value: value))
    }
  }

  mutating func add(_ id: String, name: String) {
    records.append([Member(name: "id", value: id), Member(name: "name", value: name)])
  }

  /// Deletes a record; the last two stay.
  mutating func delete(_ record: Int) {
    guard records.count > 2 else { return }
    replaced.formUnion(records.remove(at: record % records.count).map(\.value))
  }

  mutating func sort() {
    records.sort { ($0.first?.value ?? "") > ($1.first?.value ?? "") }
  }
}
