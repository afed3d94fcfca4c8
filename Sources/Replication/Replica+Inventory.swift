import LosslessJSON
package import Merging
import Storage
package import SystemCalls

extension Replica {
  /// When a node's last transaction that is here was stamped.
  package func lastStamp(of node: NodeID) -> Stamp? {
    let last = state.context.writers.filter { $0.key.node == node }.max { $0.key < $1.key }
    return last.flatMap { writer, reach in
      state.transaction(
        TransactionID(writer: writer, sequence: reach.sequence, hash: reach.hash))?.stamp
    }
  }

  /// The names of the directories of all nodes that are known here.
  package var nodeDirectories: [String] { readers.keys.sorted().map { Hex.string($0.raw) } }

  /// Bytes per kind of file of the store, in a fixed order.
  package func bytesByKind() -> [(kind: String, bytes: UInt64)] {
    var logs: UInt64 = 0
    var journals: UInt64 = 0
    for node in readers.keys {
      logs += bytes(in: StoreLayout.log(Hex.string(node.raw)))
      logs += bytes(in: StoreLayout.snapshot(Hex.string(node.raw)))
      journals += bytes(in: StoreLayout.journal(Hex.string(node.raw)))
    }
    var kept: [(String, UInt64)] = [("generations", 0), ("backups", 0), ("quarantine", 0)]
    // A directory that cannot be read counts nothing here; `verify` names it.
    for binding in (try? store.names(in: StoreLayout.bindings)) ?? [] {
      kept[0].1 += bytes(in: StoreLayout.generations(binding))
      kept[1].1 += bytes(in: StoreLayout.backups(binding))
      kept[2].1 += bytes(in: StoreLayout.quarantine(binding))
    }
    kept.append(("checkpoint", bytes(in: StoreLayout.checkpoint)))
    return [("log", logs), ("journal", journals)] + kept.map { (kind: $0.0, bytes: $0.1) }
  }

  private func bytes(in directory: String) -> UInt64 {
    // A directory that cannot be read counts nothing here; `verify` names it.
    let names = (try? store.names(in: directory)) ?? []
    return names.reduce(0) { sum, name in
      sum + ((try? store.status(directory + "/" + name))?.flatMap { $0.sizeBytes } ?? 0)
    }
  }

  /// Files beside a document that a sync engine made of two versions of it.
  ///
  /// Syncthing: `name.sync-conflict-…`; Dropbox and others: `name (… conflicted copy …)`;
  /// Nextcloud: `name (conflicted copy …)`; Unison keeps none.
  package func conflictCopies(of document: BoundDocument) -> [FilePath] {
    let name = document.place.name
    let stem = name.utf8.lastIndex(of: UInt8(ascii: ".")).map { String(name[..<$0]) } ?? name
    do throws(SystemError) {
      let directory = try FileDescriptor.open(
        document.place.directory, [.read, .directory], system: surroundings.system)
      return try directory.names().filter { candidate in
        candidate.utf8.starts(with: stem.utf8) && candidate != name
          && Replica.conflictMarks.contains { candidate.lowercased().contains($0) }
      }.map { document.place.directory.appending($0) }
    } catch {
      // A directory that cannot be read is reported by the pass over its document.
      return []
    }
  }

  private static let conflictMarks = [
    ".sync-conflict-", "conflicted copy", "conflict copy", "(case conflict", "_conf(", ".conflict",
  ]
}

extension NodeReader {
  /// What is wrong with files of the log, beside damaged lines.
  package var problemSentences: [(path: String, finding: String)] {
    problems.compactMap { problem -> (path: String, finding: String)? in
      switch problem {
      case .rewritten(let path, let count):
        (path.string, "was replaced by another content after \(count) bytes had been read")
      case .notRegular(let path, let kind): (path.string, "is a \(kind) and no regular file")
      case .lineTooLong(let path, let offset, let limit):
        (path.string, "has a line of more than \(limit) bytes at \(offset)")
      case .tooManySegments(let path, let limit): (path.string, "has more than \(limit) segments")
      case .unreadable(let path, let error):
        (path.string, "cannot be read: \(error.pending.reason)")
      case .unknownFile(let path): (path.string, "is no segment and is ignored")
      case .vanished(let path): (path.string, "is gone although it had been read")
      }
    }.sorted { $0.path < $1.path }
  }
}
