import LosslessJSON
import Merging
import Records
import Storage
import SystemCalls

extension Replica {
  /// What was found in the files of this machine.
  package struct Inventory: Sendable {
    package var damage: [(path: String, finding: String)] = []
    package var notes: [String] = []
    package var backups = 0

    package init() {}
  }

  /// Reads every retained generation, backup and journal and compares it with its checksum.
  ///
  /// Backups were files of programs, which may still write into them: one that has changed is a
  /// note, since the version itself stands in the log.
  /// - Parameter onProgress: what is checked, and how many of how many steps are done.
  package func checkLocalFiles(
    _ onProgress: (String, Int, Int) -> Void
  ) throws(ReplicationError) -> Inventory {
    var inventory = Inventory()
    for (id, binding) in try bindings() {
      try checkGenerations(id, binding, &inventory, onProgress)
      inventory.damage += try damagedQuarantine(of: id).map {
        (store.path($0.name).string, $0.finding)
      }
      for backup in try storing({ () throws(StorageError) in try store.backups(of: id) }) {
        inventory.backups += 1
        do throws(StorageError) {
          _ = try store.readBackup(backup, of: id)
        } catch {
          var finding = "has been written to since"
          if case .failed = error { finding = "cannot be read: \(error.pending.reason)" }
          inventory.notes.append(
            "the backup \(backup.name) of '\(binding.document)' \(finding)")
        }
      }
    }
    for node in readers.keys.sorted() {
      guard let journal = try readableJournal(of: node) else { continue }
      if journal.unreadableCount > 0 {
        inventory.notes.append(
          "\(journal.unreadableCount) journal lines of \(nodeName(node) ?? "a node") are torn or of a newer release"
        )
      }
    }
    inventory.notes += strangeNames()
    return inventory
  }

  /// What lies in the directories of nodes and is nothing that this release reads: another release may
  /// have put it there, or a stranger any number of files.
  private func strangeNames() -> [String] {
    let directories = ["log", "journal", "snapshot"]
    var found: [String] = []
    for node in readers.keys.sorted().map({ StoreLayout.node(Hex.string($0.raw)) }) {
      // A directory that cannot be read is damage, and is named as such.
      for name in (try? store.names(in: node)) ?? [] {
        let isDirectory = directories.contains { $0.utf8.elementsEqual(name.utf8) }
        let kind = (try? store.status("\(node)/\(name)"))?.kind
        if isDirectory ? kind == .directory : name.utf8.elementsEqual("node.json".utf8) { continue }
        found.append("'\(store.path(node).appending(name))' is nothing that is read here")
      }
    }
    let more = found.count - Self.strangeNamesMax
    guard more > 0 else { return found }
    return found.prefix(Self.strangeNamesMax) + ["\(more) more names are nothing that is read here"]
  }

  private static let strangeNamesMax = 100

  private func checkGenerations(
    _ id: String, _ binding: Binding, _ inventory: inout Inventory,
    _ onProgress: (String, Int, Int) -> Void
  ) throws(ReplicationError) {
    guard let document = documents.first(where: { $0.name == binding.document }) else { return }
    let generations = try GenerationStore(store: store, bindingID: id, shape: document.shape)
    if generations.isDamaged {
      inventory.damage.append(
        (
          store.path(GenerationStore.indexPath(id)).string,
          "is no index of generations; the document is adopted anew"
        ))
    }
    let entries = generations.index.entries
    for (number, entry) in entries.enumerated() {
      onProgress("generations of '\(binding.document)'", number, entries.count)
      if generations.bytes(entry) != nil { continue }
      inventory.damage.append(
        (
          store.path(StoreLayout.generations(id)).string,
          "generation \(entry.generation) of '\(binding.document)' is gone or damaged"
        ))
    }
  }
}
