import LosslessJSON
import Presentation
import Replication
import ReplicatorKit
import SystemCalls
import UseCases

extension CommandRunner {
  func log(_ filter: LogFilter) throws(UseCaseError) -> ExitCode {
    let session = try session()
    let request = request(filter)
    let response = try request.execute(in: session)
    let words = words(session)
    for entry in response.entries { print(entry, filter, words) }
    guard filter.isFollowing else {
      if response.entries.isEmpty, !output.isJSON {
        let hint = filter.includesOverwrites ? "" : "; 'log --all' adds ordinary overwrites"
        output.note("no entry matches" + hint)
      }
      return response.entries.isEmpty ? .answer : .done
    }
    return try follow(request, after: response, filter, session)
  }

  private func request(_ filter: LogFilter) -> ReadLog {
    let now = surroundings.clock.milliseconds
    var request = ReadLog()
    request.limit = filter.limit
    request.document = filter.document
    request.record = filter.record.map { RecordPattern($0) }
    request.path = filter.path
    request.node = filter.node
    request.client = filter.client
    request.kinds = filter.kinds
    request.since = filter.since.map { $0.milliseconds(now: now) }
    request.until = filter.until.map { $0.milliseconds(now: now) }
    request.isOpenOnly = filter.isOpenOnly
    request.includesOverwrites = filter.includesOverwrites
    // What follows comes in the order of time, so the first entries do, too.
    request.isReversed = filter.isReversed || filter.isFollowing
    return request
  }

  private func print(_ entry: LogResponse.Entry, _ filter: LogFilter, _ words: EntryWords) {
    let view = entryView(entry)
    if output.isJSON {
      output.line(view.json)
    } else if filter.isOneLine {
      output.line(words.line(view))
    } else {
      for line in words.lines(view) + [""] { output.line(line) }
    }
  }

  /// Shows entries as they come until a signal ends it.
  private func follow(
    _ request: ReadLog, after first: LogResponse, _ filter: LogFilter, _ session: StoreSession
  ) throws(UseCaseError) -> ExitCode {
    var shown = Set(try unlimited(request).execute(in: session).entries.map(\.entry.id))
    shown.formUnion(first.entries.map(\.entry.id))
    let loop = try EventLoop(
      directories: WatchedPlaces.history(of: session), interval: nil, surroundings)
    // The first wake-up comes when the directories are watched: nothing is missed in between.
    while loop.next(milliseconds: nil) != .stop {
      try refresh(session)
      loop.setDirectories(WatchedPlaces.history(of: session))
      let words = words(session)
      for entry in try unlimited(request).execute(in: session).entries
      where shown.insert(entry.entry.id).inserted {
        print(entry, filter, words)
      }
    }
    return .done
  }

  private func unlimited(_ request: ReadLog) -> ReadLog {
    var all = request
    all.limit = nil
    return all
  }

  func showEntry(_ name: String) throws(UseCaseError) -> ExitCode {
    let session = try session()
    let words = words(session)
    for entry in try ShowEntry(entry: name).execute(in: session).entries {
      let view = entryView(entry)
      if output.isJSON {
        output.line(view.json)
      } else {
        for line in words.lines(view, inFull: true) { output.line(line) }
      }
    }
    return .done
  }

  private func refresh(_ session: StoreSession) throws(UseCaseError) {
    do {
      try session.replica.refresh()
    } catch {
      throw .replication(error)
    }
  }
}
