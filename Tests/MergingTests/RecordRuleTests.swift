import LosslessJSON
import Merging
import Testing

/// docs/MERGING.md section 5: creations, deletions, adoption, default fills, duplicates, order.
@Suite struct RecordRuleTests {
  var first = TestNode(1)
  var second = TestNode(2)
  var third = TestNode(3)

  private mutating func shared(_ text: String) -> Transaction {
    let creation = first.write(On.create(text), at: 1)
    second.read(creation)
    third.read(creation)
    return creation
  }

  @Test mutating func `a concurrent edit beats a deletion and the whole record comes back`() {
    let base = shared(#"{"a": 1, "b": 2}"#)
    let deletion = first.write(On.delete(), at: 9)
    let edit = second.write(On.set("/a", "3", of: base), at: 4)
    forEachOrder([base, deletion, edit]) { state in
      #expect(state.texts() == [#"{"a": 3, "b": 2}"#])
      #expect(state.conflictLines == ["delete-edit record -"])
    }
  }

  @Test mutating func `a deletion that saw everything leaves nothing`() {
    let base = shared(#"{"a": 1}"#)
    let deletion = second.write(On.delete(), at: 0)
    let state = MergeState([base, deletion])
    #expect(state.texts().isEmpty)
    #expect(state.records(document: "hosts.json", collection: "hosts").isEmpty)
    #expect(state.views(at: On.address(), seenBy: second.context).isEmpty)
  }

  @Test mutating func `a creation after a deletion is a new record`() {
    let base = shared(#"{"a": 1, "b": 2}"#)
    let deletion = first.write(On.delete(), at: 2)
    let again = first.write(On.create(#"{"a": 7}"#), at: 3)
    let late = second.write(On.set("/b", "5", of: base), at: 9)
    forEachOrder([base, deletion, again, late]) { state in
      #expect(state.texts() == [#"{"a": 7}"#])
      #expect(state.conflictLines == ["create-create /b 5", "delete-edit record -"])
    }
  }

  @Test mutating func `concurrent creations with equal members are one`() {
    let one = first.write(On.create(#"{"a": 1, "t": 5}"#), at: 1)
    let two = second.write(On.create(#"{"t":6,"a":1.0}"#), at: 2)
    forEachOrder([one, two], rules: { $0.volatile = [On.pointer("/t")] }) { state in
      #expect(state.texts() == [#"{"a": 1, "t": 6}"#])
      #expect(state.conflictLines.isEmpty)
    }
    second.read(one)
    let edit = second.write(On.set("/a", "2", of: one), at: 3)
    let state = MergeState([one, two, edit]) { $0.volatile = [On.pointer("/t")] }
    #expect(state.texts() == [#"{"a": 2, "t": 6}"#])
  }

  @Test mutating func `of concurrent creations that differ one is shown, never a mixture`() {
    let one = first.write(On.create(#"{"a": 1}"#), at: 1)
    let edit = first.write(On.set("/a", "3", of: one), at: 9)
    let two = second.write(On.create(#"{"b": 1}"#), at: 2)
    forEachOrder([one, edit, two]) { state in
      #expect(state.texts() == [#"{"b": 1}"#])
      #expect(state.conflictLines == [#"create-create record {"a": 3}"#])
    }
  }

  @Test mutating func `adoptions of one id merge by member, explicit operations win`() {
    let one = first.write(On.adopt(#"{"a": 1, "b": 1}"#), at: 5)
    let two = second.write(On.adopt(#"{"a": 2, "c": 3}"#), at: 6)
    let three = third.write(On.create(#"{"a": 0, "d": 4}"#), at: 1)
    forEachOrder([one, two, three]) { state in
      #expect(state.texts() == [#"{"a": 0, "c": 3, "d": 4, "b": 1}"#], "by the members before")
      #expect(state.conflictLines == ["concurrent /a 1", "concurrent /a 2"])
    }
  }

  @Test mutating func `an adoption shows nothing where its id has a deletion it did not see`() {
    let base = shared(#"{"a": 1}"#)
    let deletion = first.write(On.delete(), at: 2)
    let adoption = TestNode.adopting(4, #"{"a": 1}"#, at: 9)
    forEachOrder([base, deletion, adoption]) { state in
      #expect(state.texts().isEmpty)
      #expect(state.conflictLines == [#"delete-edit record {"a": 1}"#])
    }
  }

  @Test mutating func `a default fill never outranks and is asked for by the context`() {
    let base = shared(#"{"a": 1, "b": 2}"#)
    let removal = first.write(On.remove("/b", of: base), at: 2)
    let fill = second.write(On.set("/c", "0", of: base, after: "b", class: .fill), at: 9)
    let edit = third.write(On.set("/c", "7", of: base, after: "b"), at: 3)
    let state = MergeState([base, removal, fill, edit])
    #expect(state.texts() == [#"{"a": 1, "c": 7}"#])
    let incarnation = Incarnation.created(by: base.id.hash, ordinal: 0)
    func holds(_ path: String, _ context: Context) -> Bool {
      state.holdsExplicitOperation(
        at: On.address(), incarnation: incarnation, path: On.pointer(path), in: context)
    }
    #expect(holds("/b", first.context), "a removal counts")
    #expect(!holds("/c", second.context), "a fill does not count")
    #expect(holds("/c", third.context))
    #expect(!holds("/d", first.context), "a creation without the member does not count")
  }

  @Test mutating func `a creation beside a live record its author saw is a duplicate`() {
    let base = shared(#"{"a": 1}"#)
    let beside = second.write(On.create(#"{"a": 2}"#, position: .next(after: .first)), at: 3)
    let edit = third.write(On.set("/a", "5", of: base), at: 4)
    forEachOrder([base, beside, edit]) { state in
      #expect(Set(state.texts()) == [#"{"a": 2}"#, #"{"a": 5}"#])
      #expect(state.conflictLines.isEmpty)
      #expect(
        state.records(document: "hosts.json", collection: "hosts").map(\.text.description)
          == [#"{"a": 5}"#, #"{"a": 2}"#])
    }
  }

  @Test mutating func `duplicates that one write brings stand beside each other`() {
    let both = first.write(
      On.create(#"{"a": 1}"#), On.create(#"{"a": 1}"#, ordinal: 1), at: 1)
    let state = MergeState([both])
    #expect(state.texts() == [#"{"a": 1}"#, #"{"a": 1}"#])
  }

  @Test mutating func `records stand in the order of their fractions, moves go by rank`() {
    let low = Fraction.first
    let middle = Fraction.next(after: low)
    let high = Fraction.next(after: middle)
    let base = first.write(
      On.create("{}", id: "a", position: low),
      On.create("{}", id: "b", position: middle, ordinal: 1),
      at: 1)
    second.read(base)
    let one = first.write(On.move(high, of: base, id: "a"), at: 5)
    let two = second.write(On.move(.between(nil, low), of: base, id: "a"), at: 6)
    forEachOrder([base, one, two]) { state in
      #expect(
        state.records(document: "hosts.json", collection: "hosts").compactMap(\.id?.description)
          == [#""a""#, #""b""#])
      #expect(state.conflictLines == [#"order record "a2""#])
    }
    #expect(
      MergeState([base, one]).records(document: "hosts.json", collection: "hosts")
        .compactMap(\.id?.description) == [#""b""#, #""a""#])
  }

  @Test mutating func `what lies outside the collections always exists`() {
    func frame(_ text: String) -> Operation {
      Operation(
        target: On.outside, id: nil, incarnation: .adopted,
        action: .create(On.json(text), position: nil, layout: nil), operationClass: .adopted)
    }
    let one = first.write(frame(#"{"v": 1,  "hosts": []}"#), at: 1)
    let two = second.write(frame(#"{"v":1,"hosts":[]}"#), at: 2)
    let edit = first.write(
      Operation(
        target: On.outside, id: nil, incarnation: .adopted,
        action: .set(On.pointer("/v"), On.json("2"), after: nil)), at: 3)
    forEachOrder([one, two, edit]) { state in
      #expect(
        state.outside(document: "hosts.json")?.text.description == #"{"v": 2,  "hosts": []}"#)
      #expect(state.outside(document: "hosts.json")?.incarnation == .adopted)
    }
    #expect(MergeState([]).outside(document: "hosts.json") == nil)
  }

  @Test mutating func `a causal overwrite is no conflict and is listed with both values`() {
    let base = shared(#"{"a": 1}"#)
    let edit = first.write(On.set("/a", "2", of: base), at: 2)
    let deletion = first.write(On.delete(), at: 3)
    let state = MergeState([base, edit, deletion])
    #expect(state.conflictLines.isEmpty)
    let lines = state.overwrites().map { overwrite in
      "\(overwrite.written.value?.description ?? "-") over "
        + overwrite.replaced.map { $0.value?.description ?? "-" }.joined(separator: ", ")
    }
    #expect(lines == ["2 over 1", #"- over {"a": 2}"#])
  }

  /// What `restore` writes back is the first value of an entry.
  @Test mutating func `an object that goes is listed as its author saw it`() {
    let base = shared(#"{"o": {"k": 1, "l": 1}}"#)
    second.read(base)
    first.read(base)
    let deep = first.write(On.set("/o/k", "2", of: base), at: 2)
    let more = first.write(On.set("/o/m", "3", of: base, after: JSONKey("l")), at: 3)
    let other = second.write(On.set("/o/l", "9", of: base), at: 4)
    let gone = first.write(On.remove("/o", of: base), at: 5)
    first.read(other)
    let anew = first.write(On.set("/o", #"{"n": 1}"#, of: base), at: 6)
    let state = MergeState([base, deep, more, other, gone, anew])
    func replaced(by id: TransactionID) -> [[String]] {
      state.overwrites(by: id).map { $0.replaced.map { $0.value?.description ?? "-" } }
    }
    #expect(replaced(by: gone.id) == [[#"{"k": 2, "l": 1, "m": 3}"#]])
    #expect(replaced(by: anew.id) == [[#"{"l":9}"#]])
  }

  @Test mutating func `a stamp is raised above all that an operation covers`() {
    let base = shared(#"{"a": 1, "o": {"k": 1}}"#)
    let deep = first.write(On.set("/o/k", "2", of: base), at: 500)
    let state = MergeState([base, deep])
    func raised(_ operation: Operation) -> Stamp {
      state.raisedStamp(
        for: operation, context: first.context, base: Stamp(milliseconds: 10))
    }
    #expect(raised(On.set("/o", "{}", of: base)) == deep.stamp.next)
    #expect(raised(On.delete()) == deep.stamp.next)
    #expect(raised(On.set("/a", "2", of: base)) == Stamp(milliseconds: 10))
  }
}

extension TestNode {
  static func adopting(_ number: UInt64, _ text: String, at time: UInt64) -> Transaction {
    var node = TestNode(number)
    return node.write(On.adopt(text), at: time)
  }
}
