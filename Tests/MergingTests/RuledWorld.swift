import LosslessJSON
import Merging
import TestSupport

extension RuledWorldTests {
  /// A world in the making: nodes that write one record, having seen what they know.
  struct World {
    /// One that writes: a node, or a copy of one that has its id.
    struct Author {
      var node: TestNode
      /// What it was before each of its writes.
      var past: [TestNode] = []
      /// Tells its lines from those that another one wrote under the same label.
      var salt: UInt64 = 0
    }

    var chance = SeededChance(seed: 0)
    var authors = (1...3).map { Author(node: TestNode(UInt64($0))) }
    var salts: UInt64 = 0
    var transactions: [Transaction] = []
    /// What each author left at the members he wrote; nil for one he removed.
    var intents: [[(path: String, value: String?)]] = []
    var state = MergeState([], rules: RuledWorldTests.rules)

    init(_ history: [RuledStep]) {
      for step in history { run(step) }
    }

    private mutating func run(_ step: RuledStep) {
      switch step {
      case .read(let node, of: let number):
        guard !transactions.isEmpty else { return }
        see(transactions[number % transactions.count], node % authors.count)
      case .write(let node, let milliseconds, let what, let pick):
        chance = SeededChance(seed: UInt64(pick))
        write(what, node % authors.count, milliseconds)
      case .clone(let node):
        guard authors.count < RuledStep.nodes else { return }
        salts += 1
        var copy = authors[node % authors.count]
        copy.salt = salts
        authors.append(copy)
      case .restore(let node, let writes):
        let index = node % authors.count
        guard writes < authors[index].past.count else { return }
        salts += 1
        let past = authors[index].past.dropLast(writes)
        guard let last = past.last else { return }
        authors[index] = Author(node: last, past: past.dropLast(), salt: salts)
      case .retire(let node, by: let author):
        retire(authors[node % authors.count].node.writer, by: author % authors.count)
      }
    }

    /// An author sees a transaction and all that was seen there; which line of several with one label
    /// that is, only a state can tell.
    private mutating func see(_ transaction: Transaction, _ index: Int) {
      authors[index].node.context = state.union(
        authors[index].node.context,
        state.union(transaction.context, Context(singles: [transaction.id])))
    }

    /// Of the retired node at least the first write counts.
    private mutating func retire(_ writer: WriterID, by index: Int) {
      guard writer != authors[index].node.writer,
        let first = transactions.first(where: { $0.id.writer == writer })
      else { return }
      see(first, index)
      let last = authors[index].node.context.writers[writer].map {
        TransactionID(writer: writer, sequence: $0.sequence, hash: $0.hash)
      }
      commit([], [], index, 1) {
        $0.retirement = Retirement(node: writer.node, last: [last ?? first.id])
      }
    }

    private mutating func write(_ what: RuledStep.What, _ node: Int, _ time: UInt64) {
      let context = authors[node].node.context
      guard let view = state.views(at: On.address(), seenBy: context).first else {
        var body =
          #"{"host": "h", "port": 22, "tags": ["a"], "v": 1, "seen": 0, "#
          + #""in": {"k": [{"id": 1, "p": 1}]}}"#
        if chance.below(2) == 0 {
          body = #"{"v": 2, "tags": ["a", "b"], "note": 1, "in": {"k": [{"id": 1}]}}"#
        }
        let isAdoption = what == .adopt && context == .empty
        return add(isAdoption ? On.adopt(body) : On.create(body), [], node, time)
      }
      if what == .delete { return add(On.delete(), [], node, time) }
      let (path, value) = what == .keyed ? keyedWrite(view.text) : write(what, view.text)
      add(edit(view, path, value), [(path, value)], node, time)
    }

    private func edit(_ view: RecordView, _ path: String, _ value: String?) -> Operation {
      Operation(
        target: On.address(), id: .string("r"), incarnation: view.incarnation,
        action: value.map { .set(On.pointer(path), On.json($0), after: nil) }
          ?? .remove(On.pointer(path)))
    }

    /// A write of the keyed array, of what stands around it, or of something else in its place.
    private mutating func keyedWrite(_ text: JSONText) -> (String, String?) {
      let number = transactions.count
      // Removing what is not there would be no write, nor is one below something else.
      let root = try? JSONTree(parsing: text).root
      let outer = root?.member("in")
      let inner = outer?.member("k")
      guard outer?.kind == .object else { return ("/in", #"{"k": [{"id": \#(number)}]}"#) }
      switch chance.below(12) {
      case 0: return ("/in", nil)
      case 1: return ("/in", chance.below(2) == 0 ? #""off""# : #"{"x": \#(number)}"#)
      case 2: return ("/in/k", inner == nil ? "[]" : nil)
      case 3: return ("/in/k", chance.below(2) == 0 ? "\(number)" : #"[{"id": 1}, {"id": 1.0}]"#)
      case 4: return ("/in/k", #"{"x": \#(number)}"#)
      default: break
      }
      var elements =
        inner.flatMap { $0.kind == .array ? $0.elements.map(\.text.description) : nil } ?? []
      if !elements.isEmpty, chance.below(2) == 0 {
        elements.remove(at: chance.below(elements.count))
      }
      let id = 1 + chance.below(3)
      elements.removeAll { $0.hasPrefix(#"{"id": \#(id)"#) }
      let place = chance.below(elements.count + 1)
      elements.insert(#"{"id": \#(id), "p": \#(number), "q": \#(chance.below(3))}"#, at: place)
      let array = "[" + elements.joined(separator: ", ") + "]"
      return chance.below(4) == 0 ? ("/in", #"{"k": \#(array)}"#) : ("/in/k", array)
    }

    private mutating func write(
      _ what: RuledStep.What, _ text: JSONText
    ) -> (String, String?) {
      let number = transactions.count
      switch what {
      case .host, .adopt: return ("/host", #""h\#(number)""#)
      case .port, .delete: return ("/port", "\(number)")
      case .version: return ("/v", "\(chance.below(20))")
      case .seen: return ("/seen", "\(number)")
      case .note: return ("/note", chance.below(3) == 0 ? #"{"k": \#(number)}"# : "\(number)")
      case .removeNote:
        // Removing what is not there would be no write.
        let hasNote = (try? JSONTree(parsing: text).node(at: On.pointer("/note"))) != nil
        return ("/note", hasNote ? nil : "\(number)")
      case .tags, .keyed:
        var tags = ["a", "b", "c", "d"].shuffled(using: &chance)
        tags.removeLast(chance.below(4))
        return ("/tags", "[" + tags.map { "\"\($0)\"" }.joined(separator: ", ") + "]")
      }
    }

    private mutating func add(
      _ operation: Operation, _ intent: [(path: String, value: String?)], _ node: Int,
      _ time: UInt64
    ) {
      var operation = operation
      let raised = state.raisedStamp(
        for: operation, context: authors[node].node.context, base: Stamp(milliseconds: time))
      if raised != Stamp(milliseconds: time) { operation.raisedStamp = raised }
      commit([operation], intent, node, time)
    }

    private mutating func commit(
      _ operations: [Operation], _ intent: [(path: String, value: String?)], _ index: Int,
      _ time: UInt64, _ change: (inout Transaction) -> Void = { _ in }
    ) {
      let before = authors[index].node
      var transaction = authors[index].node.write(
        operations, at: time, salt: authors[index].salt)
      change(&transaction)
      transactions.append(transaction)
      intents.append(intent)
      state.apply(transaction)
      authors[index].past.append(before)
      authors[index].node.context = before.context
      see(transaction, index)
    }
  }
}
