import Replication
import Storage
import UseCases

/// Errors that a command may answer with although nothing is wrong.
enum Expected {
  static func isExpected(_ error: UseCaseError, _ plan: Plan) -> Bool {
    switch error {
    case .unknownRecord, .unknownPath, .unknownEntry, .unknownNode, .ambiguousEntry, .notPossible,
      .elsewhere, .refused, .unknownGeneration:
      true
    case .replication(let error): isExpected(error, plan)
    default: false
    }
  }

  private static func isExpected(_ error: ReplicationError, _ plan: Plan) -> Bool {
    switch error {
    case .logsMissing: true
    case .busy, .storage(.busy): plan.has(.intrusion)
    case .newerRelease: plan.has(.newerNodes)
    case .retired: plan.has(.retirement)
    case .undescribed: plan.has(.truncation) || plan.has(.disorder) || plan.has(.power)
    default: false
    }
  }
}
