import LosslessJSON
import Merging
import Records

/// What the journal says of one import: its decisions, and the conflicts that followed from it.
struct JournalLines {
  struct Line {
    var kind: String
    /// Nil: the rewrite as a whole.
    var id: Int?
    /// Nil: the record as a whole.
    var path: JSONPointer?
    /// What was kept and what was discarded; nil stands for a value that was absent.
    var values: [JSONText?] = []
  }

  private(set) var decisions: [Line] = []
  private(set) var conflicts: [Line] = []
  /// The conflicts of earlier imports too, with what the loser of each is by now.
  private(set) var standing: [Line] = []

  init(_ done: SimulatedStore.Import) {
    for decision in done.plan.decisions {
      let kind = decision.kind.rawValue
      if decision.affected.isEmpty || Self.wholeKinds.contains(kind) {
        decisions.append(Line(kind: kind))
      }
      for affected in decision.affected {
        decisions.append(
          Line(
            kind: kind, id: affected.record?.intValue,
            path: affected.path.isRoot ? nil : affected.path,
            values: [affected.kept, affected.discarded]))
      }
    }
    conflicts = done.newConflicts.map(Line.init)
    standing = done.conflicts.map(Line.init)
  }

  /// For tests of what reads these lines.
  init(decisions: [Line], conflicts: [Line] = []) {
    self.decisions = decisions
    self.conflicts = conflicts
  }

  var all: [Line] { decisions + conflicts }

  /// Kinds by which the whole rewrite can be found again.
  private static let wholeKinds: Set<String> = ["stale", "stale-partial", "bulk-delete-held"]

  /// Whether the journal has what became of a record as a whole.
  func tells(of id: Int) -> Bool { all.contains { $0.id == id && $0.path == nil } }

  /// Whether the journal says that a deletion met a write, if only of one member.
  func tellsOfDeletion(of id: Int) -> Bool {
    conflicts.contains { $0.id == id && $0.kind == "delete-edit" }
  }

  /// Whether the journal has a value of a member; nil asks for its absence.
  func tells(of id: Int, _ field: Field, _ value: JSONText?) -> Bool {
    all.contains { line in
      guard line.id == id else { return false }
      return line.path == nil || line.path == field.pointer && line.values.contains(value)
    }
  }

  /// Whether an entry speaks of the whole rewrite, so that anything in it can be found again.
  var tellsOfRewrite: Bool {
    decisions.contains { $0.id == nil && Self.wholeKinds.contains($0.kind) }
  }
}

extension JournalLines.Line {
  init(_ conflict: Conflict) {
    self.init(
      kind: conflict.kind.rawValue, id: conflict.recordID?.intValue,
      values: [conflict.loser.value])
    if case .path(let path) = conflict.place { self.path = path }
  }
}
