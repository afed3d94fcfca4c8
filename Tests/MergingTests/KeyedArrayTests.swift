import LosslessJSON
import Merging
import Testing

/// MERGE.md section 4: arrays of objects with an id, section 5 inside the parent's incarnation.
@Suite struct KeyedArrayTests {
  var first = TestNode(1)
  var second = TestNode(2)

  static let base = #"{"t": [{"n": "a", "p": 1, "q": 1}, {"n": "b", "p": 2}]}"#

  static func rules(_ rules: inout RecordRules) {
    rules.keyed = [On.pointer("/t"): On.pointer("/n")]
  }

  /// A record that both nodes know.
  mutating func shared(_ text: String = base) -> Transaction {
    let creation = first.write(On.create(text), at: 1)
    second.read(creation)
    return creation
  }

  /// Checks what every order of arrival shows and journals; `array` is the value of `/t`.
  func check(
    _ transactions: [Transaction], _ array: String?, _ journal: [String] = [],
    path: String = "/t", sourceLocation: SourceLocation = #_sourceLocation
  ) {
    forEachOrder(transactions, rules: Self.rules) { state in
      // A text that does not parse shows nothing and fails the expectation.
      let shown = state.views(at: On.address()).first
        .flatMap { try? JSONTree(parsing: $0.text) }?.node(at: On.pointer(path))?.text
      #expect(shown?.description == array, sourceLocation: sourceLocation)
      #expect(state.conflictLines == journal, sourceLocation: sourceLocation)
      let losses = state.conservationViolations()
      #expect(losses.isEmpty, "\(losses)", sourceLocation: sourceLocation)
      for conflict in state.conflicts {
        #expect(state.kept(for: conflict) != nil, sourceLocation: sourceLocation)
      }
    }
  }

  /// Two concurrent writes of the array over the common base.
  mutating func pair(_ left: String, _ right: String, at times: (UInt64, UInt64) = (5, 4))
    -> [Transaction]
  {
    let base = shared()
    return [
      base, first.write(On.set("/t", left, of: base), at: times.0),
      second.write(On.set("/t", right, of: base), at: times.1),
    ]
  }

