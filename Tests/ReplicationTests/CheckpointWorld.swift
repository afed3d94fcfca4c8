import LosslessJSON
import Merging
import Records
import Storage
import SystemCalls

@testable import Replication

/// Everything that an opened store shows, reports and goes on from, in lines that can be compared.
struct ReplicaSummary: Equatable {
  private(set) var lines: [String] = []

  init(_ replica: Replica) throws {
    lines += Self.documents(replica)
    lines += Self.conflicts(replica)
    lines += replica.overwrites().map { "\($0)" }.sorted()
    lines += try replica.allEntries().map { "\($0) \(replica.isOpen($0))" }
    lines += Self.state(replica)
    lines += Self.memory(replica)
    for reader in replica.readers.values.sorted(by: { $0.id < $1.id }) {
      lines += Self.reader(reader)
    }
  }

  /// What the other says differently.
  func difference(from other: ReplicaSummary) -> String? {
    if self == other { return nil }
    return "missing \(lines.filter { !other.lines.contains($0) }), "
      + "instead \(other.lines.filter { !lines.contains($0) })"
  }

  private static func documents(_ replica: Replica) -> [String] {
    replica.documents.map { document in
      let text = replica.render(document).map { String(decoding: $0, as: UTF8.self) }
      return "\(document.name): \(text ?? "-")"
    }
  }

  private static func conflicts(_ replica: Replica) -> [String] {
    replica.state.conflicts.map { conflict in
      "\(conflict) \(replica.state.isOpen(conflict)) "
        + "\(String(describing: replica.state.kept(for: conflict)))"
    }.sorted()
  }

  private static func state(_ replica: Replica) -> [String] {
    let state = replica.state
    var lines = ["\(text(state.context)) \(state.forks) \(state.transactionCount)"]
    lines.append("retired \(state.retiredNodes) tails \(state.tails.keys.sorted())")
    lines += state.waiting.map { "\($0.id) \($0.missing.sorted { $0.key < $1.key })" }
    lines += state.conservationViolations().map(\.description)
    lines.append("rules \(state.rules == replica.configuration.mergeRules)")
    lines.append("settled \(replica.settledEntries.keys.sorted())")
    lines += replica.decisions.map { "\($0.entry) \($0.transaction)" }.sorted()
    lines += replica.importKeys.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    lines.append("clock \(replica.clock.latest)")
    lines.append("gaps \(replica.gaps.map(\.hash).sorted()) \(replica.closedGaps.sorted())")
    lines += replica.pendingNotices.map { "\($0)" }.sorted()
    lines +=
      replica.obstacles.map { "\($0.key) \($0.value)" }.sorted()
      + replica.refused.map { "\($0.path) \($0.finding)" }
    lines.append("\(String(describing: replica.configurationProblem))")
    return lines
  }

  private static func text(_ context: Context) -> String {
    "\(context.writers.sorted { $0.key < $1.key }) \(context.singles.sorted { $0.hash < $1.hash })"
  }

  private static func memory(_ replica: Replica) -> [String] {
    // A copy: looking at it must not be seen by what follows.
    var memory = replica.clientMemory
    return replica.documents.flatMap { document in
      ["old", "new", "hosts-1"].map { client in
        let members = memory.members(client: client, document: document.name, in: replica.state)
        return "\(client) \(document.name) \(members.map { "\($0)" }.sorted())"
      }
    }
  }

  private static func reader(_ reader: NodeReader) -> [String] {
    // How much of the text before a position is remembered is no difference.
    let positions = reader.reader.positions.map { "\($0.segment) \($0.offset)" }
    var lines = [
      "\(reader.id) \(reader.description.map { String(decoding: $0.json, as: UTF8.self) } ?? "-") \(reader.damage) "
        + "\(reader.tornCount) \(reader.transactionCount) \(positions)"
    ]
    lines += reader.headers.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    for epoch in reader.decoders.keys.sorted() {
      let tail = reader.tail(epoch: epoch)
      lines.append("\(epoch) \(tail.sequence) \(tail.hash) \(text(tail.knowledge))")
    }
    lines += reader.problems.map { "\($0)" }.sorted()
    return lines
  }
}

extension TestStore {
  /// A process that reads the checkpoint, whether it could use it, and what one without says differently.
  func opened() throws -> (replica: Replica, isResumed: Bool, difference: String?) {
    let resumed = try replica()
    let isResumed = resumed.checkpoint.base != nil
    let fresh = try Replica(root: root, surroundings: surroundings, readsLogs: true)
    return (
      resumed, isResumed, try ReplicaSummary(fresh).difference(from: try ReplicaSummary(resumed))
    )
  }
}

extension Replica {
  /// Writes a checkpoint of what has been read, however little that is.
  func keep() {
    saveCheckpoint(covering: readers.values.reduce(0) { $0 + $1.reader.readBytes })
  }
}
