import LosslessJSON
import Merging
import Records
package import Replication
import SystemCalls

extension StoreSession {
  /// The entry that a person names by its id or by a beginning of it that only one has.
  func entry(named name: String) throws(UseCaseError) -> JournalEntry {
    let wanted = Array(name.lowercased().utf8)
    let entries = try replicating { () throws(ReplicationError) in
      try replica.allEntries() + replica.overwrites()
    }
    let found = entries.filter { Hex.digits($0.id).starts(with: wanted) }
    guard let first = found.first, !wanted.isEmpty else { throw .unknownEntry(name) }
    guard found.allSatisfy({ $0.id == first.id }) else { throw .ambiguousEntry(name) }
    return first
  }

  /// An entry with what a person has to know beside it.
  package func shown(_ entry: JournalEntry) -> LogResponse.Entry {
    var names: [String: String] = [:]
    for id in [entry.kept?.node, entry.node].compactMap({ $0 }) + entry.discarded.compactMap(\.node)
    {
      names[Hex.string(id.raw)] = replica.nodeName(id)
    }
    let secrets = replica.configuration.document(named: entry.document)?.secrets ?? []
    return LogResponse.Entry(
      entry: entry, isOpen: replica.isOpen(entry), nodeName: replica.nodeName(entry.node),
      nodeNames: names, setAside: replica.setAsidePath(of: entry)?.string,
      secrets: secrets.map(\.pointer.description))
  }
}
