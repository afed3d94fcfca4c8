import Replication
import UseCases

/// Which rare things were reached, and in how many runs.
struct Marks: Equatable, Sendable {
  private(set) var counts: [String: Int] = [:]

  mutating func hit(_ name: String) { counts[name, default: 0] += 1 }

  mutating func add(_ other: Marks) {
    for name in other.counts.keys { counts[name, default: 0] += 1 }
  }

  mutating func note(_ round: FollowDocuments.Round) {
    if !round.pending.isEmpty { hit("export pending") }
    if round.retryMilliseconds != nil { hit("look again") }
    if round.lookAgainMilliseconds != nil { hit("a displaced version is still written") }
    if !round.setAside.isEmpty { hit("set aside") }
    if !round.putBack.isEmpty { hit("put back") }
  }

  mutating func note(_ response: SyncResponse) {
    if !response.held.isEmpty { hit("held") }
    if !response.pending.isEmpty { hit("sync pending") }
  }

  /// The kinds of all entries of a machine.
  mutating func note(_ machine: Machine) {
    // What cannot be read has been told already.
    for entry in (try? machine.entries()) ?? [] { hit("entry \(entry.kind.rawValue)") }
  }

  /// Kinds of entries that no run has had.
  var missingKinds: [String] {
    EntryKind.allCases.map(\.rawValue).filter { counts["entry \($0)"] == nil }
  }
}
