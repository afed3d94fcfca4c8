import LosslessJSON
import Merging
import TestSupport
import Testing

@testable import Replication

/// Generated histories of whole-file rewrites: stripping, coercing, rounding, filling, sorting and
/// stale programs, an indexer, three nodes that commit, logs that arrive in any order and are set back.
@Suite struct RewriteHistoryTests {
  static var property: HistoryProperty<RewriteStep> {
    HistoryProperty(
      "RewriteHistoryTests", length: 8...24, triesMax: 400, step: RewriteStep.random
    ) { history in
      do {
        let world = try RewriteWorld()
        for step in history { try world.run(step) }
        return try world.complaint()
      } catch { return "\(error)" }
    }
  }

  @Test func `rewrites and commits of three machines lose nothing and come to rest equal`() {
    if let failure = Self.property.failure(runs: 10) { Issue.record("\(failure)") }
  }
}

extension RewriteWorld {
  /// How many rounds of passes and of carrying everything everywhere are enough to come to rest.
  static let roundsMax = 8

  /// What is wrong once everything has come everywhere; nil where all is well.
  func complaint() throws -> String? {
    guard try comesToRest() else { return "no rest after \(Self.roundsMax) rounds" }
    let texts = try machines.map { try $0.store.text() }
    if Set(texts).count > 1 { return "the documents differ:\n\(texts.joined(separator: "\n"))" }
    let journals = machines.map { machine in
      Set(machine.process.replica.state.conflicts.map(\.id))
        .union(machine.process.replica.decisions.map(\.entry.id))
    }
    if Set(journals).count > 1 { return "the journals differ" }
    for machine in machines where !machine.process.replica.state.waiting.isEmpty {
      return "transactions wait"
    }
    if texts[0].contains(#""id":"r1""#), !texts[0].contains(Self.big) {
      return "a number was rounded: \(texts[0])"
    }
    if hasLostLines { return nil }
    let lost = machines[0].process.replica.state.conservationViolations()
    if let lost = lost.first { return "the log lost \(lost)" }
    return try lostValue(texts[0])
  }

  private func comesToRest() throws -> Bool {
    for _ in 0..<Self.roundsMax {
      for machine in machines { try pass(machine) }
      try carryAll()
      let reports = try machines.map { try $0.process.pass() }
      if try reports.allSatisfy(\.isQuiet) && isCarried() { return true }
    }
    return false
  }

  private func isCarried() throws -> Bool {
    for machine in machines { try machine.process.replica.refresh() }
    return Set(machines.map { $0.process.replica.state.transactionCount }).count == 1
  }

  /// A value that was met and is neither shown, nor replaced by one who read it, nor journaled.
  private func lostValue(_ text: String) throws -> String? {
    let entries = try machines.flatMap { try $0.process.replica.allEntries() }
    func values(_ entries: [JournalEntry]) -> String {
      entries.flatMap { [$0.kept].compactMap { $0 } + $0.discarded }
        .compactMap { $0.value?.description }.joined(separator: "\n")
    }
    let all = values(entries)
    // What an old program does not know it must not change, entry or not. No program here takes a
    // note away but with its record, so an entry of a note that lost says to what value.
    let decided = values(
      entries.filter {
        switch $0.kind {
        case .stripped, .stripAmbiguous, .coerced, .coerceAmbiguous: false
        case .deleteEdit, .createCreate: true
        default: $0.kept?.value != nil
        }
      })
    for (value, member) in met.sorted(by: { $0.key < $1.key })
    where !text.contains(value) && !replaced.contains(value) {
      let journal = member == "note" ? decided : all
      if !journal.contains(value) { return "\(member) \(value) is lost; the document is \(text)" }
    }
    return nil
  }
}
