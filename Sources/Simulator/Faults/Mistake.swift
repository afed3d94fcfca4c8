import Simulation

/// A known way of getting merging and replication wrong. Our program is made to do it where its surroundings
/// or its callers decide, and the checks must notice.
enum Mistake: String, CaseIterable, Sendable {
  /// A member that an old program does not know counts as removed by it: its profile says that it knows it.
  case stripIsDeletion
  /// What a program rounds counts as meant: its profile does not say so.
  case roundingIsEdit
  /// The fallback for an unknown value counts as meant: the profile knows no enumeration.
  case fallbackIsEdit
  /// A write names one transaction as what its author had seen, and not all of them.
  case singlePredecessor
  /// A write names what is there when it is committed, and not what its author had read.
  case contextAtCommit
  /// Who loses events looks at nothing again.
  case missingRescan
  /// Locks are had by everybody.
  case noLocks
  /// All machines have the same chance, and with it the same node ids.
  case sameChance
  /// A machine that started anew does not know it.
  case oneBoot
}

/// A way of getting it wrong, of whatever kind.
enum Variant: Equatable, Sendable {
  case storage(Flaw)
  case merging(Mistake)

  static let all = Flaw.allCases.map(Variant.storage) + Mistake.allCases.map(Variant.merging)

  init?(_ name: String) {
    guard let found = Self.all.first(where: { $0.name == name }) else { return nil }
    self = found
  }

  var name: String {
    switch self {
    case .storage(let flaw): flaw.rawValue
    case .merging(let mistake): mistake.rawValue
    }
  }

  var flaw: Flaw? {
    if case .storage(let flaw) = self { flaw } else { nil }
  }

  var mistake: Mistake? {
    if case .merging(let mistake) = self { mistake } else { nil }
  }
}
