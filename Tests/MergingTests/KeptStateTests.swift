import LosslessJSON
import TestSupport
import Testing

@testable import Merging

/// A state that was read from the tables of a checkpoint, and what came after, is the state that
/// was made from the transactions.
@Suite struct KeptStateTests {
  private static let rules = MergeState([], rules: RuledWorldTests.rules).rules

  /// Everything that a state shows and reports.
  private func summary(_ state: MergeState, _ transactions: [Transaction]) -> [String] {
    var lines = state.texts()
    lines += state.conflicts.map { conflict in
      let kept = state.kept(for: conflict)
      return "\(conflict.id) \(conflict.kind) \(conflict.place) \(conflict.loser) "
        + "\(String(describing: conflict.recordID)) \(state.isOpen(conflict)) "
        + "\(String(describing: kept))"
    }.sorted()
    lines += state.overwrites().map { overwrite in
      "\(overwrite.address) \(overwrite.place) \(overwrite.written) \(overwrite.replaced)"
    }.sorted()
    lines.append("\(text(state.context)) \(state.forks)")
    lines += state.waiting.map { "\($0.id.hash) \($0.missing.sorted { $0.key < $1.key })" }
    lines.append("\(state.retiredNodes) \(state.transactionCount) \(state.documents)")
    lines += state.tails.keys.sorted().map { "\($0)" }
    for transaction in transactions {
      let seen = state.views(at: On.address(), seenBy: transaction.context)
      lines += seen.map { "\($0)" }
      guard let read = state.transaction(transaction.id) else { continue }
      lines.append(
        "\(read.id) \(read.previous) \(read.stamp) \(text(read.context)) \(String(describing: read.client))"
      )
      lines += read.operations.map { "\($0)" }
    }
    return lines
  }

  private func text(_ context: Context) -> String {
    "\(context.writers.sorted { $0.key < $1.key }) \(context.singles.sorted { $0.hash < $1.hash })"
  }

  /// The transactions of a world, at times with a fork, a client and a retirement.
  private func transactions(_ history: [RuledStep]) -> [Transaction] {
    var transactions = RuledWorldTests.World(history).transactions
    var chance = SeededChance(seed: UInt64(transactions.count))
    for index in transactions.indices where chance.below(3) == 0 {
      transactions[index].client = ["old", "", "n\u{e9}w"][chance.below(3)]
    }
    if chance.below(2) == 0 {
      // A copy of node 1 writes other lines under the same labels.
      var copy = TestNode(1)
      for salt in 1...(1 + UInt64(chance.below(2))) {
        transactions.append(
          copy.write(On.set("/port", "\(salt)", of: nil), at: 40 + salt, seeing: .empty, salt: salt)
        )
      }
    }
    if chance.below(3) == 0, let last = transactions.last(where: { $0.id.writer.node.raw == 2 }) {
      var author = TestNode(3)
      author.read(last)
      var retirement = author.write(at: 60, salt: 9)
      retirement.retirement = Retirement(node: last.id.writer.node, last: [last.id])
      if chance.below(2) == 0 {
        retirement.retirement = Retirement(node: last.id.writer.node, last: [])
      }
      transactions.append(retirement)
    }
    return transactions
  }

  private func complaint(_ history: [RuledStep]) throws -> String? {
    let all = transactions(history)
    var chance = SeededChance(seed: UInt64(all.count) &* 31)
    for order in [all, all.shuffled(using: &chance)] {
      var fresh = MergeState(rules: Self.rules)
      for transaction in order { fresh.apply(transaction) }
      let expected = summary(fresh, all)
      var before = MergeState(rules: Self.rules)
      for cut in 0...order.count {
        if cut > 0 { before.apply(order[cut - 1]) }
        guard before.fitsInTables else { continue }
        // Read under the same rules, and under none that become the same later.
        for rules in [Self.rules, MergeRules()] {
          var state = try MemoryCheckpoint.copy(of: before, rules: rules)
          if rules == Self.rules, summary(state, all) != summary(before, all) {
            return "cut at \(cut) of \(order.count): not as it was"
          }
          for transaction in order[cut...] { state.apply(transaction) }
          state.setRules(Self.rules)
          if let found = difference(expected, summary(state, all)) {
            return "cut at \(cut) of \(order.count): \(found)"
          }
        }
      }
      if let found = try complaintAboutSteps(order, expected, all) { return found }
    }
    return nil
  }

  /// A checkpoint after every transaction, each read by the next process and continued.
  private func complaintAboutSteps(
    _ order: [Transaction], _ expected: [String], _ all: [Transaction]
  ) throws -> String? {
    var checkpoint = MemoryCheckpoint()
    var state = MergeState(rules: Self.rules)
    var restarts = 0
    for transaction in order {
      state.apply(transaction)
      if state.restarts != restarts {
        // Other numbers: a new text.
        checkpoint = MemoryCheckpoint()
        restarts = state.restarts
      }
      guard state.fitsInTables else { continue }
      checkpoint.keep(state)
      state = try checkpoint.read(rules: Self.rules)
      restarts = 0
    }
    return difference(expected, summary(state, all)).map { "kept at every step: \($0)" }
  }

  private func difference(_ expected: [String], _ found: [String]) -> String? {
    if expected == found { return nil }
    let (missing, extra) = (
      expected.filter { !found.contains($0) }, found.filter { !expected.contains($0) }
    )
    return "missing \(missing), instead \(extra)"
  }

  @Test func `what tables keep goes on like what was made from transactions`() {
    let property = HistoryProperty("KeptStateTests", length: 3...16, step: RuledStep.random) {
      history in
      do { return try complaint(history) } catch { return "\(error)" }
    }
    if let failure = property.failure(runs: 16) { Issue.record("\(failure)") }
  }

  @Test func `tables that end early are refused at any length`() throws {
    var node = TestNode(1)
    let state = MergeState(
      [node.write(On.create(#"{"id":"r","host":"a"}"#), at: 1)], rules: RuledWorldTests.rules)
    var table = TableWriter()
    state.writeTables(to: &table, offsets: [0, 40])
    for count in 0..<table.bytes.count {
      #expect(throws: TableError.self) {
        var reader = TableReader(table.bytes[..<count])
        _ = try MergeState(tables: &reader, rules: state.rules, source: MemoryText())
      }
    }
  }

  @Test func `a value that cannot be read ends no process`() throws {
    var node = TestNode(1)
    var checkpoint = MemoryCheckpoint()
    checkpoint.keep(
      MergeState(
        [
          node.write(On.create(#"{"id":"r","host":"a"}"#), at: 1),
          node.write(On.set("/port", "1", of: nil), at: 2),
        ], rules: RuledWorldTests.rules))
    let state = try checkpoint.read(rules: Self.rules)
    checkpoint.text.isBroken = true
    let views = state.records(document: "hosts.json", collection: "hosts")
    #expect(views.map(\.text.description) == ["{\"port\":null}"])
    #expect(state.conflicts.isEmpty && state.overwrites().isEmpty)
  }
}
