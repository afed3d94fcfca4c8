import SystemCalls

/// Who is told what one watcher's thread has seen.
///
/// The thread knows each directory by a number that is given once: what it still says of a directory
/// that nobody watches any more reaches nobody. Each member has numbers of its own.
final class WatchRoutes: Sendable {
  private struct Member {
    let queue: ChangeQueue
    var directories: [WatchedDirectory] = []
    /// Of the directories, as the thread knows them.
    var numbers: [DirectoryID] = []
    /// Whether it was told that watching has begun.
    var hasStarted = false
  }

  private struct Content {
    var members: [Int: Member] = [:]
    var routes: [DirectoryID: (member: Int, id: DirectoryID)] = [:]
    var nextMember = 0
    var nextNumber = 0
    /// The newest number of those that the thread watches; a member with a newer one waits for it.
    var newestWatched = 0
  }

  private let content = Guarded(Content())

  var isEmpty: Bool { content.withLock { $0.members.isEmpty } }

  /// What all members together watch, by the numbers of the thread.
  var directories: [WatchedDirectory] {
    content.withLock { content in
      content.members.sorted { $0.key < $1.key }.flatMap { _, member in
        zip(member.numbers, member.directories).map { number, directory in
          WatchedDirectory(
            id: number, path: directory.path, interest: directory.interest,
            reportsAppends: directory.reportsAppends)
        }
      }
    }
  }

  // MARK: - Members

  func add(_ queue: ChangeQueue, _ directories: [WatchedDirectory]) -> Int {
    let member = content.withLock { content in
      content.nextMember += 1
      content.members[content.nextMember] = Member(queue: queue)
      return content.nextMember
    }
    set(directories, of: member)
    return member
  }

  func remove(_ member: Int) {
    content.withLock { content in
      for number in content.members.removeValue(forKey: member)?.numbers ?? [] {
        content.routes[number] = nil
      }
    }
  }

  func directories(of member: Int) -> [WatchedDirectory] {
    content.withLock { $0.members[member]?.directories ?? [] }
  }

  /// - Returns: whether they are others than before.
  @discardableResult
  func set(_ directories: [WatchedDirectory], of member: Int) -> Bool {
    content.withLock { content in
      guard var changed = content.members[member], changed.directories != directories else {
        return false
      }
      for number in changed.numbers { content.routes[number] = nil }
      changed.directories = directories
      changed.numbers = directories.map { directory in
        content.nextNumber += 1
        let number = DirectoryID(content.nextNumber)
        content.routes[number] = (member, directory.id)
        return number
      }
      content.members[member] = changed
      return true
    }
  }

  /// Those of a member, by its own numbers.
  func own(_ numbers: Set<DirectoryID>, of member: Int) -> Set<DirectoryID> {
    content.withLock { content in
      Set(
        numbers.compactMap { number in
          content.routes[number].flatMap { $0.member == member ? $0.id : nil }
        })
    }
  }

  // MARK: - What the thread says

  /// From now on these are watched.
  func begin(_ directories: [WatchedDirectory]) {
    let newest = directories.map(\.id.rawValue).max() ?? 0
    content.withLock { $0.newestWatched = max($0.newestWatched, newest) }
  }

  func push(_ names: Set<WatchedName>) {
    guard !names.isEmpty else { return }
    let told = content.withLock { content in
      var told: [Int: Set<WatchedName>] = [:]
      for name in names {
        guard let route = content.routes[name.directory] else { continue }
        told[route.member, default: []].insert(
          WatchedName(directory: route.id, name: name.name))
      }
      return told.compactMap { member, names in
        content.members[member].map { (queue: $0.queue, names: names) }
      }
    }
    for (queue, names) in told { queue.push(names) }
  }

  /// A rescan is one for all: what any of them watches may have been out of sight. Whoever is not watched
  /// for yet is told when that begins.
  func push(_ reason: RescanReason) {
    let told = content.withLock { content in
      content.members.compactMap { number, member -> (queue: ChangeQueue, reason: RescanReason)? in
        if member.hasStarted { return (member.queue, own(reason, of: number, content.routes)) }
        let newest = member.numbers.last?.rawValue ?? 0
        guard newest <= content.newestWatched else { return nil }
        content.members[number]?.hasStarted = true
        return (member.queue, .started)
      }
    }
    for (queue, reason) in told { queue.push(reason) }
  }

  /// The reason in a member's words.
  private func own(
    _ reason: RescanReason, of member: Int,
    _ routes: [DirectoryID: (member: Int, id: DirectoryID)]
  ) -> RescanReason {
    func own(_ number: DirectoryID, _ words: (DirectoryID) -> RescanReason) -> RescanReason {
      guard let route = routes[number], route.member == member else { return .directoriesReplaced }
      return words(route.id)
    }
    return switch reason {
    case .watchLost(let number): own(number) { .watchLost($0) }
    case .directoryChanged(let number): own(number) { .directoryChanged($0) }
    case .directoryMissing(let number): own(number) { .directoryMissing($0) }
    case .started, .directoriesReplaced, .overflow, .tooManyNames, .inotifyRestored, .failure,
      .periodic:
      reason
    }
  }
}
