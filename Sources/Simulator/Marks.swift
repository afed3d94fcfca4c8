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

  /// What no run has reached of all that is known to be rare.
  var missing: [String] { Self.rare.filter { counts[$0] == nil } }

  private static let rare: [String] =
    EntryKind.allCases.map { "entry \($0.rawValue)" }
    + [
      "watch", "sync", "set", "delete", "restore", "accept", "dismiss", "compact", "retire",
      "library",
    ]
    .flatMap { ["died in \($0)", "fault in \($0)", "refused \($0)"] }
    + [
      "export pending", "look again", "a displaced version is still written", "set aside",
      "put back", "held", "sync pending", "set back", "newer node that stops us",
      "newer node that does not stop us", "an event is lost",
    ]
}
