import Presentation
import Replication
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
      for pending in response.pending { output.note("not up to date: \(pending)") }
      return .done
    }
    var interval: Duration?
    if case .polling(let duration) = mode { interval = duration }
    let loop = try EventLoop(
      directories: WatchedPlaces.all(of: session, node: node), interval: interval, surroundings)
    // It comes when every directory is watched, or when it is known why not.
    let isStopped = loop.next(milliseconds: nil) == .stop
    let (name, reason) = WatchWords.words(loop.mode)
    if let reason { output.note("watching by polling: \(reason)") }
    show(
      .started(store: session.root.string, node: nodeName, mode: name, reason: reason), session)
    if !isStopped { try follow(loop, session, node) }
    loop.end()
    show(.stopped, session)
    return .done
  }

  private func follow(
    _ loop: EventLoop, _ session: StoreSession, _ node: LocalNodes.Node
  ) throws(UseCaseError) {
    let follower = FollowDocuments(session, .later)
    var wait: UInt64?
    var mode = loop.mode
    while true {
      let round = try follower.round(for: [node])
      for event in round.events { show(event, session) }
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
        let (name, reason) = WatchWords.words(mode)
        output.note("watching by \(name)" + (reason.map { ": \($0)" } ?? " again"))
      }
    }
  }

  private func show(_ event: WatchEvent, _ session: StoreSession) {
    var entry: EntryView?
    if case .entry(let found) = event { entry = entryView(found) }
    _ = show(WatchPresenter.answer(event, entry: entry, words: words(session)))
  }
}

/// Which directories tell that there may be work.
enum WatchedPlaces {
  /// Logs of all nodes, and the documents of this node.
  static func all(
    of session: StoreSession, node: LocalNodes.Node
  ) throws(UseCaseError) -> [WatchedDirectory] {
    var places = logs(of: session)
    do throws(ReplicationError) {
      var names: [FilePath: Set<FilePath>] = [:]
      for document in try session.replica.boundDocuments(of: node.id) {
        names[document.place.directory, default: []].insert(FilePath(document.place.name))
      }
      for (directory, files) in names.sorted(by: { $0.key.string < $1.key.string }) {
        places.append(
          WatchedDirectory(
            id: DirectoryID(places.count), path: directory, interest: .exactly(files)))
      }
    } catch {
      throw .replication(error)
    }
    return places
  }

  /// Logs and journals of all nodes.
  static func history(of session: StoreSession) -> [WatchedDirectory] { logs(of: session) }

  private static func logs(of session: StoreSession) -> [WatchedDirectory] {
    let store = session.replica.store
    var paths = [(store.path(StoreLayout.nodes), false)]
    for id in session.replica.nodeDirectories {
      paths.append((store.path(StoreLayout.log(id)), true))
      paths.append((store.path(StoreLayout.journal(id)), true))
    }
    return paths.enumerated().map { index, entry in
      WatchedDirectory(id: DirectoryID(index), path: entry.0, reportsAppends: entry.1)
    }
  }
}

/// How a watcher works, in words.
enum WatchWords {
  static func words(_ mode: Watching.WatchMode) -> (mode: String, reason: String?) {
    switch mode {
    case .inotify: ("inotify", nil)
    case .inotifyAndPolling(_, let reason): ("inotify and polling", sentence(reason))
    case .polling(_, let reason): ("polling", sentence(reason))
    }
  }

  private static func sentence(_ reason: PollingReason) -> String {
    reason.sysctl.map { "a limit is reached; raise \($0) with sysctl" } ?? "\(reason)"
  }
}
