import LosslessJSON
import Merging
import Testing

@testable import Records

/// The rows of the table in docs/MERGING.md 7.5, for declared and undeclared clients.
@Suite struct RowTests {
  static let schema = """
    {"properties":{"id":{},"name":{},"note":{},"port":{"default":22},
     "kind":{"enum":["ssh","telnet"],"default":"ssh"},"raw":{"enum":["a"]},
     "jump":{"properties":{"host":{}}},"parts":{"items":{"properties":{"id":{},"v":{}}}},
     "size":{"type":"integer"}}}
    """

  private func plan(
    _ base: String, _ incoming: String, _ profile: ClientProfile,
    _ change: (inout ImportRequest) -> Void = { _ in }
  ) throws -> ImportPlan {
    let base = try SplitDocument("{\"items\":[\(base)]}")
    let incoming = try SplitDocument("{\"items\":[\(incoming)]}")
    var request = ImportRequest(
      document: Configuration.Document(), incoming: incoming, candidates: [BaseCandidate(1, base)],
      writer: .named(profile), current: base)
    change(&request)
    return ImportPlanner.plan(request)
  }

  private func old(_ change: (inout ClientProfile) -> Void = { _ in }) throws -> ClientProfile {
    var profile = try ClientProfile.declared(Self.schema)
    change(&profile)
    return profile
  }

  private let undeclared = ClientProfile.undeclared(name: "who")

  // MARK: - Absent members

