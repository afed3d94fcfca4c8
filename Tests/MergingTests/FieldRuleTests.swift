import LosslessJSON
import Merging
import Testing

/// docs/MERGING.md 4: values, sets, groups, volatile and monotonic members, changes of type.
@Suite struct FieldRuleTests {
  var first = TestNode(1)
  var second = TestNode(2)

  /// A record that both nodes know.
  mutating func shared(_ text: String) -> Transaction {
    let creation = first.write(On.create(text), at: 1)
    second.read(creation)
    return creation
  }

  @Test mutating func `of two concurrent values the greater rank is shown, the other journaled`() {
    let base = shared(#"{"port": 22}"#)
    let one = first.write(On.set("/port", "23", of: base), at: 5)
    let two = second.write(On.set("/port", "24", of: base), at: 4)
    forEachOrder([base, one, two]) { state in
      #expect(state.texts() == [#"{"port": 23}"#])
      #expect(state.conflictLines == ["concurrent /port 24"])
      for conflict in state.conflicts {
        #expect(state.kept(for: conflict)?.value?.description == "23")
        #expect(state.isOpen(conflict))
      }
    }
  }

  @Test mutating func `a write that saw both sides closes their conflict`() {
    let base = shared(#"{"port": 22}"#)
    let one = first.write(On.set("/port", "23", of: base), at: 5)
    let two = second.write(On.set("/port", "24", of: base), at: 4)
    first.read(two)
    let three = first.write(On.set("/port", "25", of: base), at: 6)
    let state = MergeState([base, one, two, three])
    #expect(state.conflicts.map { state.isOpen($0) } == [false])
    #expect(state.texts() == [#"{"port": 25}"#])
  }

  @Test mutating func `concurrent equal values are no conflict, the lowest-ranked spelling stays`()
  {
    let base = shared(#"{"port": 22}"#)
    let one = first.write(On.set("/port", "23.0", of: base), at: 4)
    let two = second.write(On.set("/port", "23", of: base), at: 5)
    forEachOrder([base, one, two]) { state in
      #expect(state.texts() == [#"{"port": 23.0}"#])
      #expect(state.conflictLines.isEmpty)
    }
  }

  @Test mutating func `an explicit write that saw a value wins whatever its stamp`() {
    let base = shared(#"{"port": 22}"#)
    let late = first.write(On.set("/port", "23", of: base), at: 1000)
    second.read(late)
    let early = second.write(On.set("/port", "24", of: base), at: 2)
    #expect(MergeState([base, late, early]).texts() == [#"{"port": 24}"#])
  }

  @Test mutating func `objects that two nodes create at one place merge`() {
    let base = shared(#"{"a": 1}"#)
    let one = first.write(On.set("/o", #"{"x": 1}"#, of: base, after: "a"), at: 5)
    let two = second.write(On.set("/o", #"{"y": 2}"#, of: base, after: "a"), at: 4)
    forEachOrder([base, one, two]) { state in
      #expect(state.texts().first?.contains(#""x": 1"#) == true)
      #expect(state.texts().first?.contains(#""y": 2"#) == true)
      #expect(state.conflictLines.isEmpty)
    }
  }

  @Test mutating func `of a scalar and an object at one place the lower rank is a type change`() {
    let base = shared(#"{"a": 1}"#)
    let one = first.write(On.set("/a", #"{"x": 1}"#, of: base), at: 4)
    let two = second.write(On.set("/a", "2", of: base), at: 5)
    forEachOrder([base, one, two]) { state in
      #expect(state.texts() == [#"{"a": 2}"#])
      #expect(state.conflictLines == [#"type-change /a {"x": 1}"#])
    }
  }

  @Test mutating func `an edit inside an object beats its removal and brings back what it wrote`() {
    let base = shared(#"{"o": {"x": 1, "y": 2}, "z": 3}"#)
    let one = first.write(On.remove("/o", of: base), at: 9)
    let two = second.write(On.set("/o/x", "5", of: base), at: 4)
    forEachOrder([base, one, two]) { state in
      let text = state.texts().first ?? ""
      #expect(text.contains("5") && !text.contains("y") && text.contains(#""z": 3"#))
      #expect(state.conflictLines == ["delete-edit /o -"])
    }
  }

  @Test mutating func `a removal against an edit of the same member goes by rank`() {
    let base = shared(#"{"a": 1, "b": 2}"#)
    let one = first.write(On.remove("/a", of: base), at: 9)
    let two = second.write(On.set("/a", "5", of: base), at: 4)
    forEachOrder([base, one, two]) { state in
      #expect(state.texts() == [#"{"b": 2}"#])
      #expect(state.conflictLines == ["concurrent /a 5"])
    }
  }

  @Test mutating func `arrays are one value unless they are declared`() {
    let base = shared(#"{"tags": ["a"]}"#)
    let one = first.write(On.set("/tags", #"["a", "b"]"#, of: base), at: 5)
    let two = second.write(On.set("/tags", #"["a", "c"]"#, of: base), at: 4)
    let state = MergeState([base, one, two])
    #expect(state.texts() == [#"{"tags": ["a", "b"]}"#])
    #expect(state.conflictLines == [#"concurrent /tags ["a", "c"]"#])
  }

  @Test mutating func `in a set additions and removals of both sides apply`() {
    let base = shared(#"{"tags": ["a", "b"]}"#)
    let one = first.write(On.set("/tags", #"["a", "b", "c"]"#, of: base), at: 5)
    let two = second.write(On.set("/tags", #"["d", "b"]"#, of: base), at: 4)
    forEachOrder([base, one, two], rules: { $0.sets = [On.pointer("/tags")] }) { state in
      #expect(state.texts() == [#"{"tags": ["d", "b", "c"]}"#])
      #expect(state.conflictLines.isEmpty)
    }
  }

  @Test mutating func `in a set an element added anew survives a removal that did not see it`() {
    let base = shared(#"{"tags": ["a"]}"#)
    let gone = first.write(On.set("/tags", "[]", of: base), at: 2)
    let again = first.write(On.set("/tags", #"["a"]"#, of: base), at: 3)
    let other = second.write(On.set("/tags", #"["b"]"#, of: base), at: 9)
    forEachOrder([base, gone, again, other], rules: { $0.sets = [On.pointer("/tags")] }) { state in
      let text = state.texts().first ?? ""
      #expect(text.contains(#""a""#) && text.contains(#""b""#), "\(text)")
    }
  }

  @Test mutating func `what is no set of unique scalars falls back to one value`() {
    let base = shared(#"{"tags": ["a"]}"#)
    let one = first.write(On.set("/tags", #"["a", "a"]"#, of: base), at: 5)
    let two = second.write(On.set("/tags", #"["c"]"#, of: base), at: 4)
    let state = MergeState([base, one, two]) { $0.sets = [On.pointer("/tags")] }
    #expect(state.texts() == [#"{"tags": ["a", "a"]}"#])
    #expect(state.conflictLines == [#"concurrent /tags ["c"]"#])
  }

  @Test mutating func `two sets still merge when a value of lower rank lies beside them`() {
    let base = shared(#"{"tags": ["a"]}"#)
    let one = first.write(On.set("/tags", #"["a", "b"]"#, of: base), at: 5)
    let two = second.write(On.set("/tags", #"["a", "c"]"#, of: base), at: 6)
    var third = TestNode(3)
    third.read(base)
    let value = third.write(On.set("/tags", #""none""#, of: base), at: 4)
    forEachOrder([base, one, two, value], rules: { $0.sets = [On.pointer("/tags")] }) { state in
      #expect(state.texts() == [#"{"tags": ["a", "b", "c"]}"#])
      #expect(state.conflictLines == [#"concurrent /tags "none""#])
      #expect(state.conservationViolations().isEmpty)
    }
  }

  @Test mutating func `sets that lose to a value of greater rank are all in the journal`() {
    let base = shared(#"{"tags": ["a"]}"#)
    let one = first.write(On.set("/tags", #"["a", "b"]"#, of: base), at: 5)
    let two = second.write(On.set("/tags", #"["a", "c"]"#, of: base), at: 6)
    var third = TestNode(3)
    third.read(base)
    let value = third.write(On.set("/tags", #""none""#, of: base), at: 9)
    forEachOrder([base, one, two, value], rules: { $0.sets = [On.pointer("/tags")] }) { state in
      #expect(state.texts() == [#"{"tags": "none"}"#])
      #expect(
        Set(state.conflictLines) == [
          #"concurrent /tags ["a", "b"]"#, #"concurrent /tags ["a", "c"]"#,
        ])
    }
  }

  @Test mutating func `the members of a group win or lose together`() {
    let base = shared(#"{"host": "h", "port": 22}"#)
    let one = first.write(On.set("/host", #""x""#, of: base), at: 4)
    let two = second.write(On.set("/port", "23", of: base), at: 5)
    let groups = ["endpoint": [On.pointer("/host"), On.pointer("/port")]]
    forEachOrder([base, one, two], rules: { $0.groups = groups }) { state in
      #expect(state.texts() == [#"{"host": "h", "port": 23}"#])
      #expect(state.conflictLines == [#"concurrent group endpoint {"host":"x","port":22}"#])
    }
    #expect(MergeState([base, one, two]).texts() == [#"{"host": "x", "port": 23}"#])
  }

  @Test mutating func `volatile members merge silently and revive nothing`() {
    let base = shared(#"{"seen": 1}"#)
    let one = first.write(On.set("/seen", "5", of: base), at: 5)
    let two = second.write(On.set("/seen", "4", of: base), at: 4)
    var third = TestNode(3)
    third.read(base)
    let deletion = third.write(On.delete(), at: 9)
    forEachOrder([base, one, two], rules: { $0.volatile = [On.pointer("/seen")] }) { state in
      #expect(state.texts() == [#"{"seen": 5}"#])
      #expect(state.conflictLines.isEmpty)
    }
    forEachOrder([base, one, deletion], rules: { $0.volatile = [On.pointer("/seen")] }) { state in
      #expect(state.texts().isEmpty)
      #expect(state.conflictLines.isEmpty)
    }
    #expect(MergeState([base, one, deletion]).texts() == [#"{"seen": 5}"#])
  }

  @Test mutating func `of a monotonic member the greatest number is shown`() {
    let base = shared(#"{"v": 9}"#)
    let one = first.write(On.set("/v", "10", of: base), at: 4)
    let two = second.write(On.set("/v", "9.5", of: base), at: 5)
    forEachOrder([base, one, two], rules: { $0.monotonic = [On.pointer("/v")] }) { state in
      #expect(state.texts() == [#"{"v": 10}"#])
      #expect(state.conflictLines == ["concurrent /v 9.5"])
      #expect(state.conflicts.first.flatMap { state.kept(for: $0) }?.value?.description == "10")
    }
  }

  @Test mutating func `changed rules evaluate everything anew`() {
    let base = shared(#"{"v": 9}"#)
    let one = first.write(On.set("/v", "10", of: base), at: 4)
    let two = second.write(On.set("/v", "9.5", of: base), at: 5)
    var state = MergeState([base, one, two])
    #expect(state.texts() == [#"{"v": 9.5}"#])
    let monotonic = MergeState([]) { $0.monotonic = [On.pointer("/v")] }
    state.setRules(monotonic.rules)
    #expect(state.texts() == [#"{"v": 10}"#])
    #expect(state.conflictLines == ["concurrent /v 9.5"])
  }

  @Test mutating func `a new member goes behind the one before it in its author's text`() {
    let base = shared(#"{"a": 1, "z": 2}"#)
    let one = first.write(On.set("/m", "5", of: base, after: "a"), at: 5)
    let two = second.write(On.set("/k", "4", of: base, after: "a"), at: 4)
    forEachOrder([base, one, two]) { state in
      #expect(state.texts() == [#"{"a": 1, "k": 4, "m": 5, "z": 2}"#])
    }
    first.read(two)
    let edited = first.write(On.set("/k", "9", of: base, after: "m"), at: 6)
    #expect(
      MergeState([base, one, two, edited]).texts() == [#"{"a": 1, "k": 9, "m": 5, "z": 2}"#])
  }
}

extension FieldRuleTests {
  @Test mutating func `a monotonic value that lost once still wins where its number is greater`() {
    let base = shared(#"{"v": 1}"#)
    let low = first.write(On.set("/v", "5", of: base), at: 4)
    let high = second.write(On.set("/v", "6", of: base), at: 5)
    var third = TestNode(3)
    third.read(high)
    let late = third.write(On.set("/v", "4", of: base), at: 6)
    forEachOrder([base, low, high, late], rules: { $0.monotonic = [On.pointer("/v")] }) { state in
      #expect(state.texts() == [#"{"v": 5}"#])
      #expect(state.conflictLines == ["concurrent /v 4", "concurrent /v 5"])
    }
  }

  @Test mutating func `every one of several losers is in the journal once`() {
    let base = shared(#"{"v": 1}"#)
    let ones = (2...4).map { first.write(On.set("/v", "\($0)", of: base), at: UInt64($0)) }
    let twos = (5...7).map { second.write(On.set("/v", "\($0)", of: base), at: UInt64($0 - 3)) }
    let expected = (2...6).map { "concurrent /v \($0)" }
    let backward = MergeState([base] + twos + ones)
    let forward = MergeState([base] + ones + twos)
    #expect(Set(forward.conflicts.map(\.id)) == Set(backward.conflicts.map(\.id)))
    #expect(forward.conflictLines == expected)
  }
}
