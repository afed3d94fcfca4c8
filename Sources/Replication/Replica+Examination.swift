import LosslessJSON
import Storage
package import SystemCalls

extension Replica {
  /// What one directory of the store or of its documents can do.
  package struct ExaminedDirectory: Sendable {
    package var path: FilePath
    /// The magic number of statfs(2); nil = nothing could be tried.
    package var type: UInt32?
    /// By the names of `FileSystemProbe.Ability`; why it does not work, nil = it does.
    package var abilities: [(name: String, failure: String?)] = []
    /// Until a line of 4 KiB is durable, the median of several.
    package var syncNanoseconds: UInt64?
    /// Why nothing could be tried.
    package var problem: String?
  }

  /// Tries what the file systems below the store and below the documents of a node can do.
  ///
  /// Makes and removes a directory of its own in each.
  package func examineDirectories(of bound: [BoundDocument]) -> [ExaminedDirectory] {
    var paths = [store.path(StoreLayout.local)]
    for document in bound where !paths.contains(document.place.directory) {
      paths.append(document.place.directory)
    }
    return paths.map { path in
      do throws(StorageError) {
        return ExaminedDirectory(path, try fileStore.probe(path))
      } catch {
        return ExaminedDirectory(path: path, problem: Self.reason(error))
      }
    }
  }

  private static func reason(_ error: StorageError) -> String {
    switch error {
    case .missing: "it is not there"
    case .failed(let failure, _): "\(failure.call): \(failure.errno)"
    default: "\(error)"
    }
  }

  /// Files beside documents that a dead process of ours left, and those that other programs left
  /// from an attempt to write them.
  package func leftovers(of bound: [BoundDocument]) -> (ours: [FilePath], foreign: [FilePath]) {
    var (ours, foreign): ([FilePath], [FilePath]) = ([], [])
    for document in bound {
      do throws(StorageError) {
        ours += try fileStore.ownLeftovers(document.place)
        foreign += try fileStore.foreignLeftovers(document.place)
      } catch {
        continue  // The probe of the same directory says what is wrong with it.
      }
    }
    return (ours, foreign)
  }

  /// How the cache of the merged state stands: its bytes, nil where there is none, and whether this
  /// process could open the store by it.
  package var checkpointFinding: (bytes: UInt64?, isUsed: Bool) {
    let bytes = bytesByKind().first { $0.kind == "checkpoint" }?.bytes ?? 0
    return (bytes == 0 ? nil : bytes, checkpoint.base != nil)
  }

  /// Whether space is kept for the journal.
  package var hasReserve: Bool {
    // Where it cannot be looked at it is of no use either.
    (try? store.hasReserve()) ?? false
  }

  /// What this release refuses beyond, by name.
  package static var limits: [(name: String, value: UInt64)] {
    [
      ("documentBytes", StorageLimits.documentBytesMax),
      ("lineBytes", StorageLimits.lineBytesMax),
      ("smallFileBytes", StorageLimits.smallFileBytesMax),
      ("segmentsOfALog", UInt64(StorageLimits.segmentsMax)),
      ("depth", UInt64(JSONLimits.standard.depthMax)),
    ]
  }
}

extension Replica.ExaminedDirectory {
  init(_ path: FilePath, _ probe: FileSystemProbe) {
    self.path = path
    type = probe.type
    syncNanoseconds = probe.syncNanoseconds
    abilities = probe.findings.map { ability, finding in
      switch finding {
      case .works: (ability.rawValue, nil)
      case .fails(let errno): (ability.rawValue, "\(errno)")
      case .isWrong: (ability.rawValue, "it is accepted and has no effect")
      }
    }
  }
}
