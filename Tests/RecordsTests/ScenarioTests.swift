import LosslessJSON
import Merging
import Testing

@testable import Records

/// The table of import decisions: right answers as data.
@Suite struct ScenarioTests {
  struct Scenario: CustomTestStringConvertible, Sendable {
    var node: JSONNode
    var testDescription: String {
      "\(number) \(node.member("title")?.decodedString?.string ?? "")"
    }
    var number: Int { node.member("n")?.text.intValue ?? 0 }
  }

  static let all: [Scenario] = {
    guard let tree = try? Fixtures.tree("scenarios.json") else { return [] }
    return tree.root.member("scenarios")?.elements.map { Scenario(node: $0) } ?? []
  }()

  @Test func `all scenarios are there`() { #expect(Self.all.count == 39) }

  @Test(arguments: all) func `a scenario gives the expected state and journal`(
    _ scenario: Scenario
  ) throws {
    let node = scenario.node
    let expected = try #require(node.member("expected"))
    var journal = try #require(node.member("journal")).members.reduce(into: [String: Int]()) {
      $0[$1.key.string] = $1.value.text.intValue
    }
    let current = try split(try #require(node.member("current")))
    guard let incoming = try? split(try #require(node.member("incoming"))) else {
      // What cannot be read never reaches the planner.
      #expect(journal == ["unreadable": 1])
      #expect(StateModel(current).isSame(as: StateModel(try split(expected))))
      return
    }
    let candidates = try #require(node.member("generations")).elements.map { generation in
      let document = try split(try #require(generation.member("document")))
      return BaseCandidate(
        try #require(generation.member("generation")?.text.intValue), document)
    }
    var rules = RecordRules()
    rules.volatile = [pointer("/updatedAt")]
    var request = ImportRequest(
      document: Configuration.Document(rules: ["items": rules]), incoming: incoming,
      candidates: candidates, evidence: evidence(node), writer: .named(try profile(node)),
      current: current)
    let base = { (index: Int?) in index.flatMap { candidates[$0].document() } }
    request.holdsExplicit = { place, path in false }
    let plan = ImportPlanner.plan(request)
    var state = StateModel(current)
    if plan.outcome == .apply {
      state.apply(plan.changes, over: StateModel(try #require(base(plan.base))))
    }
    #expect(state.isSame(as: StateModel(try split(expected))), "\(plan.lines) \(state)")
    let found = plan.journal.merging(state.conflicts) { $0 + $1 }
    for (kind, count) in journal where count == 0 { journal[kind] = nil }
    #expect(found == journal)
  }

  private func split(_ node: JSONNode) throws -> SplitDocument {
    guard node.kind == .object else {
      return try SplitDocument(
        bytes: try #require(node.decodedString?.bytes), shape: .items)
    }
    return try SplitDocument(bytes: Array(node.text.bytes), shape: .items)
  }

  private func evidence(_ scenario: JSONNode) -> ImportEvidence {
    let node = scenario.member("evidence")
    let opened = node?.member("opened").map { Set($0.elements.compactMap(\.text.intValue)) }
    return ImportEvidence(
      marker: node?.member("marker")?.text.intValue,
      readModifyWrite: node?.member("rmw")?.text.intValue, opened: opened)
  }

  private func profile(_ scenario: JSONNode) throws -> ClientProfile {
    let client = try #require(scenario.member("client"))
    guard let knows = client.member("knows") else { return .undeclared(name: "who") }
    let members = knows.elements.compactMap(\.decodedString).map { key in
      var words: [String] = []
      if let known = client.member("enums")?.member(key) {
        words.append("\"enum\":\(known.member("values")?.text.description ?? "[]")")
        words.append("\"default\":\(known.member("fallback")?.text.description ?? "null")")
      }
      if let fill = client.member("defaults")?.member(key) {
        words.append("\"default\":\(fill.text.description)")
      }
      return "\(text(key.literal)):{\(words.joined(separator: ","))}"
    }
    var profile = try ClientProfile.declared(
      "{\"properties\":{\(members.joined(separator: ","))}}")
    if client.member("numbers")?.decodedString == "double" { profile.numbers = .double }
    for member in client.member("always")?.elements.compactMap(\.decodedString) ?? [] {
      profile.always.append(JSONPointer([member]))
    }
    if let drops = client.member("dropsUndecodable") {
      profile.drops = .mistypedOrOutsideEnum(
        drops.elements.compactMap { $0.decodedString.map { pointer($0.string) } })
    }
    return profile
  }
}

/// A small model of the state, independent of the merge: flat records, one current document.
struct StateModel: CustomStringConvertible {
  struct Key: Hashable {
    var key: RecordKey
    var occurrence: Int
  }

  var records: [Key: [JSONKey: JSONText]] = [:]
  var conflicts: [String: Int] = [:]

  init(_ document: SplitDocument) {
    for record in document.records {
      let key = Key(key: record.key, occurrence: record.occurrence)
      records[key] = Self.fields(record.node)
    }
  }

  static func fields(_ node: JSONNode) -> [JSONKey: JSONText] {
    node.countingMembers().mapValues(\.text)
  }

  func isSame(as other: StateModel) -> Bool {
    records.count == other.records.count
      && records.allSatisfy { key, fields in Self.isSame(fields, other.records[key]) }
  }

  static func isSame(_ left: [JSONKey: JSONText]?, _ right: [JSONKey: JSONText]?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    return left.count == right.count
      && left.allSatisfy { key, value in right[key]?.hasSameValue(as: value) ?? false }
  }

  var description: String { "\(records.values.map { $0.map { "\($0): \($1)" } })" }

  /// Applies changes whose author saw `base`; what stands here now may be newer and then conflicts.
  mutating func apply(_ changes: [RecordChange], over base: StateModel) {
    var revived: Set<Key> = []
    for change in changes {
      let key = Key(key: change.place.key, occurrence: change.place.occurrence)
      switch change {
      case .create(let creation):
        guard let tree = try? JSONTree(parsing: creation.text) else { continue }
        let fields = Self.fields(tree.root)
        if let present = records[key], !Self.isSame(present, fields) {
          conflicts["create-create", default: 0] += 1
        }
        records[key] = fields
      case .delete:
        guard records[key] != nil else { continue }
        if Self.isSame(records[key], base.records[key]) {
          records[key] = nil
        } else {
          conflicts["delete-edit", default: 0] += 1
        }
      case .set(_, let path, let value, _, let operationClass):
        write(value, path, key, base, isFill: operationClass == .fill, &revived)
      case .remove(_, let path):
        write(nil, path, key, base, isFill: false, &revived)
      case .move: break
      }
    }
  }

  private mutating func write(
    _ value: JSONText?, _ path: JSONPointer, _ key: Key, _ base: StateModel, isFill: Bool,
    _ revived: inout Set<Key>
  ) {
    guard path.tokens.count == 1, let member = path.last else { return }
    if records[key] == nil {
      guard member != "updatedAt" else { return }
      records[key] = base.records[key]
      if revived.insert(key).inserted { conflicts["delete-edit", default: 0] += 1 }
    }
    let seen = base.records[key]?[member]
    let present = records[key]?[member]
    let isUntouched = seen.map { present?.hasSameValue(as: $0) ?? false } ?? (present == nil)
    let isEqual = value.map { present?.hasSameValue(as: $0) ?? false } ?? (present == nil)
    if isEqual { return }
    if !isUntouched {
      if isFill { return }
      conflicts["concurrent", default: 0] += 1
    }
    records[key]?[member] = value
  }
}
