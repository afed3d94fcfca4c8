import Presentation
import Replication
import ReplicatorKit
import UseCases
import Watching

extension CommandRunner {
  /// Says what the machine can do for this store, and how it would be watched.
  func examine() throws(UseCaseError) -> ExitCode {
    let session = try session()
    var response = try ExamineStore().execute(in: session)
    if let node = try session.knownNode() {
      let places = try WatchedPlaces.all(of: session, node: node)
      let source: any ChangeSource
      do throws(WatchingError) {
        source = try WatchPlan.automatic.start(places, system: surroundings.system)
      } catch {
        response.watching = ("none", "\(error)")
        return show(DoctorPresenter.answer(response))
      }
      // The first change comes when every directory is watched, or when it is known why not.
      _ = source.next(timeoutMilliseconds: nil)
      let watch = RunningWatch(source.mode)
      source.stop()
      response.watching = (watch.mode, watch.reason)
    }
    return show(DoctorPresenter.answer(response))
  }
}
