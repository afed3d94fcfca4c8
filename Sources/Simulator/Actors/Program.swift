import LosslessJSON

/// A plain program: it reads the whole document, changes its copy and writes it whole.
struct Program: Sendable {
  /// What it does to a document beside what it means to.
  struct Habits: OptionSet, Sendable {
    let rawValue: Int

    /// Leaves out the members that it does not know (`note`).
    static let strips = Habits(rawValue: 1 << 0)
    /// Writes `ssh` for a method that it does not know.
    static let coerces = Habits(rawValue: 1 << 1)
    /// Writes numbers as a double has them.
    static let rounds = Habits(rawValue: 1 << 2)
    /// Writes a port where there is none.
    static let fills = Habits(rawValue: 1 << 3)
    static let sorts = Habits(rawValue: 1 << 4)
    /// Hardly ever reads the document again.
    static let keepsStale = Habits(rawValue: 1 << 5)
    /// Writes an empty list from time to time.
    static let resets = Habits(rawValue: 1 << 6)

    /// Release 1, whose profile is declared.
    static let old: Habits = [.strips, .coerces, .rounds, .fills]
  }

  struct Member: Equatable, Sendable {
    var name: String
    /// JSON text.
    var value: String
  }

  enum Edit: CaseIterable {
    case name, note, method, host, port, title, add, delete, sort, nothing
  }

  let habits: Habits
  private(set) var records: [[Member]]
  private(set) var title: String
  /// Values that this program replaced or deleted having read them.
  private(set) var replaced: Set<Int> = []

  init(_ habits: Habits, reading bytes: [UInt8]) throws(JSONError) {
    self.habits = habits
    (title, records) = try Self.content(bytes)
  }

  /// - Parameter replaced: what the author of that content had replaced.
  mutating func read(_ bytes: [UInt8], inheriting replaced: Set<Int>) throws(JSONError) {
    (title, records) = try Self.content(bytes)
    self.replaced.formUnion(replaced)
  }

  private static func content(
    _ bytes: [UInt8]
  ) throws(JSONError) -> (title: String, records: [[Member]]) {
    let root = try JSONTree(parsing: JSONText(validating: bytes)).root
    let records = root.member("items")?.elements.map { record in
      record.members.map { Member(name: $0.key.string, value: $0.value.text.description) }
    }
    return (root.member("title")?.text.description ?? "\"\"", records ?? [])
  }

  /// The document as this program writes it.
  var bytes: [UInt8] {
    let items = records.map { record in
      var members = record.compactMap { written($0) }
      if habits.contains(.fills), !record.contains(where: { $0.name == "port" }) {
        members.append("\"port\":22")
      }
      return "{" + members.joined(separator: ",") + "}"
    }
    return Array("{\"title\":\(title),\"items\":[\(items.joined(separator: ","))]}".utf8)
  }

  private func written(_ member: Member) -> String? {
    if habits.contains(.strips), member.name == "note" { return nil }
    var value = member.value
    if habits.contains(.rounds), value == Document.big { value = Document.rounded }
    if habits.contains(.coerces), member.name == "method", !["\"ssh\"", "\"mosh\""].contains(value)
    {
      value = "\"ssh\""
    }
    return "\"\(member.name)\":\(value)"
  }

  /// - Parameter token: a number that no value had before.
  mutating func edit(_ edit: Edit, record: Int, token: Int) {
    let text = Tokens.text(token)
    switch edit {
    case .nothing: break
    case .title:
      replaced.formUnion(Tokens.all(in: Array(title.utf8)))
      title = text
    case .add:
      records.append([
        Member(name: "id", value: "\"n\(token)\""), Member(name: "name", value: text),
      ])
    case .delete:
      // A document that loses most of its records is another matter.
      guard records.count > 2 else { return }
      note(records.remove(at: record % records.count))
    case .sort: records.sort { ($0.first?.value ?? "") > ($1.first?.value ?? "") }
    case .note where habits.contains(.strips): set(record, "name", text)
    case .method where habits.contains(.coerces): set(record, "method", "\"mosh\"")
    case .name, .note, .method, .host, .port: set(record, "\(edit)", text)
    }
    if habits.contains(.sorts) {
      records.sort { ($0.first?.value ?? "") < ($1.first?.value ?? "") }
    }
  }

  /// Begins anew with nothing, as after a failed read.
  mutating func reset() {
    for record in records { note(record) }
    records = []
  }

  /// What its habits take away when it writes.
  var damaged: Set<Int> {
    var found: Set<Int> = []
    for member in records.joined() where written(member) != "\"\(member.name)\":\(member.value)" {
      found.formUnion(Tokens.all(in: Array(member.value.utf8)))
    }
    return found
  }

  /// That counts as meant, where nobody knows of them.
  mutating func meanHabits() { replaced.formUnion(damaged) }

  private mutating func note(_ record: [Member]) {
    for member in record { replaced.formUnion(Tokens.all(in: Array(member.value.utf8))) }
  }

  private mutating func set(_ record: Int, _ name: String, _ value: String) {
    guard !records.isEmpty else { return }
    let index = record % records.count
    if let place = records[index].firstIndex(where: { $0.name == name }) {
      replaced.formUnion(Tokens.all(in: Array(records[index][place].value.utf8)))
      records[index][place].value = value
    } else {
      records[index].append(Member(name: name, value: value))
    }
  }
}
