import SystemCalls

/// The changes of a source for `for await`; what is not taken in time is merged, never dropped.
///
/// A thread of its own calls `next`, so nothing else may. It ends when the source stops or the
/// loop is left or cancelled.
package struct ChangeSequence: AsyncSequence, Sendable {
  package typealias Element = Change

  private let source: any ChangeSource

  init(_ source: any ChangeSource) { self.source = source }

  package func makeAsyncIterator() -> Iterator { Iterator(source) }

  package struct Iterator: AsyncIteratorProtocol {
    private let waiting = Guarded<Change?>(nil)
    private var signals: AsyncStream<Void>.Iterator

    init(_ source: any ChangeSource) {
      let (stream, continuation) = AsyncStream.makeStream(
        of: Void.self, bufferingPolicy: .bufferingNewest(1))
      let hasEnded = Guarded(false)
      continuation.onTermination = { _ in
        hasEnded.withLock { $0 = true }
        source.wake()
      }
      let waiting = waiting
      do throws(SystemError) {
        try Thread.start(name: "changes") {
          while !source.isStopped && !hasEnded.withLock({ $0 }) {
            guard let change = source.next(timeoutMilliseconds: nil) else { continue }
            waiting.withLock { merge(change, into: &$0) }
            continuation.yield()
          }
          continuation.finish()
        }.detach()
      } catch {
        // No thread: the one thing a consumer can still be told is that it sees nothing.
        waiting.withLock { merge(.rescanAll(.failure(error)), into: &$0) }
        continuation.yield()
        continuation.finish()
      }
      signals = stream.makeAsyncIterator()
    }

    package mutating func next() async -> Change? {
      while await signals.next() != nil {
        let change = waiting.withLock { waiting in
          defer { waiting = nil }
          return waiting
        }
        if let change { return change }
      }
      return nil
    }
  }
}

extension ChangeSource {
  /// The same changes as from `next`, for one asynchronous consumer instead.
  package var changes: ChangeSequence { ChangeSequence(self) }
}

private func merge(_ change: Change, into waiting: inout Change?) {
  guard var merged = waiting else {
    waiting = change
    return
  }
  merged.merge(change, namesMax: pendingNamesMax)
  waiting = merged
}
