import Presentation
import SystemCalls
import UseCases

extension CommandRunner {
  /// Lists the writers of the store, or retires one.
  func nodes(retiring name: String?) throws(UseCaseError) -> ExitCode {
    let session = try session()
    guard let name else {
      return show(
        StatusPresenter.answer(
          try ListNodes().execute(in: session), rfc3339: { Timestamp.rfc3339($0) },
          localTime: { Timestamp.local($0) }))
    }
    let done = try RetireNode(name: name).execute(in: session)
    return show(
      StatusPresenter.answer(
        retired: done.node, wasRetired: done.wasRetired, rfc3339: { Timestamp.rfc3339($0) }))
  }
}
