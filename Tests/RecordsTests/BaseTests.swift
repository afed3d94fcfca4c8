import LosslessJSON
import Merging
import Testing

@testable import Records

/// Which content a rewrite is compared with, and who is taken to have written it.
@Suite struct BaseTests {
  private let documents = [
    #"{"items":[{"id":1,"n":"a","m":"1"},{"id":2,"n":"b","m":"1"}]}"#,
    #"{"items":[{"id":1,"n":"c","m":"1"},{"id":2,"n":"b","m":"2"}]}"#,
    #"{"items":[{"id":1,"n":"c","m":"1"},{"id":2,"n":"b","m":"2"},{"id":3,"n":"d","m":"1"}]}"#,
  ]

  private func plan(
    _ incoming: String, _ evidence: ImportEvidence = ImportEvidence(), count: Int = 3,
    writer: ImportRequest.Writer = .named(.everything),
    _ change: (inout ImportRequest) -> Void = { _ in }
  ) throws -> ImportPlan {
    let candidates = try documents.prefix(count).enumerated().map {
      BaseCandidate($0.offset + 1, try SplitDocument($0.element))
    }
    var request = ImportRequest(
      document: Configuration.Document(), incoming: try SplitDocument(incoming),
      candidates: candidates, evidence: evidence, writer: writer,
      current: candidates.last?.document())
    change(&request)
    return ImportPlanner.plan(request)
  }

  @Test func `an older content once more is stale, whatever its layout`() throws {
    let plan = try plan(documents[0] + "\n")
    #expect(plan.outcome == .stale(candidate: 0))
    #expect(plan.journal == ["stale": 1])
    #expect(plan.changes.isEmpty)
  }

  @Test func `a proof that a newer one was read makes the same content an edit`() throws {
    let named = try plan(documents[0], ImportEvidence(named: 3))
    #expect(named.outcome == .apply)
    #expect(named.lines.count == 3)
    let marked = try plan(documents[1], ImportEvidence(marker: 3))
    #expect(marked.lines == ["delete 3"])
    #expect(marked.evidence == .marker)
  }

  @Test func `two values turned back with nothing newer echoed are a stale model`() throws {
    let incoming = #"{"items":[{"id":1,"n":"a","m":"9"},{"id":2,"n":"b","m":"1"}]}"#
    let plan = try plan(incoming, ImportEvidence(readModifyWrite: 2), count: 2)
    #expect(plan.base == 0)
    #expect(plan.lines == [#"set 1/m "9""#])
    #expect(plan.journal == ["stale-partial": 1])
    let certain = try self.plan(incoming, ImportEvidence(named: 2), count: 2)
    #expect(certain.lines.count == 3)
  }

  @Test func `something newer echoed keeps the newer base`() throws {
    let incoming =
      #"{"items":[{"id":1,"n":"a","m":"1"},{"id":2,"n":"b","m":"2"},{"id":3,"n":"d","m":"1"}]}"#
    let plan = try plan(incoming)
    #expect(plan.base == 2)
    #expect(plan.lines == [#"set 1/n "a""#])
    #expect(plan.journal.isEmpty)
  }

  @Test func `of equal costs the oldest counts, and what it ignores is in doubt`() throws {
    let incoming =
      #"{"items":[{"id":1,"n":"a","m":"1"},{"id":2,"n":"b","m":"1"},{"id":3,"n":"d","m":"1"}]}"#
    let plan = try plan(incoming)
    #expect(plan.base == 0)
    #expect(plan.journal == ["revert-ambiguous": 1])
    #expect(plan.decisions[0].affected.map(\.path.description) == ["/n", "/m"])
  }

