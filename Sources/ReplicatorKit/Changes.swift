public import Records

extension Store {
  /// What a reader of a collection knows.
  public enum State<Record: ForwardCompatibleRecord>: Sendable {
    /// Nothing has been read yet.
    case loading
    /// The newest records.
    case loaded(Snapshot<Record>)
    /// They cannot be read now; with what was read last. It is tried again every two seconds, and at once
    /// after `Collection.retry`.
    case failed(StoreError, last: Snapshot<Record>?)
  }

  /// The states of a collection: first the one of the moment when the loop begins, which is `loading` where
  /// no other loop has read anything yet, then each newer one. A reader that is slow gets the newest, not each.
  public struct Changes<Record: ForwardCompatibleRecord>: AsyncSequence, Sendable {
    let collection: Collection<Record>

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator {
      defer { collection.store.worker.publish() }
      let (first, later) = collection.store.worker.channels.states(of: collection.channel)
      return Iterator(collection: collection, first: first, later: later.makeAsyncIterator())
    }

    /// One reader.
    public struct Iterator: AsyncIteratorProtocol {
      let collection: Collection<Record>
      /// What there was when it was made, until it is handed out.
      var first: ChannelState?
      var later: AsyncStream<ChannelState>.Iterator

      /// The next state; nil once the store is closed or the task cancelled.
      public mutating func next() async -> State<Record>? { await next(isolation: nil) }

      /// The same for a caller with an isolation.
      public mutating func next(isolation actor: isolated (any Actor)?) async -> State<Record>? {
        defer { first = nil }
        if !Task.isCancelled, let first { return State(first, document: collection.document) }
        return await later.next(isolation: actor).map { State($0, document: collection.document) }
      }
    }
  }
}

extension Store.State {
  init(_ state: ChannelState, document: String) {
    do throws(StoreError) {
      switch state {
      case .loading: self = .loading
      case .loaded(let view): self = .loaded(try Store.Snapshot(view, document: document))
      case .failed(let error, let view):
        self = .failed(
          error,
          last: try view.map { view throws(StoreError) in
            try Store.Snapshot(view, document: document)
          })
      }
    } catch {
      self = .failed(error, last: nil)
    }
  }
}

extension Store.State: CustomStringConvertible {
  /// For logs: what is known, and how many records.
  public var description: String {
    switch self {
    case .loading: "loading"
    case .loaded(let snapshot): "loaded \(snapshot.records.count) records"
    case .failed(let error, _): "failed: \(error)"
    }
  }
}
