import Presentation
import Replication
import ReplicatorKit
import Storage
import SystemCalls
import UseCases
import Watching

extension CommandRunner {
  /// The main job: follow the store and the documents until stopped.
  func watch(_ mode: WatchMode) throws(UseCaseError) -> ExitCode {
    let session = try session()
    let node = try session.node()
    if case .once = mode {
      let response = try Synchronize().run(session, nodes: [node], .last) { event in
        show(event, session)
      }
      sayPutBack(response.putBack.map { entryView($0) }, session)
      return complain(of: response.pending)
    }
    var interval: Duration?
    if case .polling(let duration) = mode { interval = duration }
    let loop = try EventLoop(
      directories: WatchedPlaces.all(of: session, node: node), interval: interval, surroundings)
    // It comes when every directory is watched, or when it is known why not.
    let isStopped = loop.next(milliseconds: nil) == .stop
    let presence = presence(of: node, session)
    say(loop.mode, presence)
    let watch = WatchWords.words(loop.mode)
    show(
      .started(
        store: session.root.string, node: nodeName, mode: watch.mode, reason: watch.reason,
        places: try session.places(of: node)), session)
    // The presence ends with its lock, so it has to live as long as the watch.
    try withExtendedLifetime(presence) { () throws(UseCaseError) in
      if !isStopped { try follow(loop, session, node, presence) }
    }
    loop.end()
    show(.stopped, session)
    return .done
  }

  /// Makes the watch known to `status`; nil where that cannot be done, which stops nothing else.
  private func presence(of node: LocalNodes.Node, _ session: StoreSession) -> WatchPresence? {
    do throws(ReplicationError) {
      let others = try session.replica.runningWatches(of: node.id).count
      if others > 0 {
        output.note(
          "another 'watch' follows this store as \(nodeName) already; both do the same work safely,"
            + " and one is enough")
      }
      return try WatchPresence(of: node.id, in: session.replica.store)
    } catch {
      output.note("'status' will not know of this watch: \(error.complaint.line)")
      return nil
    }
  }

  /// Says how changes are noticed, where that is not the usual way, and lets `status` know.
  private func say(_ mode: Watching.WatchMode, _ presence: WatchPresence?) {
    let watch = WatchWords.words(mode)
    if let reason = watch.reason { output.note("watching by \(watch.mode): \(reason)") }
    do throws(ReplicationError) { try presence?.say(watch) } catch {
      output.note("'status' cannot say how this watch looks: \(error.complaint.line)")
    }
  }

  private func follow(
    _ loop: EventLoop, _ session: StoreSession, _ node: LocalNodes.Node,
    _ presence: WatchPresence?
  ) throws(UseCaseError) {
    let follower = FollowDocuments(session, .later)
    var wait: UInt64?
    var mode = loop.mode
    while true {
      let round = try follower.round(for: [node])
      for event in round.events { show(event, session) }
      sayPutBack(round.putBack.map { entryView(session.shown($0)) }, session)
      if !round.isQuiet { continue }
      wait = [round.retryMilliseconds, round.lookAgainMilliseconds].compactMap { $0 }.min()
      loop.setDirectories(try WatchedPlaces.all(of: session, node: node))
      switch loop.next(milliseconds: wait) {
      case .stop: return
      case .rescan(let reason): show(.rescan(reason: reason), session)
      case .change, .timeout: break
      }
      if loop.mode != mode {
        mode = loop.mode
        if case .inotify = mode { output.note("watching by inotify again") }
        say(mode, presence)
      }
    }
  }

  private func show(_ event: WatchEvent, _ session: StoreSession) {
    var entry: EntryView?
    if case .entry(let found) = event { entry = entryView(found) }
    _ = show(WatchPresenter.answer(event, entry: entry, words: words(session)))
  }
}
