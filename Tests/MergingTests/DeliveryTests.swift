import LosslessJSON
import Merging
import Testing

@Suite struct DeliveryTests {
  @Test func `a transaction waits for everything that its author had seen`() {
    var first = TestNode(1)
    var second = TestNode(2)
    let creation = first.write(On.create(#"{"a": 1}"#), at: 1)
    let edit = first.write(On.set("/a", "2", of: creation), at: 2)
    second.read(edit)
    let later = second.write(On.set("/a", "3", of: creation), at: 3)
    var state = MergeState()
    #expect(state.apply(later).isEmpty)
    #expect(state.apply(later).isEmpty)
    #expect(state.waiting.map(\.id) == [later.id])
    #expect(state.waiting.first?.missing == [first.writer: 2])
    #expect(state.apply(edit).isEmpty)
    #expect(state.apply(creation) == [creation.id, edit.id, later.id])
    #expect(state.waiting.isEmpty)
    #expect(state.apply(edit).isEmpty)
    #expect(state.transactionCount == 3)
    #expect(state.context.contains(later.id))
    #expect(state.transaction(edit.id)?.id == edit.id)
  }

  @Test func `a transaction without operations is part of the context`() {
    var first = TestNode(1)
    let empty = first.write(at: 1)
    var state = MergeState()
    #expect(state.apply(empty) == [empty.id])
    #expect(state.context == first.context)
  }

  @Test func `both lines of a fork are merged and told apart`() {
    var original = TestNode(1)
    let creation = original.write(On.create(#"{"a": 1, "b": 1}"#), at: 1)
    var copy = original
    let one = original.write(On.set("/a", "2", of: creation), at: 2)
    let two = copy.write(On.set("/b", "3", of: creation), at: 3, salt: 1)
    let three = copy.write(On.set("/a", "4", of: creation), at: 1, salt: 1)
    var contexts: [Context] = []
    forEachOrder([creation, one, two, three]) { state in
      #expect(state.waiting.isEmpty)
      #expect(state.texts() == [#"{"a": 2, "b": 3}"#])
      #expect(state.conflictLines == ["concurrent /a 4"])
      #expect(
        state.forks == [
          Fork(writer: original.writer, sequence: 2, hashes: [one.id.hash, two.id.hash].sorted())
        ])
      #expect(state.isSeen(one.id, by: original.context))
      #expect(!state.isSeen(two.id, by: original.context))
      #expect(state.isSeen(two.id, by: copy.context))
      #expect(!state.isSeen(one.id, by: copy.context))
      #expect(state.union(original.context, copy.context) == state.context)
      contexts.append(state.context)
      #expect(
        state.views(at: On.address(), seenBy: copy.context).map(\.text.description)
          == [#"{"a": 4, "b": 3}"#])
    }
    #expect(contexts.allSatisfy { $0 == contexts[0] })
  }

  @Test func `a writer that saw both lines of a fork covers both`() {
    var original = TestNode(1)
    let creation = original.write(On.create(#"{"a": 1}"#), at: 1)
    var copy = original
    let one = original.write(On.set("/a", "2", of: creation), at: 2)
    let two = copy.write(On.set("/a", "3", of: creation), at: 3, salt: 1)
    let known = MergeState([creation, one, two])
    var other = TestNode(2)
    other.context = known.context
    let three = other.write(On.set("/a", "4", of: creation), at: 1)
    forEachOrder([creation, one, two, three]) { state in
      #expect(state.texts() == [#"{"a": 4}"#])
      #expect(state.conflicts.allSatisfy { !state.isOpen($0) })
    }
  }

  @Test func `an author need not have seen its own earlier transactions`() {
    var first = TestNode(1)
    let creation = first.write(On.create(#"{"a": 1}"#), at: 1)
    let before = first.context
    let one = first.write(On.set("/a", "2", of: creation), at: 2)
    let two = first.write(On.set("/a", "3", of: creation), at: 3, seeing: before, client: "old")
    forEachOrder([creation, one, two]) { state in
      #expect(state.texts() == [#"{"a": 3}"#])
      #expect(state.conflictLines == ["concurrent /a 2"])
      #expect(state.conflicts.first.flatMap { state.kept(for: $0) }?.client == "old")
    }
  }

  @Test func `only documents that may show something else are reported as changed`() {
    var first = TestNode(1)
    let creation = first.write(On.create("{}"), On.create("{}", id: "s", ordinal: 1), at: 1)
    var state = MergeState([creation])
    #expect(state.takeChangedDocuments() == ["hosts.json"])
    #expect(state.takeChangedDocuments().isEmpty)
    state.apply(creation)
    #expect(state.takeChangedDocuments().isEmpty)
    state.apply(first.write(On.set("/a", "1", of: creation), at: 2))
    #expect(state.takeChangedDocuments() == ["hosts.json"])
  }

  @Test func `a copy of a state is not changed by what the other applies`() {
    var first = TestNode(1)
    let creation = first.write(On.create(#"{"a": 1}"#), at: 1)
    let edit = first.write(On.set("/a", "2", of: creation), at: 2)
    var state = MergeState([creation, edit])
    let copy = state
    #expect(copy.records(document: "hosts.json", collection: "hosts").count == 1)
    state.apply(first.write(On.set("/a", "3", of: creation), at: 3))
    #expect(state.texts() == [#"{"a": 3}"#])
    #expect(copy.texts() == [#"{"a": 2}"#])
  }

  @Test func `an edit of what was never created changes nothing`() {
    var first = TestNode(1)
    let creation = first.write(On.create(#"{"a": 1}"#), at: 1)
    let stray = first.write(On.set("/a", "2", of: creation, ordinal: 7), at: 2)
    #expect(MergeState([creation, stray]).texts() == [#"{"a": 1}"#])
  }
}
