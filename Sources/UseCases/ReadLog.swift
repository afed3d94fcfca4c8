package import LosslessJSON
import Merging
import Replication

/// The conflict history of all nodes, each entry once, newest first.
package struct ReadLog: Sendable {
  package var limit: Int?
  package var document: String?
  package var record: RecordPattern?
  package var path: JSONPointer?
  /// A node's name or id.
  package var node: String?
  package var client: String?
  /// Empty = all kinds.
  package var kinds: [String] = []
  /// Milliseconds since 1970.
  package var since: UInt64?
  package var until: UInt64?
  package var isOpenOnly = false
  package var includesOverwrites = false
  package var isReversed = false

  package init() {}

  package func execute(in session: StoreSession) throws(UseCaseError) -> LogResponse {
    if let document { _ = try session.document(named: document) }
    let replica = session.replica
    var entries = try replicating { () throws(ReplicationError) in try replica.allEntries() }
    if includesOverwrites {
      entries += replica.overwrites()
      entries.sort { ($0.time, $0.id) < ($1.time, $1.id) }
    }
    var found = entries.filter { matches($0, replica) }
    found.reverse()
    if let limit { found = Array(found.prefix(limit)) }
    if isReversed { found.reverse() }
    return LogResponse(entries: found.map { session.shown($0) })
  }

  func matches(_ entry: JournalEntry, _ replica: Replica) -> Bool {
    if let document, !entry.document.utf8.elementsEqual(document.utf8) { return false }
    if !kinds.isEmpty, !kinds.contains(entry.kind.rawValue) { return false }
    if let since, entry.time < since { return false }
    if let until, entry.time > until { return false }
    if let node, !isOf(node, entry, replica) { return false }
    if let client, !isOf(client: client, entry) { return false }
    if record != nil || path != nil, !concerns(entry, replica) { return false }
    return !isOpenOnly || replica.isOpen(entry)
  }

  private func isOf(_ name: String, _ entry: JournalEntry, _ replica: Replica) -> Bool {
    let nodes =
      [entry.node] + [entry.kept?.node].compactMap { $0 }
      + entry.discarded.compactMap(\.node)
    return nodes.contains { node in
      Hex.string(node.raw) == name.lowercased() || replica.nodeName(node) == name
    }
  }

  private func isOf(client name: String, _ entry: JournalEntry) -> Bool {
    ([entry.importNote?.client, entry.kept?.client] + entry.discarded.map(\.client)).contains(name)
  }

  private func concerns(_ entry: JournalEntry, _ replica: Replica) -> Bool {
    let keys = record.map { Set($0.ids.compactMap { RecordKey(id: $0) }) }
    return Replica.places(of: entry).contains { place in
      let isRecord = keys.map { keys in
        place.record.flatMap { RecordKey(id: $0) }.map(keys.contains) ?? false
      }
      guard isRecord ?? true, let path else { return isRecord ?? true }
      if let group = entry.group {
        let rules = replica.state.rules.rules(
          document: entry.document, collection: entry.collection)
        return (rules.groups[group] ?? []).contains { $0.hasPrefix(path) || path.hasPrefix($0) }
      }
      let own = place.path ?? .root
      if own.hasPrefix(path) { return true }
      let values = [entry.kept?.value, place.discarded].compactMap { $0 }
      return path.hasPrefix(own) && values.contains { Self.holds($0, path, below: own) }
    }
  }

  /// Whether a value that stands at one path has something at another one below it.
  private static func holds(
    _ value: JSONText, _ path: JSONPointer, below own: JSONPointer
  ) -> Bool {
    // A value of an entry parses; in what does not, nothing is found.
    let root = (try? JSONTree(parsing: value))?.root
    return root?.node(at: JSONPointer(Array(path.tokens.dropFirst(own.tokens.count)))) != nil
  }
}

/// One entry in full.
package struct ShowEntry: Sendable {
  package var entry: String

  package init(entry: String) { self.entry = entry }

  package func execute(in session: StoreSession) throws(UseCaseError) -> LogResponse {
    LogResponse(entries: [session.shown(try session.entry(named: entry))])
  }
}