  @Test func `a member that the client does not know is kept`() throws {
    let plan = try plan(
      #"{"id":1,"name":"a","x":1},{"id":2,"name":"b","x":2}"#,
      #"{"id":1,"name":"c"},{"id":2,"name":"b"}"#, old())
    #expect(plan.lines == [#"set 1/name "c""#])
    #expect(plan.journal == ["stripped": 2])
    #expect(plan.decisions.count == 1)
    #expect(plan.decisions[0].path == pointer("/x"))
  }

  @Test func `of an absent object only the known part is removed`() throws {
    let plan = try plan(
      #"{"id":1,"jump":{"host":"h","hops":2}},{"id":2,"jump":{"host":"h"}}"#,
      #"{"id":1},{"id":2,"jump":{"host":"h"}}"#, old())
    #expect(plan.lines == ["remove 1/jump/host"])
    #expect(plan.journal == ["stripped": 1])
    #expect(plan.decisions[0].path == pointer("/jump/hops"))
  }

  @Test func `a known member absent in one record is deleted`() throws {
    let plan = try plan(
      #"{"id":1,"note":"x"},{"id":2,"note":"y"}"#, #"{"id":1},{"id":2,"note":"y"}"#, old())
    #expect(plan.lines == ["remove 1/note"])
    #expect(plan.journal.isEmpty)
  }

  @Test(arguments: [true, false]) func `a member gone from all records is kept`(
    _ isDeclared: Bool
  ) throws {
    let plan = try plan(
      #"{"id":1,"note":"x"},{"id":2,"note":"y"},{"id":3}"#, #"{"id":1},{"id":2},{"id":3}"#,
      isDeclared ? old() : undeclared)
    #expect(plan.changes.isEmpty)
    #expect(plan.journal == ["strip-ambiguous": 2])
  }

  @Test func `a member always written and absent once is kept`() throws {
    let plan = try plan(
      #"{"id":1,"note":"x"},{"id":2,"note":"y"}"#, #"{"id":1},{"id":2,"note":"y"}"#,
      old { $0.always = [pointer("/note")] })
    #expect(plan.changes.isEmpty)
    #expect(plan.journal == ["strip-ambiguous": 1])
  }

  @Test func `an undeclared client deletes what is the only change`() throws {
    let plan = try plan(
      #"{"id":1,"note":"x"},{"id":2,"note":"y"}"#, #"{"id":1},{"id":2,"note":"y"}"#, undeclared)
    #expect(plan.lines == ["remove 1/note"])
  }

  @Test func `an undeclared client that edits and drops is not believed`() throws {
    let plan = try plan(
      #"{"id":1,"note":"x","v":1},{"id":2,"note":"y","v":1}"#,
      #"{"id":1,"v":2},{"id":2,"note":"y","v":1}"#, undeclared)
    #expect(plan.lines == ["set 1/v 2"])
    #expect(plan.journal == ["strip-ambiguous": 1])
  }

  @Test func `an undeclared client that writes a member elsewhere can delete it`() throws {
    let base = #"{"id":1,"note":"x","v":1},{"id":2,"note":"y","v":1}"#
    let plan = try plan(
      base, #"{"id":1,"v":2},{"id":2,"note":"z","v":1}"#, undeclared)
    #expect(plan.lines.sorted() == ["remove 1/note", "set 1/v 2", #"set 2/note "z""#])
    #expect(plan.touched.contains(MemberPath(collection: "items", path: pointer("/note"))))
    let later = try self.plan(
      base, #"{"id":1,"v":2},{"id":2,"note":"y","v":1}"#, undeclared
    ) { $0.memory = [MemberPath(collection: "items", path: pointer("/note"))] }
    #expect(later.lines.sorted() == ["remove 1/note", "set 1/v 2"])
  }

  @Test func `an empty object says nothing of the members that others put into one`() throws {
    let plan = try plan(
      #"{"id":1,"v":1,"o":{"x":1}}"#, #"{"id":1,"v":2,"o":{}},{"id":2,"v":1,"o":{}}"#, undeclared)
    #expect(plan.lines == ["set 1/v 2", #"create 2 {"id":2,"v":1,"o":{}}"#])
    #expect(plan.journal == ["strip-ambiguous": 1])
    let whole = try self.plan(
      #"{"id":1,"v":1,"o":{"x":1}},{"id":2,"v":1}"#,
      #"{"id":1,"v":2,"o":{}},{"id":2,"v":1,"o":{"k":1}}"#, undeclared)
    #expect(whole.lines == ["set 1/v 2", #"set 2/o {"k":1}"#])
    #expect(whole.touched.contains(MemberPath(collection: "items", path: pointer("/o/k"))))
  }

  // MARK: - Raw values

  @Test func `raw values that became the fallback are kept`() throws {
    let plan = try plan(
      #"{"id":1,"kind":"et"},{"id":2,"kind":"mosh"}"#,
      #"{"id":1,"kind":"ssh"},{"id":2,"kind":"ssh"}"#, old())
    #expect(plan.changes.isEmpty)
    #expect(plan.journal == ["coerced": 2])
  }

  @Test func `one single such value is in doubt`() throws {
    let plan = try plan(#"{"id":1,"kind":"et"}"#, #"{"id":1,"kind":"ssh"}"#, old())
    #expect(plan.changes.isEmpty)
    #expect(plan.journal == ["coerce-ambiguous": 1])
  }

  @Test func `another value than the fallback, or a sibling with a raw value, is an edit`() throws {
    let other = try plan(#"{"id":1,"kind":"et"}"#, #"{"id":1,"kind":"telnet"}"#, old())
    #expect(other.lines == [#"set 1/kind "telnet""#])
    #expect(other.journal == ["overwrote-unknown": 1])
    #expect(other.decisions[0].discarded?.description == #""et""#)
    let sibling = try plan(
      #"{"id":1,"kind":"et"},{"id":2,"kind":"et"}"#,
      #"{"id":1,"kind":"ssh"},{"id":2,"kind":"et"}"#, old())
    #expect(sibling.lines == [#"set 1/kind "ssh""#])
    #expect(sibling.journal == ["overwrote-unknown": 1])
  }

  @Test func `an enum without a default coerces nothing`() throws {
    let plan = try plan(
      #"{"id":1,"raw":"z"},{"id":2,"raw":"z"}"#, #"{"id":1,"raw":"a"},{"id":2,"raw":"a"}"#, old())
    #expect(plan.lines.count == 2)
    #expect(plan.journal.isEmpty)
  }

  @Test func `an undeclared client that strips and levels values is not believed`() throws {
    let base = #"{"id":1,"k":"et","x":1},{"id":2,"k":"et","x":2},{"id":3,"k":"m","x":3}"#
    let stripping = try plan(
      base, #"{"id":1,"k":"s"},{"id":2,"k":"s"},{"id":3,"k":"m"}"#, undeclared)
    #expect(stripping.changes.isEmpty)
    #expect(stripping.journal == ["strip-ambiguous": 3, "coerce-ambiguous": 2])
    let plain = try plan(
      base, #"{"id":1,"k":"s","x":1},{"id":2,"k":"s","x":2},{"id":3,"k":"m","x":3}"#, undeclared)
    #expect(plain.lines.count == 2)
    let unlike = try plan(
      base, #"{"id":1,"k":"s"},{"id":2,"k":"t"},{"id":3,"k":"m"}"#, undeclared)
    #expect(unlike.lines.count == 2)
  }

  // MARK: - Losses and fills

  @Test func `rounding, lone surrogates and left-out nulls are echoes`() throws {
    let plan = try plan(
      #"{"id":1,"port":9007199254740993,"name":"\ud800x","note":null}"#,
      #"{"id":1,"port":9007199254740992,"name":"\ufffdx"}"#,
      old {
        $0.numbers = .double
        $0.strings = .replacesLoneSurrogates
        $0.omitsNull = true
      })
    #expect(plan.changes.isEmpty)
    #expect(plan.journal == ["lossy-echo": 3])
    let exact = try self.plan(
      #"{"id":1,"port":9007199254740993}"#, #"{"id":1,"port":9007199254740992}"#, undeclared)
    #expect(exact.lines == ["set 1/port 9007199254740992"])
  }

  @Test func `another spelling of the same value is nothing`() throws {
    let plan = try plan(
      #"{"id":1,"port":22.0,"name":"é","parts":[1,2]}"#,
      #"{ "name" : "\u00e9", "id":1.0,"port":2.2e1, "parts":[1, 2]}"#, undeclared)
    #expect(plan.outcome == .nothing)
  }

  @Test func `a default is filled in only where nothing explicit was`() throws {
    let fill = try plan(#"{"id":1}"#, #"{"id":1,"port":22}"#, old())
    #expect(fill.lines == ["fill 1/port 22"])
    #expect(fill.journal == ["default-fill": 1])
    let held = try plan(#"{"id":1}"#, #"{"id":1,"port":22}"#, old()) {
      $0.holdsExplicit = { place, path in path == pointer("/port") }
    }
    #expect(held.changes.isEmpty)
    #expect(held.journal == ["default-fill": 1])
    let other = try plan(#"{"id":1}"#, #"{"id":1,"port":23}"#, old())
    #expect(other.lines == ["set 1/port 23"])
    let undeclared = try plan(#"{"id":1}"#, #"{"id":1,"port":22}"#, undeclared)
    #expect(undeclared.lines == ["set 1/port 22"])
  }

  // MARK: - Records

  @Test func `a record that the client cannot decode is kept`() throws {
    let plan = try plan(
      #"{"id":1,"size":"big"},{"id":2,"size":1}"#, "", old { $0.drops = .mistyped })
    #expect(plan.lines == ["delete 2"])
    #expect(plan.journal == ["stripped": 1])
    let named = try self.plan(
      #"{"id":1,"kind":"et"},{"id":2,"kind":"ssh"}"#, #"{"id":2,"kind":"ssh"}"#,
      old { $0.drops = .mistypedOrOutsideEnum([pointer("/kind")]) })
    #expect(named.changes.isEmpty)
  }

  @Test(arguments: [true, false]) func `very many absent records hold the whole rewrite`(
    _ isDeclared: Bool
  ) throws {
    let profile = isDeclared ? try old() : undeclared
    let base = (1...6).map { "{\"id\":\($0),\"x\":1}" }.joined(separator: ",")
    let held = try plan(base, #"{"id":1},{"id":2},{"id":3,"name":"n"}"#, profile)
    #expect(held.outcome == .held(deletions: 3, of: 6))
    #expect(held.changes.isEmpty)
    #expect(held.journal == ["bulk-delete-held": 1])
    let accepted = try plan(base, #"{"id":1},{"id":2},{"id":3,"name":"n"}"#, profile) {
      $0.acceptsBulkDelete = true
    }
    #expect(accepted.lines.filter { $0.hasPrefix("delete") }.count == 3)
    let fewer = try plan(
      base, #"{"id":1,"x":1},{"id":2,"x":1},{"id":3,"x":1},{"id":4,"x":1}"#, profile)
    #expect(fewer.lines == ["delete 5", "delete 6"])
  }

  @Test func `an emptied collection of two is held`() throws {
    #expect(try plan(#"{"id":1},{"id":2}"#, "", old()).outcome == .held(deletions: 2, of: 2))
    #expect(try plan(#"{"id":1}"#, "", old()).lines == ["delete 1"])
  }

  // MARK: - Arrays

  @Test func `what a client drops inside elements of an array is put back`() throws {
    let base = #"{"id":1,"parts":[{"id":1,"v":1,"x":9},{"id":2,"v":2,"x":8}]}"#
    let same = try plan(base, #"{"id":1,"parts":[{"id":1,"v":1},{"id":2,"v":2}]}"#, old())
    #expect(same.changes.isEmpty)
    #expect(same.journal == ["stripped": 1])
    let edited = try plan(base, #"{"id":1,"parts":[{"id":1,"v":1},{"id":2,"v":3}]}"#, old())
    #expect(edited.lines == [#"set 1/parts [{"id":1,"v":1,"x":9},{"id":2,"v":3,"x":8}]"#])
    let added = try plan(
      base, #"{"id":1,"parts":[{"id":3},{"id":1,"v":1},{"id":2,"v":2}]}"#, old())
    #expect(
      added.lines == [#"set 1/parts [{"id":3},{"id":1,"v":1,"x":9},{"id":2,"v":2,"x":8}]"#])
  }

  @Test func `sets are compared without order`() throws {
    var rules = RecordRules()
    rules.sets = [pointer("/tags")]
    let document = Configuration.Document(rules: ["items": rules])
    let same = try plan(#"{"id":1,"tags":["a","b"]}"#, #"{"id":1,"tags":["b","a"]}"#, undeclared) {
      $0.document = document
    }
    #expect(same.changes.isEmpty && same.decisions.isEmpty)
    let other = try plan(
      #"{"id":1,"tags":["a","b"]}"#, #"{"id":1,"tags":["b","c"]}"#, undeclared
    ) { $0.document = document }
    #expect(other.lines == [#"set 1/tags ["b","c"]"#])
  }

  @Test func `a group is written whole, with what the client cannot know from the base`() throws {
    var rules = RecordRules()
    rules.groups = ["endpoint": [pointer("/name"), pointer("/port"), pointer("/proto")]]
    let plan = try plan(
      #"{"id":1,"name":"a","port":1,"proto":"t"}"#, #"{"id":1,"name":"b","port":1}"#, old()
    ) { $0.document = Configuration.Document(rules: ["items": rules]) }
    #expect(plan.lines == [#"set 1/name "b""#, "set 1/port 1", #"set 1/proto "t""#])
    #expect(plan.journal == ["stripped": 1])
  }

  // MARK: - Duplicates and order

  @Test func `of a duplicate member the last counts and the others are journaled`() throws {
    let plan = try plan(#"{"id":1,"port":1}"#, #"{"id":1,"port":2,"port":3}"#, undeclared)
    #expect(plan.lines == ["set 1/port 3"])
    #expect(plan.journal == ["duplicate-member": 1])
    #expect(plan.decisions[0].discarded?.description == "2")
  }

  @Test func `records outside the longest increasing run move`() throws {
    let base = #"{"id":3},{"id":1},{"id":4},{"id":2}"#
    let plan = try plan(base, #"{"id":4},{"id":3},{"id":1},{"id":2}"#, undeclared)
    #expect(plan.lines == ["move 4 to the start"])
  }

  @Test func `a sorted rewrite is a re-sort`() throws {
    let base = (0..<8).map { "{\"id\":\(($0 * 5) % 8)}" }.joined(separator: ",")
    let sorted = (0..<8).map { "{\"id\":\($0)}" }.joined(separator: ",")
    let plan = try plan(base, sorted, undeclared)
    #expect(plan.changes.isEmpty)
    #expect(plan.journal == ["resort": 1])
  }

  @Test func `new records name the one before them`() throws {
    let plan = try plan(#"{"id":1},{"id":2}"#, #"{"id":1},{"id":5},{"id":6},{"id":2}"#, undeclared)
    let places = plan.changes.compactMap { change -> RecordReference? in
      if case .create(let creation) = change { creation.after } else { nil }
    }
    let one = try #require(RecordKey(id: JSONText.number(1)))
    #expect(
      places == [
        .base(RecordPlace(collection: "items", key: one, id: .number(1))), .created(0),
      ])
  }
}
