import Records
import Replication
import SystemCalls
import UseCases
import Watching

/// The thread of an opened store: blocking calls happen here and nowhere else.
///
/// Writes that are asked for while it works make one batch. It waits for changes of files and for work
/// in one place, so an idle store costs nothing but a look every 30 s.
final class StoreWorker: Sendable {
  typealias Job = @Sendable (StoreEngine) -> Void

  private struct Inbox {
    var saves: [PendingSave] = []
    var jobs: [Job] = []
    /// Somebody wants the documents to be looked at now.
    var wantsLook = false
    var isClosing = false
    var hasEnded = false
    /// Called once it has ended.
    var closers: [@Sendable () -> Void] = []

    var isEmpty: Bool { saves.isEmpty && jobs.isEmpty && !wantsLook }
  }

  private let inbox = Guarded(Inbox())
  private let source = Guarded<(any ChangeSource)?>(nil)
  let channels = Channels()

  /// From a commit to its export; what is committed meanwhile goes out with it.
  private static let exportMilliseconds: UInt64 = 20
  /// Between two looks at the documents: so many times as long as the last one took, so that writes have
  /// their turn however long an export takes, but no longer than that.
  private static let pauseFactor: UInt64 = 2
  private static let pauseMillisecondsMax: UInt64 = 1000
  /// After a failure.
  private static let retryMilliseconds: UInt64 = 2000

  /// Starts the thread and opens the store on it.
  static func start(
    _ open: @escaping @Sendable (Channels) throws(StoreError) -> sending StoreEngine
  ) async throws(StoreError) -> StoreWorker {
    let worker = StoreWorker()
    let opened: Result<Void, StoreError> = await withCheckedContinuation { continuation in
      do throws(SystemError) {
        try Thread.start(name: "store") {
          do throws(StoreError) {
            let engine = try open(worker.channels)
            worker.source.withLock { $0 = engine.source }
            continuation.resume(returning: .success(()))
            worker.run(engine)
          } catch {
            continuation.resume(returning: .failure(error))
          }
        }.detach()
      } catch {
        continuation.resume(returning: .failure(StoreError(error)))
      }
    }
    try opened.get()
    return worker
  }

  // MARK: - Asking

  /// Runs something on the thread; returns its answer.
  func run<Answer: Sendable>(
    _ body: @escaping @Sendable (StoreEngine) throws(StoreError) -> Answer
  ) async throws(StoreError) -> Answer {
    let result: Result<Answer, StoreError> = await withCheckedContinuation { continuation in
      let isTaken = ask { inbox in
        inbox.jobs.append { engine in
          do throws(StoreError) {
            continuation.resume(returning: .success(try body(engine)))
          } catch {
            continuation.resume(returning: .failure(error))
          }
        }
      }
      if !isTaken { continuation.resume(returning: .failure(.closed)) }
    }
    return try result.get()
  }

  /// Returns when the write is on disk, or was not made.
  ///
  /// - Parameter mustBeCurrent: it is not made where somebody wrote the same since it was read.
  /// - Returns: whether it was made.
  func save(_ request: SaveRecords, mustBeCurrent: Bool) async throws(StoreError) -> Bool {
    let result: Result<Bool, StoreError> = await withCheckedContinuation { continuation in
      let save = PendingSave(request: request, mustBeCurrent: mustBeCurrent) {
        continuation.resume(returning: $0)
      }
      if !ask({ $0.saves.append(save) }) { continuation.resume(returning: .failure(.closed)) }
    }
    return try result.get()
  }

  /// Makes the thread look at the documents now, also after a failure.
  func look() { _ = ask { $0.wantsLook = true } }

  /// Makes the thread tell new readers what there is.
  func publish() { _ = ask { $0.jobs.append { _ in } } }

  /// Ends the thread after a last look; returns when it has ended.
  func close() async {
    await withCheckedContinuation { continuation in
      let isRunning = inbox.withLock { inbox in
        inbox.isClosing = true
        if !inbox.hasEnded { inbox.closers.append { continuation.resume() } }
        return !inbox.hasEnded
      }
      wake()
      if !isRunning { continuation.resume() }
    }
  }

  /// The same without waiting.
  func requestClose() {
    inbox.withLock { $0.isClosing = true }
    wake()
  }

  private func ask(_ add: (inout Inbox) -> Void) -> Bool {
    let isTaken = inbox.withLock { inbox in
      guard !inbox.isClosing else { return false }
      add(&inbox)
      return true
    }
    if isTaken { wake() }
    return isTaken
  }

  private func wake() { source.withLock { $0 }?.wake() }

  // MARK: - The thread

  private func run(_ engine: StoreEngine) {
    /// When to look at the documents, and when that may be at the earliest.
    var due: UInt64? = 0
    /// What readers are told until the documents can be looked at again.
    var failure: StoreError?
    var earliest: UInt64 = 0
    while true {
      let work = inbox.withLock { inbox in
        defer { (inbox.saves, inbox.jobs, inbox.wantsLook) = ([], [], false) }
        return inbox
      }
      if work.wantsLook { (due, earliest) = (0, 0) }
      if !work.saves.isEmpty {
        engine.commit(work.saves)
        due = min(due ?? .max, MonotonicTime.milliseconds + Self.exportMilliseconds)
      }
      for job in work.jobs { job(engine) }
      if work.isClosing, work.isEmpty { return end(engine) }
      let start = MonotonicTime.milliseconds
      if let time = due, start >= max(time, earliest) {
        (due, failure) = follow(engine)
        let now = MonotonicTime.milliseconds
        earliest = now + min((now - start) * Self.pauseFactor, Self.pauseMillisecondsMax)
      }
      if failure == nil { engine.publish() }
      guard inbox.withLock({ $0.isEmpty && !$0.isClosing }) else { continue }
      let now = MonotonicTime.milliseconds
      let wait = due.map { due in Int(max(due, earliest, now) - now) }
      // Whatever it is, it means only "look again".
      if engine.source.next(timeoutMilliseconds: wait) != nil {
        due = min(due ?? .max, MonotonicTime.milliseconds)
        engine.refresh()
      }
    }
  }

  /// - Returns: when to look again, and why it failed.
  private func follow(_ engine: StoreEngine) -> (due: UInt64?, failure: StoreError?) {
    do throws(StoreError) {
      return (try engine.follow().map { MonotonicTime.milliseconds + $0 }, nil)
    } catch {
      for name in channels.names { channels.fail(name, error) }
      return (MonotonicTime.milliseconds + Self.retryMilliseconds, error)
    }
  }

  private func end(_ engine: StoreEngine) {
    // What could not be exported now is exported by whoever comes next.
    _ = follow(engine)
    engine.end()
    channels.end()
    let closers = inbox.withLock { inbox in
      inbox.hasEnded = true
      defer { inbox.closers = [] }
      return inbox.closers
    }
    for closer in closers { closer() }
  }
}