  @Test mutating func `edits of different members of one element merge`() {
    let writes = pair(
      #"[{"n": "a", "p": 9, "q": 1}, {"n": "b", "p": 2}]"#,
      #"[{"n": "a", "p": 1, "q": 8}, {"n": "b", "p": 2}]"#)
    check(writes, #"[{"n": "a", "p": 9, "q": 8}, {"n": "b", "p": 2}]"#)
  }

  @Test mutating func `edits of different elements merge`() {
    let writes = pair(
      #"[{"n": "a", "p": 9, "q": 1}, {"n": "b", "p": 2}]"#,
      #"[{"n": "a", "p": 1, "q": 1}, {"n": "b", "p": 3}]"#)
    check(writes, #"[{"n": "a", "p": 9, "q": 1}, {"n": "b", "p": 3}]"#)
  }

  @Test mutating func `additions of both sides are kept, each behind its predecessor`() {
    let writes = pair(
      #"[{"n": "a", "p": 1, "q": 1}, {"n": "x"}, {"n": "y"}, {"n": "b", "p": 2}]"#,
      #"[{"n": "a", "p": 1, "q": 1}, {"n": "z"}, {"n": "b", "p": 2}, {"n": "e"}]"#)
    check(
      writes,
      #"[{"n": "a", "p": 1, "q": 1}, {"n": "z"}, {"n": "x"}, {"n": "y"}, {"n": "b", "p": 2}, "#
        + #"{"n": "e"}]"#)
  }

  @Test mutating func `a removal on one side and an edit of another element both apply`() {
    let writes = pair(
      #"[{"n": "b", "p": 2}]"#, #"[{"n": "a", "p": 1, "q": 1}, {"n": "b", "p": 3}]"#)
    check(writes, #"[{"n": "b", "p": 3}]"#)
  }

  @Test mutating func `an edit beats the deletion of its element, which comes back whole`() {
    let writes = pair(
      #"[{"n": "b", "p": 2}]"#,
      #"[{"n": "a", "p": 7, "q": 1}, {"n": "b", "p": 2}]"#, at: (9, 4))
    check(
      writes, #"[{"n": "a", "p": 7, "q": 1}, {"n": "b", "p": 2}]"#, ["delete-edit /t/a -"])
  }

  @Test mutating func `of two creations of one id the greater rank shows, the loser is journaled`()
  {
    let writes = pair(
      #"[{"n": "a", "p": 1, "q": 1}, {"n": "b", "p": 2}, {"n": "x", "k": 1}]"#,
      #"[{"n": "a", "p": 1, "q": 1}, {"n": "b", "p": 2}, {"n": "x", "l": 2}]"#)
    check(
      writes, #"[{"n": "a", "p": 1, "q": 1}, {"n": "b", "p": 2}, {"n": "x", "k": 1}]"#,
      [#"create-create /t/x {"n": "x", "l": 2}"#])
  }

  @Test mutating func `a creation that lost goes into the journal with its later edits`() {
    let base = shared(#"{"t": []}"#)
    let one = first.write(On.set("/t", #"[{"n": "x", "k": 1}]"#, of: base), at: 9)
    let two = second.write(On.set("/t", #"[{"n": "x", "l": 2}]"#, of: base), at: 4)
    let later = second.write(On.set("/t", #"[{"n": "x", "l": 3}]"#, of: base), at: 5)
    check(
      [base, one, two, later], #"[{"n": "x", "k": 1}]"#,
      [#"create-create /t/x {"n": "x", "l": 3}"#])
  }

  @Test mutating func `equal concurrent creations of one id are one element`() {
    let added = #"[{"n": "a", "p": 1, "q": 1}, {"n": "b", "p": 2}, {"n": "x", "k": 1, "l": 1}]"#
    let base = shared()
    let one = first.write(On.set("/t", added, of: base), at: 5)
    let two = second.write(On.set("/t", added, of: base), at: 4)
    let three = first.write(
      On.set("/t", #"[{"n": "x", "k": 2, "l": 1}]"#, of: base), at: 6)
    let four = second.write(
      On.set(
        "/t", #"[{"n": "a", "p": 1, "q": 1}, {"n": "b", "p": 2}, {"n": "x", "k": 1, "l": 5}]"#,
        of: base), at: 6)
    check(
      [base, one, two, three, four], #"[{"n": "x", "k": 2, "l": 5}]"#,
      // An edit was concurrent with the other creation, as for records.
      ["concurrent /t/x/k 1", "concurrent /t/x/l 1"])
  }

  @Test mutating func `edits of the same member go by rank, the path leads through the id`() {
    let writes = pair(
      #"[{"n": "a", "p": 8, "q": 1}, {"n": "b", "p": 2}]"#,
      #"[{"n": "a", "p": 9, "q": 1}, {"n": "b", "p": 2}]"#)
    check(
      writes, #"[{"n": "a", "p": 8, "q": 1}, {"n": "b", "p": 2}]"#, ["concurrent /t/a/p 9"])
  }

  @Test mutating func `objects inside elements merge member by member`() {
    let base = shared(#"{"t": [{"n": "a", "o": {"x": 1, "y": 1}}]}"#)
    let one = first.write(
      On.set("/t", #"[{"n": "a", "o": {"x": 2, "y": 1}}]"#, of: base), at: 5)
    let two = second.write(On.set("/t", #"[{"n": "a", "o": {"x": 3, "z": 1}}]"#, of: base), at: 4)
    check(
      [base, one, two], #"[{"n": "a", "o": {"x": 2, "z": 1}}]"#, ["concurrent /t/a/o/x 3"])
  }

  @Test mutating func `who created an element anew after its deletion is not mixed with old edits`()
  {
    let base = shared(#"{"t": [{"n": "a", "p": 1, "q": 1}]}"#)
    let gone = first.write(On.set("/t", "[]", of: base), at: 2)
    let anew = first.write(On.set("/t", #"[{"n": "a", "r": 1}]"#, of: base), at: 3)
    let edit = second.write(On.set("/t", #"[{"n": "a", "p": 5, "q": 1}]"#, of: base), at: 9)
    check(
      [base, gone, anew, edit], #"[{"n": "a", "r": 1}]"#,
      ["create-create /t/a/p 5", "delete-edit /t/a -"])
  }

  @Test mutating func `a removal of the whole array loses only the elements that were edited`() {
    let base = shared()
    let one = first.write(On.remove("/t", of: base), at: 9)
    let two = second.write(
      On.set("/t", #"[{"n": "a", "p": 7, "q": 1}, {"n": "b", "p": 2}]"#, of: base), at: 4)
    check([base, one, two], #"[{"n": "a", "p": 7, "q": 1}]"#, ["delete-edit /t/a -"])
  }

  @Test mutating func `a removal of the array against removals in it goes by rank`() {
    let base = shared()
    let one = first.write(On.remove("/t", of: base), at: 9)
    let two = second.write(On.set("/t", #"[{"n": "b", "p": 2}]"#, of: base), at: 4)
    check([base, one, two], nil, [#"concurrent /t [{"n": "b", "p": 2}]"#])
  }

  @Test(arguments: [
    #"[{"n": "a"}, {"n": "a"}]"#, #"[{"p": 1}]"#, #"[1]"#, #"[{"n": [1]}]"#, #"[{"n": null}]"#,
    "5",
  ])
  func `what is no array of objects with ids of their own is one value`(other: String) {
    var tests = self
    let merged = tests.pair(other, #"[{"n": "a", "p": 7, "q": 1}, {"n": "b", "p": 2}]"#)
    check(
      merged, other, [#"concurrent /t [{"n": "a", "p": 7, "q": 1}, {"n": "b", "p": 2}]"#])
    tests = self
    let lower = tests.pair(other, #"[{"n": "a", "p": 7, "q": 1}, {"n": "b", "p": 2}]"#, at: (4, 5))
    check(
      lower, #"[{"n": "a", "p": 7, "q": 1}, {"n": "b", "p": 2}]"#, ["concurrent /t \(other)"])
  }

  @Test mutating func `arrays still merge where a value that is none lost to them`() {
    let writes = pair(
      #"[{"n": "a", "p": 9, "q": 1}, {"n": "b", "p": 2}]"#,
      #"[{"n": "a", "p": 1, "q": 8}, {"n": "b", "p": 2}]"#)
    var third = TestNode(3)
    third.read(writes[0])
    let off = third.write(On.set("/t", #""off""#, of: writes[0]), at: 3)
    check(
      writes + [off], #"[{"n": "a", "p": 9, "q": 8}, {"n": "b", "p": 2}]"#,
      [#"concurrent /t "off""#])
  }

  @Test mutating func `the string 1 and the number 1 are two elements with two paths`() {
    let base = shared(#"{"t": [{"n": 1, "p": 1}, {"n": "1", "p": 1}, {"n": 8080, "p": 1}]}"#)
    let one = first.write(
      On.set("/t", #"[{"n": 1, "p": 2}, {"n": "1", "p": 2}, {"n": 8080, "p": 2}]"#, of: base),
      at: 5)
    let two = second.write(
      On.set("/t", #"[{"n": 1.0, "p": 3}, {"n": "1", "p": 4}, {"n": 8.08e3, "p": 5}]"#, of: base),
      at: 4)
    check(
      [base, one, two], #"[{"n": 1, "p": 2}, {"n": "1", "p": 2}, {"n": 8080, "p": 2}]"#,
      [#"concurrent /t/"1"/p 4"#, "concurrent /t/1/p 3", "concurrent /t/8080/p 5"])
  }

  @Test mutating func `arrays that came with records or with objects merge all the same`() {
    let base = first.write(On.adopt(#"{"o": {"t": [{"n": "a", "p": 1, "q": 1}]}}"#), at: 1)
    second.read(base)
    let one = first.write(On.set("/o", #"{"t": [{"n": "a", "p": 2, "q": 1}]}"#, of: nil), at: 5)
    let two = second.write(
      On.set("/o/t", #"[{"n": "a", "p": 1, "q": 3}, {"n": "x"}]"#, of: nil), at: 4)
    forEachOrder(
      [base, one, two], rules: { $0.keyed = [On.pointer("/o/t"): On.pointer("/n")] }
    ) { state in
      #expect(state.texts() == [#"{"o": {"t": [{"n": "a", "p": 2, "q": 3}, {"n": "x"}]}}"#])
      #expect(state.conflictLines.isEmpty)
    }
  }

  @Test mutating func `adopted arrays merge, explicit edits win over what was adopted`() {
    let one = first.write(On.adopt(#"{"t": [{"n": "a", "p": 1}, {"n": "b"}]}"#), at: 3)
    let two = second.write(On.adopt(#"{"t": [{"n": "a", "q": 2}, {"n": "c"}]}"#), at: 2)
    let edit = first.write(On.set("/t", #"[{"n": "a", "p": 5}, {"n": "b"}]"#, of: nil), at: 4)
    forEachOrder([one, two, edit], rules: Self.rules) { state in
      let text = state.texts().first ?? ""
      for part in [#""p": 5"#, #""q": 2"#, #"{"n": "b"}"#, #"{"n": "c"}"#] {
        #expect(text.contains(part), "\(text)")
      }
      #expect(state.conflictLines.isEmpty)
      #expect(state.conservationViolations().isEmpty)
    }
  }

  @Test mutating func `rules that come later evaluate what was written as one value`() {
    let writes = pair(
      #"[{"n": "a", "p": 9, "q": 1}, {"n": "b", "p": 2}]"#,
      #"[{"n": "a", "p": 1, "q": 8}, {"n": "b", "p": 2}]"#)
    var state = MergeState(writes)
    #expect(
      state.conflictLines == [#"concurrent /t [{"n": "a", "p": 1, "q": 8}, {"n": "b", "p": 2}]"#])
    state.setRules(MergeState([], rules: Self.rules).rules)
    #expect(state.texts() == [#"{"t": [{"n": "a", "p": 9, "q": 8}, {"n": "b", "p": 2}]}"#])
    #expect(state.conflictLines.isEmpty)
    state.setRules(MergeState([]).rules)
    #expect(state.texts() == [#"{"t": [{"n": "a", "p": 9, "q": 1}, {"n": "b", "p": 2}]}"#])
  }

  @Test mutating func `a conflict in one element is open until that place is written again`() {
    let writes = pair(
      #"[{"n": "a", "p": 8, "q": 1}, {"n": "b", "p": 2}]"#,
      #"[{"n": "a", "p": 9, "q": 1}, {"n": "b", "p": 2}]"#)
    first.read(writes[2])
    let other = first.write(
      On.set("/t", #"[{"n": "a", "p": 8, "q": 1}, {"n": "b", "p": 5}]"#, of: writes[0]), at: 6)
    var state = MergeState(writes + [other], rules: Self.rules)
    #expect(state.conflicts.map { state.isOpen($0) } == [true])
    state.apply(
      first.write(
        On.set("/t", #"[{"n": "a", "p": 9, "q": 1}, {"n": "b", "p": 5}]"#, of: writes[0]), at: 7))
    #expect(state.conflicts.map { state.isOpen($0) } == [false])
    #expect(state.texts() == [#"{"t": [{"n": "a", "p": 9, "q": 1}, {"n": "b", "p": 5}]}"#])
  }
}

extension KeyedArrayTests {
  @Test(
    arguments: [
      ("/t/a/p", "7", #"[{"n": "a", "p": 7, "o": {"x": 1}}, {"n": 1}]"#),
      ("/t/a/r", "7", #"[{"n": "a", "p": 1, "o": {"x": 1}, "r": 7}, {"n": 1}]"#),
      ("/t/a/o/y/z", "7", #"[{"n": "a", "p": 1, "o": {"x": 1, "y": {"z":7}}}, {"n": 1}]"#),
      ("/t/a/p/z", "7", #"[{"n": "a", "p": {"z":7}, "o": {"x": 1}}, {"n": 1}]"#),
      ("/t/a/o", nil, #"[{"n": "a", "p": 1}, {"n": 1}]"#),
      ("/t/1", nil, #"[{"n": "a", "p": 1, "o": {"x": 1}}]"#),
      ("/t/a", #"{"n": "a"}"#, #"[{"n": "a"}, {"n": 1}]"#),
      ("/t/z", #"{"n": "z"}"#, #"[{"n": "a", "p": 1, "o": {"x": 1}}, {"n": 1}, {"n": "z"}]"#),
      ("/t/a/q", nil, "unchanged"), ("/t/z", nil, "unchanged"), ("/t/z/p", "1", "no element"),
      ("/t/\"1\"/p", "1", "no element"), ("/u/z", #"{"n": "z"}"#, #"[{"n": "z"}]"#),
      ("/u/z/p", "1", "no element"), ("/v/z/p", "1", "no array"), ("/w/z/p", "1", "no such path"),
    ] as [(String, String?, String)])
  func `a place inside an element is written back`(
    path: String, value: String?, expected: String
  ) throws {
    var rules = RecordRules()
    for name in ["/t", "/u", "/v"] { rules.keyed[On.pointer(name)] = On.pointer("/n") }
    let record = try JSONTree(
      parsing: On.json(#"{"t": [{"n": "a", "p": 1, "o": {"x": 1}}, {"n": 1}], "v": 5}"#))
    let outcome =
      switch ElementPath(On.pointer(path), in: rules)?.writing(
        value.map { On.json($0) }, into: record.root)
      {
      case .array(let text): text.description
      case .unchanged: "unchanged"
      case .noElement: "no element"
      case .noArray: "no array"
      case nil: "no such path"
      }
    #expect(outcome == expected)
  }

  @Test mutating func `a default array created after a deletion that its author saw is shown`() {
    let base = shared()
    let gone = first.write(On.set("/t", "[]", of: base), at: 5)
    let filled = first.write(
      On.set("/t", #"[{"n": "a", "p": 5}]"#, of: base, class: .fill), at: 6)
    let other = second.write(
      On.set("/t", #"[{"n": "a", "p": 1, "q": 1}, {"n": "b", "p": 2}, {"n": "c"}]"#, of: base),
      at: 7)
    check([base, gone, filled, other], #"[{"n": "a", "p": 5}, {"n": "c"}]"#)
  }
}
