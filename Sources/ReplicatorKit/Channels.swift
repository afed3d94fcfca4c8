import SystemCalls

/// What readers of a collection are told.
enum ChannelState: Sendable {
  case loading
  case loaded(CollectionView)
  /// With what was read last.
  case failed(StoreError, CollectionView?)

  var view: CollectionView? {
    switch self {
    case .loading: nil
    case .loaded(let view): view
    case .failed(_, let view): view
    }
  }
}

/// The readers of each collection, and what they were told last. One of them may be slow: for each
/// only the newest state waits.
final class Channels: Sendable {
  private struct Channel {
    var state = ChannelState.loading
    var readers: [UInt64: AsyncStream<ChannelState>.Continuation] = [:]
  }

  private struct Content {
    var channels: [CollectionName: Channel] = [:]
    var nextReader: UInt64 = 0
    var hasEnded = false
  }

  private let content = Guarded(Content())

  /// Collections that somebody reads.
  var names: [CollectionName] { content.withLock { Array($0.channels.keys) } }

  var readerCount: Int {
    content.withLock { $0.channels.values.reduce(0) { $0 + $1.readers.count } }
  }

  /// The states of a collection: the one of now, nil where they have ended, and each newer one. The reader
  /// is forgotten when its loop ends, is cancelled, or lets go of the stream.
  func states(
    of name: CollectionName
  ) -> (first: ChannelState?, later: AsyncStream<ChannelState>) {
    let (stream, continuation) = AsyncStream.makeStream(
      of: ChannelState.self, bufferingPolicy: .bufferingNewest(1))
    let reader: (number: UInt64, state: ChannelState)? = content.withLock { content in
      guard !content.hasEnded else { return nil }
      content.nextReader += 1
      content.channels[name, default: Channel()].readers[content.nextReader] = continuation
      return (content.nextReader, content.channels[name, default: Channel()].state)
    }
    guard let reader else {
      continuation.finish()
      return (nil, stream)
    }
    continuation.onTermination = { [weak self] _ in self?.forget(reader.number, of: name) }
    return (reader.state, stream)
  }

  private func forget(_ reader: UInt64, of name: CollectionName) {
    content.withLock { content in
      content.channels[name]?.readers[reader] = nil
      // What nobody reads is not kept up, so nobody may be told of it later.
      if content.channels[name]?.readers.isEmpty ?? false { content.channels[name] = nil }
    }
  }

  /// Says something new; what was said last is not said again.
  func tell(_ name: CollectionName, _ state: ChannelState) {
    content.withLock { content in
      guard var channel = content.channels[name] else { return }
      if case .loaded(let old) = channel.state, case .loaded(let new) = state,
        old.base === new.base
      {
        return
      }
      channel.state = state
      for reader in channel.readers.values { reader.yield(state) }
      content.channels[name] = channel
    }
  }

  func fail(_ name: CollectionName, _ error: StoreError) {
    let last = content.withLock { $0.channels[name]?.state.view }
    tell(name, .failed(error, last))
  }

  /// Ends every loop, and every later one at once.
  func end() {
    let readers = content.withLock { content in
      content.hasEnded = true
      defer { content.channels = [:] }
      return content.channels.values.flatMap(\.readers.values)
    }
    for reader in readers { reader.finish() }
  }
}
