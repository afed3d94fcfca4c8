import LosslessJSON
import Testing

@testable import Merging

/// Nodes that write no more: what counts of them, whatever the order in which it is heard.
@Suite struct RetirementTests {
  private var old = TestNode(1)
  private var one = TestNode(2)
  private var two = TestNode(3)

  private func retirement(of node: TestNode, by author: inout TestNode) -> Transaction {
    var transaction = author.write(at: 50)
    transaction.retirement = Retirement(
      node: node.writer.node, last: [node.last].compactMap { $0 })
    return transaction
  }

  private func shown(_ transactions: [Transaction]) -> [String: String] {
    var state = MergeState()
    for transaction in transactions { state.apply(transaction) }
    #expect(!state.isWaiting)
    #expect(state.conservationViolations().isEmpty)
    let views = state.records(document: "hosts.json", collection: "hosts")
    return Dictionary(
      uniqueKeysWithValues: views.map { ($0.id?.description ?? "", $0.text.description) })
  }

  private func forEachOrder(_ transactions: [Transaction], _ expected: [String: String]) {
    for order in permutations(transactions) {
      #expect(shown(order) == expected, "\(order.map(\.id))")
    }
  }

  private func permutations<Element>(_ list: [Element]) -> [[Element]] {
    guard list.count > 1 else { return [list] }
    return list.indices.flatMap { index in
      var rest = list
      let first = rest.remove(at: index)
      return permutations(rest).map { [first] + $0 }
    }
  }