  /// The plan for a rewrite of one of several contents, of which nothing is known.
  @Test func `one equal value may be chance, a long one may not`() throws {
    let older = #"{"id":1,"n":"a","m":"1"},{"id":2,"n":"b"}"#
    let chance = try planned(
      #"{"id":1,"n":"z","m":"2"},{"id":2,"n":"b"}"#,
      over: [older, #"{"id":1,"n":"c","m":"2"},{"id":2,"n":"b"}"#])
    #expect(chance.base == 0, "from the newer one, \"c\" would be overwritten without a word")
    let deleted = try planned(
      #"{"id":1,"n":"a","m":"2"}"#,
      over: [older, #"{"id":1,"n":"a","m":"2"},{"id":2,"n":"c"}"#])
    #expect(deleted.base == 0, "from the newer one, a record that was edited would go")
    let long = "\"more than anybody types by chance\""
    let sign = try planned(
      #"{"id":1,"n":"z","m":\#(long)},{"id":2,"n":"b"}"#,
      over: [older, #"{"id":1,"n":"c","m":\#(long)},{"id":2,"n":"b"}"#])
    #expect(sign.base == 1)
    #expect(sign.lines == [#"set 1/n "z""#])
  }

  @Test func `two short values may be chance, three may not`() throws {
    let older = #"{"id":1,"n":"a","m":"1","o":"1","p":"1"}"#
    let newer = #"{"id":1,"n":"c","m":"2","o":"3","p":"4"}"#
    let chance = try planned(#"{"id":1,"n":"z","m":"2","o":"3","p":"1"}"#, over: [older, newer])
    #expect(chance.base == 0, "from the newer one, \"c\" would be overwritten without a word")
    let sign = try planned(#"{"id":1,"n":"z","m":"2","o":"3","p":"4"}"#, over: [older, newer])
    #expect(sign.base == 1)
  }

  @Test func `what came before a value is no sign that the value was read`() throws {
    let older = #"{"id":1,"n":"a","m":"1","o":"1","p":"1"}"#
    let between = #"{"id":1,"n":"a","m":"2","o":"3","p":"4"}"#
    let newest = #"{"id":1,"n":"c","m":"2","o":"3","p":"4","q":"5"}"#
    let plan = try planned(
      #"{"id":1,"n":"z","m":"2","o":"3","p":"4","q":"5"}"#, over: [older, between, newest]
    ) { request in
      // The reader of the one between had seen something that those of the others had not.
      let candidate = request.candidates[1]
      let writer = WriterID(node: NodeID(raw: 7), epoch: 1)
      let id = TransactionID(writer: writer, sequence: 1, hash: LineHash(raw: 9))
      request.candidates[1] = BaseCandidate(
        number: 2, context: Context(singles: [id]), load: candidate.document)
    }
    #expect(plan.base == 0)
  }

  @Test func `a content whose signs are enough is not left for one that is far older`() throws {
    // The second explains it too, seen from the third; and the first, seen from the second.
    let plan = try planned(
      #"{"id":1,"n":"z","m":"2","o":"3","p":"4"}"#,
      over: [
        #"{"id":1,"n":"a","m":"1","o":"1","p":"1"}"#,
        #"{"id":1,"n":"b","m":"2","o":"1","p":"1"}"#,
        #"{"id":1,"n":"c","m":"2","o":"3","p":"4"}"#,
      ])
    #expect(plan.base == 1)
  }

  @Test func `what would turn values back is not believed where an older base changes nothing`()
    throws
  {
    let older = #"{"id":1,"n":"a","m":"1","o":"1"}"#
    let newer = #"{"id":1,"n":"c","m":"2","o":"2"}"#
    // The contexts say nothing of each other: the newer one was itself taken for a write on an old
    // base.
    let plan = try planned(#"{"id":1,"n":"a","m":"1","o":"2"}"#, over: [older, newer]) { request in
      request.candidates = request.candidates.enumerated().map { index, candidate in
        let writer = WriterID(node: NodeID(raw: UInt64(index) + 1), epoch: 1)
        let id = TransactionID(writer: writer, sequence: 1, hash: LineHash(raw: UInt64(index) + 9))
        return BaseCandidate(
          number: candidate.number, kind: candidate.kind, context: Context(singles: [id]),
          load: candidate.document)
      }
    }
    #expect(plan.base == 0)
    #expect(
      plan.journal.keys.allSatisfy { $0.hasPrefix("stale-partial") || $0.hasPrefix("revert") })
    #expect(!plan.journal.isEmpty)
  }

  @Test func `a value of its own needs no sign of what was read`() throws {
    let plan = try planned(
      #"{"id":1,"n":"c","m":"2","new":1},{"id":2,"n":"b"}"#,
      over: [
        #"{"id":1,"n":"a","m":"1"},{"id":2,"n":"b"}"#,
        #"{"id":1,"n":"c","m":"2"},{"id":2,"n":"b"}"#,
      ])
    #expect(plan.base == 1)
  }

  @Test func `a record that was seen to go and is there again is not made anew`() throws {
    let whole = #"{"id":2,"n":"e","m":"1"}"#
    let plan = try planned(
      #"{"id":1,"p":"1","q":"1","r":"1"},"# + whole,
      over: [
        #"{"id":1,"p":"0","q":"1","r":"1"},{"id":2,"n":"b","m":"1"}"#,
        #"{"id":1,"p":"1","q":"1","r":"1"}"#,
        #"{"id":1,"p":"2","q":"2","r":"2"},"# + whole,
      ])
    #expect(plan.base != 1)
    #expect(!plan.lines.contains { $0.hasPrefix("create") }, "\(plan.lines)")
  }

  @Test func `a record that only a newer content has is kept with an entry`() throws {
    let plan = try plan(#"{"items":[{"id":1,"n":"c","m":"1"},{"id":2,"n":"x","m":"2"}]}"#)
    #expect(plan.base == 1)
    #expect(plan.lines == [#"set 2/n "x""#])
    #expect(plan.journal == ["revert-ambiguous": 1])
  }

  @Test func `what came back and what is missing are told by one entry`() throws {
    let plan = try planned(
      #"{"id":1,"n":"a","m":"2","o":"3"},{"id":2,"n":"b"}"#,
      over: [
        #"{"id":1,"n":"a","m":"1","o":"1"},{"id":2,"n":"b"}"#,
        #"{"id":1,"n":"c","m":"2","o":"1"},{"id":2,"n":"e"},{"id":3,"n":"d"},{"id":4}"#,
      ])
    #expect(plan.base == 0)
    #expect(plan.journal == ["revert-ambiguous": 1])
    let affected = plan.decisions[0].affected
    #expect(
      affected.map(\.kept?.description) == [
        #""c""#, #""e""#, #"{"id":3,"n":"d"}"#, #"{"id":4}"#,
      ])
    #expect(affected.map(\.discarded?.description) == [#""a""#, #""b""#, nil, nil])
  }

  @Test func `a number that an undeclared program may have rounded is no sign, but told`() throws {
    let plan = try planned(
      #"{"id":1,"n":9007199254740992,"m":"2"}"#,
      over: [
        #"{"id":1,"n":9007199254740992,"m":"1"}"#, #"{"id":1,"n":9007199254740993,"m":"1"}"#,
      ]
    ) { $0.writer = .oneOf([]) }
    #expect(plan.base == 0)
    #expect(plan.lines == [#"set 1/m "2""#])
    #expect(plan.journal == ["revert-ambiguous": 1])
    #expect(plan.decisions[0].discarded?.description == "9007199254740992")
  }

  @Test func `a generation that nobody opened is no base`() throws {
    let incoming = #"{"items":[{"id":1,"n":"c","m":"1"},{"id":2,"n":"b","m":"1"}]}"#
    let plan = try plan(incoming, ImportEvidence(opened: [2]))
    #expect(plan.base == 1)
    #expect(plan.evidence == .opened)
    #expect(plan.lines == [#"set 2/m "1""#])
  }

  @Test func `an open proves nothing where an older read content explains as much`() throws {
    let incoming = #"{"items":[{"id":1,"n":"c","m":"1"},{"id":2,"n":"x","m":"2"}]}"#
    let evidence = ImportEvidence(readModifyWrite: 3, proof: .opens)
    let plan = try plan(incoming, evidence)
    #expect(plan.base == 1)
    #expect(plan.lines == [#"set 2/n "x""#])
    #expect(plan.journal == ["revert-ambiguous": 1])
    #expect(plan.decisions[0].record?.description == "3")
    let unread = try self.plan(incoming, evidence) { request in
      request.candidates = request.candidates.enumerated().map { index, candidate in
        BaseCandidate(
          number: candidate.number, mayHaveBeenRead: index == 2, load: candidate.document)
      }
    }
    #expect(unread.base == 2)
    #expect(unread.lines.sorted() == ["delete 3", #"set 2/n "x""#])
  }

  @Test func `a marker that names nothing retained is said`() throws {
    let incoming = documents[2].replacing("\"d\"", with: "\"e\"")
    let plan = try plan(incoming, ImportEvidence(marker: 77))
    #expect(plan.journal == ["base-unknown": 1])
    #expect(plan.lines == [#"set 3/n "e""#])
  }

  @Test func `without any candidate everything is new`() throws {
    let plan = try plan(documents[0], count: 0)
    #expect(plan.base == nil)
    #expect(plan.lines.count == 2)
    #expect(plan.journal == ["base-unknown": 1])
  }

  // MARK: - Who

  private func profile(_ name: String, _ members: String) throws -> ClientProfile {
    var profile = try ClientProfile.declared(
      "{\"properties\":{\"id\":{},\"n\":{}\(members)}}")
    profile.name = name
    return profile
  }

  @Test func `a document with a member that the old client drops is not its`() throws {
    let one = try profile("one", "")
    let two = try profile("two", ",\"m\":{}")
    let incoming = documents[2].replacing("\"d\"", with: "\"e\"")
    let plan = try plan(incoming, writer: .oneOf([one, two]))
    #expect(plan.client == "two")
    #expect(!plan.isWriterAssumed && plan.fingerprint != nil)
    let none = try self.plan(incoming, writer: .oneOf([one]))
    #expect(none.client == nil)
  }

  @Test func `where several fit the oldest is assumed and what is kept is in doubt`() throws {
    let one = try profile("one", "")
    let two = try profile("two", ",\"m\":{}")
    let incoming = #"{"items":[{"id":1,"n":"c"},{"id":2,"n":"b"},{"id":3,"n":"e"}]}"#
    let plan = try plan(incoming, writer: .oneOf([one, two]))
    #expect(plan.client == "one" && plan.isWriterAssumed)
    #expect(plan.lines == [#"set 3/n "e""#])
    #expect(plan.journal == ["strip-ambiguous": 3])
    let look = Fingerprint(try JSONTree(parsing: Array(incoming.utf8)))
    let other = Fingerprint(style: .pretty, isSorted: false)
    let told = try self.plan(incoming, writer: .oneOf([one, two])) {
      $0.fingerprints = ["one": look, "two": other]
    }
    #expect(told.client == "one" && !told.isWriterAssumed)
    #expect(told.journal == ["stripped": 3])
  }

  @Test func `ids that a client rounds match by occurrence`() throws {
    var profile = ClientProfile.everything
    profile.numbers = .double
    let base = try SplitDocument(
      #"{"items":[{"id":9007199254740993,"n":1},{"id":9007199254740992,"n":2}]}"#)
    let incoming = try SplitDocument(
      #"{"items":[{"id":9007199254740992,"n":1},{"id":9007199254740992,"n":5}]}"#)
    let plan = ImportPlanner.plan(
      ImportRequest(
        document: Configuration.Document(), incoming: incoming,
        candidates: [BaseCandidate(1, base)], writer: .named(profile)))
    #expect(plan.lines == ["set 9007199254740992/n 5"])
    #expect(plan.journal == ["lossy-echo": 1])
  }
}
