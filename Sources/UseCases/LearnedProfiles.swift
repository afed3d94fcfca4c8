import LosslessJSON
import Merging
import Records
import Replication

extension StatusResponse {
  /// What rewrites told of a program of which no profile is declared.
  package struct LearnedProfile: Sendable {
    /// Something that it did more than once, or may do again.
    package struct Habit: Sendable {
      /// The kind of the entries that say so.
      package var kind: String
      package var collection: String?
      /// A JSON Pointer inside the record; nil = the rewrite as a whole.
      package var path: String?
      /// In how many rewrites.
      package var times: Int
      /// Milliseconds since 1970.
      package var last: UInt64
    }

    /// The name that imports gave it; nil = nobody named it, so that several programs may be meant.
    package var client: String?
    package var habits: [Habit]
  }
}

/// What one node has learned of undeclared programs: it follows from the decisions in its own log.
struct LearnedProfiles {
  private struct Place: Hashable {
    var kind: EntryKind
    var collection: String?
    var path: JSONPointer?
  }

  private let configuration: Configuration
  private let node: NodeID?

  init(_ configuration: Configuration, node: NodeID?) {
    self.configuration = configuration
    self.node = node
  }

  /// One profile for each undeclared program, the unnamed ones first. Cost: one look at each entry.
  func profiles(of document: String, in entries: [JournalEntry]) -> [StatusResponse.LearnedProfile]
  {
    var found: [String?: [Place: StatusResponse.LearnedProfile.Habit]] = [:]
    for entry in entries where entry.document == document && entry.node == node {
      guard Self.kinds.contains(entry.kind), let note = entry.importNote else { continue }
      if let client = note.client, configuration.client(named: client) != nil { continue }
      let place = Place(
        kind: entry.kind, collection: entry.collection, path: entry.path)
      var habit =
        found[note.client]?[place]
        ?? StatusResponse.LearnedProfile.Habit(
          kind: place.kind.rawValue, collection: place.collection, path: place.path?.description,
          times: 0,
          last: 0)
      habit.times += 1
      habit.last = max(habit.last, entry.time)
      found[note.client, default: [:]][place] = habit
    }
    return found.sorted { ($0.key ?? "") < ($1.key ?? "") }.map { client, habits in
      StatusResponse.LearnedProfile(
        client: client,
        habits: habits.values.sorted {
          ($0.collection ?? "", $0.path ?? "", $0.kind)
            < ($1.collection ?? "", $1.path ?? "", $1.kind)
        })
    }
  }

  /// What a program does because of what it is, not because of what its user wants.
  private static let kinds: Set<EntryKind> = [
    .stripped, .stripAmbiguous, .coerced, .coerceAmbiguous, .lossyEcho, .defaultFill, .resort,
    .stale, .stalePartial,
  ]
}