  @Test mutating func `what a retired node wrote later does not count in any order`() {
    let base = old.write(On.create(#"{"a": 1}"#), at: 1)
    one.read(base)
    let retires = retirement(of: old, by: &one)
    let tail = old.write(On.set("/a", "2", of: base), at: 90)
    let more = old.write(On.create(#"{"b": 1}"#, id: "s"), at: 91)
    forEachOrder([base, retires, tail, more], [#""r""#: #"{"a": 1}"#])
  }

  @Test mutating func `what others wrote over a tail counts as if the tail were not there`() {
    let base = old.write(On.create(#"{"a": 1, "b": 1}"#), at: 1)
    one.read(base)
    let retires = retirement(of: old, by: &one)
    let tail = old.write(On.set("/a", "2", of: base), at: 90)
    let more = old.write(On.create(#"{"c": 1}"#, id: "s"), at: 91)
    two.read(base, tail, more)
    let over = two.write(On.set("/b", "3", of: base), On.set("/c", "4", of: more, id: "s"), at: 95)
    forEachOrder([base, retires, tail, more, over], [#""r""#: #"{"a": 1, "b": 3}"#])
  }

  @Test mutating func `of several retirements the one that names most counts`() {
    let base = old.write(On.create(#"{"a": 1}"#), at: 1)
    one.read(base)
    let early = retirement(of: old, by: &one)
    let change = old.write(On.set("/a", "2", of: base), at: 2)
    two.read(base, change)
    let late = retirement(of: old, by: &two)
    let tail = old.write(On.set("/a", "3", of: base), at: 90)
    forEachOrder([base, early, change, late, tail], [#""r""#: #"{"a": 2}"#])
    #expect(shown([base, early, change, tail]) == [#""r""#: #"{"a": 1}"#])
  }

  @Test mutating func `two nodes that retire each other are both retired`() {
    let base = old.write(On.create(#"{"a": 1}"#), at: 1)
    one.read(base)
    let first = retirement(of: old, by: &one)
    let second = retirement(of: one, by: &old)
    let tail = one.write(On.set("/a", "5", of: base), at: 90)
    forEachOrder([base, first, second, tail], [#""r""#: #"{"a": 1}"#])
  }

  @Test mutating func `a retirement is told, and its tails with it`() {
    let base = old.write(On.create(#"{"a": 1}"#), at: 1)
    one.read(base)
    let retires = retirement(of: old, by: &one)
    let tail = old.write(On.set("/a", "2", of: base), at: 90)
    var state = MergeState()
    for transaction in [base, tail] { state.apply(transaction) }
    #expect(state.retiredNodes.isEmpty && !state.isTail(tail.id) && state.restarts == 0)
    #expect(state.apply(retires) == [retires.id])
    #expect(state.retiredNodes == [old.writer.node])
    #expect(state.isTail(tail.id) && !state.isTail(base.id) && state.restarts == 1)
    #expect(state.tails.keys.elementsEqual([tail.id.hash]))
    #expect(state.retirement(of: old.writer.node).last == [tail.id])
  }

  @Test mutating func `what does not count is told until somebody who saw it writes over it`() {
    let base = old.write(On.create(#"{"a": 1, "b": 1}"#), at: 1)
    one.read(base)
    let retires = retirement(of: old, by: &one)
    let first = old.write(On.set("/a", "2", of: base), at: 90)
    let second = old.write(On.set("/a", "3", of: base), On.delete(id: "s"), at: 91)
    let more = old.write(On.create(#"{"c": 1}"#, id: "s"), at: 92)
    var state = MergeState()
    for transaction in [more, second, retires, base, first] { state.apply(transaction) }
    let writes = state.unmergedWrites
    #expect(writes.map { $0.written.value?.description ?? "-" } == ["2", "3", "-", #"{"c": 1}"#])
    #expect(writes.allSatisfy { $0.isTail && state.unmergedWrite(withID: $0.id)?.id == $0.id })
    // Who wrote 3 had seen 2, and who created the record had seen that it was deleted.
    #expect(writes.filter { state.isOpen($0) }.map(\.written.ordinal) == [0, 0])
    two.read(base, retires, more)
    state.apply(two.write(On.set("/a", "4", of: base), at: 95))
    #expect(state.unmergedWrites.map(\.id) == writes.map(\.id), "it only grows")
    #expect(state.unmergedWrites.filter { state.isOpen($0) }.map(\.recordID) == [.string("s")])
    state.apply(two.write(On.create(#"{"c": 2}"#, id: "s"), at: 96))
    #expect(!state.unmergedWrites.contains { state.isOpen($0) })
  }

  @Test mutating func `an edit of what was created in a tail joins what is created anew`() {
    let base = old.write(On.create(#"{"a": 1}"#), at: 1)
    one.read(base)
    let retires = retirement(of: old, by: &one)
    let tail = old.write(On.create(#"{"id": "s"}"#, id: "s"), at: 90)
    two.read(base, tail)
    let edit = two.write(On.set("/c", "4", of: tail, id: "s", after: JSONKey("id")), at: 95)
    var state = MergeState()
    for transaction in [base, tail, edit, retires] { state.apply(transaction) }
    let told = state.unmergedWrites
    #expect(told.map { $0.written.value?.description } == [#"{"id": "s"}"#, "4"])
    #expect(told.allSatisfy { state.isOpen($0) && $0.isTail })
    let anew = one.write(On.create(#"{"id": "s"}"#, id: "s"), at: 97)
    state.apply(anew)
    let views = state.views(at: On.address("s"))
    #expect(views.map(\.text.description) == [#"{"id": "s", "c": 4}"#])
    #expect(state.unmergedWrites.map { $0.written.value?.description } == [#"{"id": "s"}"#])
    forEachOrder(
      [base, retires, tail, edit, anew],
      [#""r""#: #"{"a": 1}"#, #""s""#: #"{"id": "s", "c": 4}"#])
  }

  @Test mutating func `an edit of a creation that is destroyed is told, and joins another`() {
    let lost = old.write(On.create(#"{"id": "s"}"#, id: "s"), at: 1)
    one.read(lost)
    let edit = one.write(On.set("/c", "4", of: lost, id: "s", after: JSONKey("id")), at: 5)
    var state = MergeState()
    state.apply(edit)
    #expect(state.isWaiting && state.unmergedWrites.isEmpty)
    state.close(lost.id)
    #expect(state.unmergedWrites.map { $0.written.value?.description } == ["4"])
    #expect(state.unmergedWrites.allSatisfy { !$0.isTail && state.isOpen($0) })
    state.apply(two.write(On.create(#"{"id": "s"}"#, id: "s"), at: 9))
    #expect(state.unmergedWrites.isEmpty)
    #expect(
      state.views(at: On.address("s")).map(\.text.description) == [#"{"id": "s", "c": 4}"#])
  }
  /// Its author names the last line that he had seen, and that is the only one that can be given up.
  @Test mutating func `a creation before the line that is given up is destroyed with it`() {
    let lost = old.write(On.create(#"{"id": "s"}"#, id: "s"), at: 1)
    let last = old.write(On.create(#"{"id": "t"}"#, id: "t"), at: 2)
    one.read(lost, last)
    let edit = one.write(On.set("/c", "4", of: lost, id: "s", after: JSONKey("id")), at: 5)
    var state = MergeState()
    state.apply(edit)
    #expect(state.isWaiting)
    state.close(last.id)
    #expect(!state.isWaiting)
    #expect(state.unmergedWrites.map { $0.written.value?.description } == ["4"])
  }
}
