import LosslessJSON
import Merging
import Testing

@testable import Records

/// Rewrites of arrays that merge by the ids of their elements (`keyed`).
@Suite struct KeyedImportTests {
  static let place = MergeRules.Place(document: "doc", collection: "items")

  static var rules: RecordRules {
    var rules = RecordRules()
    rules.keyed = [pointer("/t"): pointer("/n")]
    return rules
  }

  static let schema = """
    {"properties":{"id":{},"name":{},"t":{"items":{"properties":{"n":{},"p":{}}}}}}
    """

  private func plan(
    _ base: String, _ incoming: String, _ profile: ClientProfile
  ) throws -> ImportPlan {
    let base = try SplitDocument("{\"items\":[\(base)]}")
    let incoming = try SplitDocument("{\"items\":[\(incoming)]}")
    return ImportPlanner.plan(
      ImportRequest(
        document: Configuration.Document(rules: ["items": Self.rules]), incoming: incoming,
        candidates: [BaseCandidate(1, base)], writer: .named(profile), current: base))
  }

  /// What is shown when the changes of a rewrite meet a concurrent write of the array.
  private func merged(
    _ record: String, _ plan: ImportPlan, with other: String
  ) throws -> (text: String?, conflicts: [String]) {
    let address = RecordAddress(document: "doc", collection: "items", key: .string("a"))
    func transaction(_ node: UInt64, _ context: Context, _ action: Action) -> Transaction {
      Transaction(
        id: TransactionID(
          writer: WriterID(node: NodeID(raw: node), epoch: 0), sequence: 1,
          hash: LineHash(raw: node)),
        previous: .none, stamp: Stamp(milliseconds: node), context: context, client: nil,
        operations: [
          Operation(target: address, id: .string("a"), incarnation: .adopted, action: action)
        ])
    }
    var state = MergeState(rules: MergeRules(places: [Self.place: Self.rules]))
    let creation = transaction(
      1, .empty, .create(JSONText(unchecked: Array(record.utf8)), position: nil, layout: nil))
    var seen = Context()
    seen.insert(creation.id)
    state.apply(creation)
    guard case .set(_, let path, let text, let after, _)? = plan.changes.first else {
      return (nil, [])
    }
    state.apply(transaction(2, seen, .set(path, text, after: after)))
    state.apply(
      transaction(
        3, seen, .set(pointer("/t"), JSONText(unchecked: Array(other.utf8)), after: nil)))
    return (
      state.views(at: address).first?.text.description,
      state.conflicts.map { "\($0.kind.rawValue) \($0.place)" }
    )
  }

  @Test func `members that a stripping client does not know stay with their element`() throws {
    let plan = try plan(
      #"{"id":"a","t":[{"n":"x","p":1,"k":7},{"n":"y","p":2,"k":8}]}"#,
      #"{"id":"a","t":[{"n":"y","p":5},{"n":"x","p":1}]}"#, .declared(Self.schema))
    #expect(plan.lines == [#"set "a"/t [{"n":"y","p":5,"k":8},{"n":"x","p":1,"k":7}]"#])
    #expect(plan.journal["overwrote-unknown"] == nil)
  }

  @Test func `a new element of a stripping client has only what it wrote`() throws {
    let plan = try plan(
      #"{"id":"a","t":[{"n":"x","p":1,"k":7}]}"#,
      #"{"id":"a","t":[{"n":"z","p":9},{"n":"x","p":1}]}"#, .declared(Self.schema))
    #expect(plan.lines == [#"set "a"/t [{"n":"z","p":9},{"n":"x","p":1,"k":7}]"#])
  }

  @Test func `an element that a stripping client took away is gone, what it did not know noted`()
    throws
  {
    let plan = try plan(
      #"{"id":"a","t":[{"n":"x","p":1,"k":7},{"n":"y","p":2,"k":8}]}"#,
      #"{"id":"a","t":[{"n":"y","p":2}]}"#, .declared(Self.schema))
    #expect(plan.lines == [#"set "a"/t [{"n":"y","p":2,"k":8}]"#])
    #expect(plan.journal == ["overwrote-unknown": 1])
  }

  @Test func `a rewrite that only strips the elements changes nothing`() throws {
    let plan = try plan(
      #"{"id":"a","name":"m","t":[{"n":"x","p":1,"k":7}]}"#,
      #"{"id":"a","name":"o","t":[{"n":"x","p":1}]}"#, .declared(Self.schema))
    #expect(plan.lines == [#"set "a"/name "o""#])
    #expect(plan.journal == ["stripped": 1])
  }

  @Test(arguments: [true, false])
  func `a rewrite of one element merges with a change of another one`(isDeclared: Bool) throws {
    let record = #"{"id":"a","t":[{"n":"x","p":1,"k":7},{"n":"y","p":2,"k":8}]}"#
    let profile =
      isDeclared ? try ClientProfile.declared(Self.schema) : .undeclared(name: "who")
    let incoming =
      isDeclared
      ? #"{"id":"a","t":[{"n":"x","p":5},{"n":"y","p":2}]}"#
      : #"{"id":"a","t":[{"n":"x","p":5,"k":7},{"n":"y","p":2,"k":8}]}"#
    let plan = try plan(record, incoming, profile)
    let (text, conflicts) = try merged(
      record, plan, with: #"[{"n":"x","p":1,"k":7},{"n":"y","p":2,"k":9},{"n":"z"}]"#)
    #expect(text == #"{"id":"a","t":[{"n":"x","p":5,"k":7},{"n":"y","p":2,"k":9},{"n":"z"}]}"#)
    #expect(conflicts.isEmpty)
  }

  @Test func `an undeclared client that drops members of elements loses nothing`() throws {
    let record = #"{"id":"a","t":[{"n":"x","p":1,"k":7},{"n":"y","p":2,"k":8}]}"#
    let plan = try plan(
      record, #"{"id":"a","t":[{"n":"x","p":5},{"n":"y","p":2}]}"#, .undeclared(name: "who"))
    #expect(plan.lines == [#"set "a"/t [{"n":"x","p":5,"k":7},{"n":"y","p":2,"k":8}]"#])
  }
}
