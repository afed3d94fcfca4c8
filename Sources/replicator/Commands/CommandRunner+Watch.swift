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
    let watch = RunningWatch(loop.mode)
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
    let watch = RunningWatch(mode)
    if let reason = watch.reason { output.note("watching by \(watch.mode): \(reason)") }
    do throws(ReplicationError) { try presence?.say(watch) } catch {
      output.note("'status' cannot say how this watch looks: \(error.complaint.line)")
    }
  }

  private func follow(
    _ loop: EventLoop, _ session: StoreSession, _ node: LocalNodes.Node,
    _ presence: WatchPresence?
  ) throws(UseCaseError) {
    var watch = FollowedStore(session: session, node: node, presence: presence)
    var mode = loop.mode
    while true {
      guard let round = try round(of: &watch, loop) else {
        if loop.next(milliseconds: watch.waitMilliseconds) == .stop { return }
        continue
      }
      for event in round.events { show(event, watch.session) }
      sayPutBack(
        round.putBack.map { entryView(watch.session.shown($0)) }, watch.session)
      if !round.isQuiet { continue }
      let wait = [round.retryMilliseconds, round.lookAgainMilliseconds].compactMap { $0 }.min()
      switch loop.next(milliseconds: wait) {
      case .stop: return
      case .rescan(let reason): show(.rescan(reason: reason), watch.session)
      case .change, .timeout: break
      }
      if loop.mode != mode {
        mode = loop.mode
        if case .inotify = mode { output.note("watching by inotify again") }
        say(mode, watch.presence)
      }
    }
  }

  /// One round; nil where it failed for a reason that may pass, such as a full disk, or where the store
  /// is not where it was. Both are told once, and tried again.
  private func round(
    of watch: inout FollowedStore, _ loop: EventLoop
  ) throws(UseCaseError) -> FollowDocuments.Round? {
    do throws(UseCaseError) {
      if !watch.session.replica.store.isInPlace() { try reopen(&watch) }
      let round = try watch.follower.round(for: [watch.node])
      if round.isQuiet {
        loop.setDirectories(try WatchedPlaces.all(of: watch.session, node: watch.node))
      }
      if watch.told != nil { output.note("the store can be used again") }
      watch.didSucceed()
      return round
    } catch {
      guard error.mayPass else { throw error }
      let line = error.complaint.message
      if watch.told != line { show(.problem(line), watch.session) }
      watch.didFail(line)
      // The server has forgotten what was opened; nothing else helps.
      if error.isStale { try? reopen(&watch) }
      return nil
    }
  }

  /// Goes on in the directory that has the store's name now: a network file system was mounted again,
  /// or somebody put a copy in its place.
  private func reopen(_ watch: inout FollowedStore) throws(UseCaseError) {
    let session = try session(at: watch.session.root)
    let node = try session.node()
    watch.move(to: session, node: node, presence: presence(of: node, session))
  }

  private func show(_ event: WatchEvent, _ session: StoreSession) {
    var entry: EntryView?
    if case .entry(let found) = event { entry = entryView(found) }
    _ = show(WatchPresenter.answer(event, entry: entry, words: words(session)))
  }
}
