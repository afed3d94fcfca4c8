package import SystemCalls

/// Every name of a file of a store, made in this one place.
///
/// Names are relative to the control directory `.replicator` and are opened through
/// `StoreDirectory`, which follows no symbolic link there.
///
///     nodes/NODE/node.json
///     nodes/NODE/log/EEEEEEEE-SSSSSSSS.jsonl      epoch and segment, 8 decimal digits each
///     nodes/NODE/journal/SSSSSSSS.jsonl
///     nodes/NODE/snapshot/
///     config.json
///     local/nodes.json
///     local/bindings/B/{binding.json,lock,generations,backups,quarantine,inplace}
///     local/watches/NODE-SLOT.json
///     local/checkpoint  local/locks/NAME  local/tmp  local/sync/NONCE  local/reserve
package enum StoreLayout {
  package static let control = ".replicator"
  package static let config = "config.json"
  package static let schemas = "schemas"
  package static let nodes = "nodes"
  package static let local = "local"
  package static let localNodes = "local/nodes.json"
  package static let bindings = "local/bindings"
  package static let checkpoint = "local/checkpoint"
  package static let locks = "local/locks"
  package static let watches = "local/watches"
  package static let temporary = "local/tmp"
  package static let sync = "local/sync"
  package static let reserve = "local/reserve"

  /// The directories that every store has from the start.
  package static let directories = [
    nodes, local, bindings, checkpoint, locks, temporary, sync,
  ]

  package static func node(_ id: String) -> String { "nodes/\(id)" }
  package static func nodeFile(_ id: String) -> String { "nodes/\(id)/node.json" }
  package static func log(_ id: String) -> String { "nodes/\(id)/log" }
  package static func journal(_ id: String) -> String { "nodes/\(id)/journal" }
  package static func snapshot(_ id: String) -> String { "nodes/\(id)/snapshot" }

  /// What a running `watch` of a node says of itself; held by its lock, one slot for each process.
  package static func watch(_ node: String, slot: Int) -> String {
    "\(watches)/\(node)-\(slot).json"
  }
  package static func watchLock(_ node: String, slot: Int) -> String {
    lock("\(node).watch-\(slot)")
  }

  /// The commit lock of a node, and other locks of this machine.
  package static func lock(_ name: String) -> String { "local/locks/\(name)" }

  package static func binding(_ id: String) -> String { "local/bindings/\(id)" }
  package static let bindingFileName = "binding.json"
  package static func bindingFile(_ id: String) -> String {
    "local/bindings/\(id)/\(bindingFileName)"
  }
  package static func bindingLock(_ id: String) -> String { "local/bindings/\(id)/lock" }
  package static func generations(_ id: String) -> String { "local/bindings/\(id)/generations" }
  package static func backups(_ id: String) -> String { "local/bindings/\(id)/backups" }
  package static func quarantine(_ id: String) -> String { "local/bindings/\(id)/quarantine" }
  package static func inPlace(_ id: String) -> String { "local/bindings/\(id)/inplace" }
  /// Both versions of a document that is being written in place.
  static let inPlaceIntent = "intent"

  /// The id of the binding of a document: 16 hex digits of XXH3-128 of its real path.
  package static func bindingID(realPath: FilePath) -> String {
    ContentHash(of: Array(realPath.string.utf8)).shortHex
  }

  /// A node's id as a directory name: 16 lower-case hex digits.
  package static func isNodeID(_ name: String) -> Bool { hexValue(Array(name.utf8)) != nil }

  /// A backup: when it was displaced, in 13 digits so that names sort, and the start of its hash.
  package static func backup(milliseconds: UInt64, hash: ContentHash) -> String {
    "\(decimal(milliseconds, width: 13))-\(hash.shortHex)"
  }

  /// The time and the short hash of a backup's name.
  package static func parseBackup(_ name: String) -> (milliseconds: UInt64, shortHash: String)? {
    let parts = name.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].count == 13, hexValue(parts[1]) != nil,
      let milliseconds = UInt64(Substring(parts[0]))
    else { return nil }
    return (milliseconds, String(Substring(parts[1])))
  }

  /// A file of our own that is being written; it may be removed whenever its owner is dead.
  static func part(of name: String, id: UInt64) -> String { ".\(stem(name)).\(hexDigits(id)).part" }
}

/// Temporary names beside a document `D`.
///
/// `.D.<id>.part` may be incomplete and is deletable. `.D.<id>.<H>.ready` was complete with
/// content hash H when it got that name: as long as its content has that hash it was never
/// exchanged, with any other content it *is* a version displaced from D.
package enum TemporaryName: Hashable, Sendable {
  case part
  case ready(ContentHash)

  package static func ready(of name: String, id: UInt64, hash: ContentHash) -> String {
    ".\(stem(name)).\(hexDigits(id)).\(hash.hex).ready"
  }

  /// What `candidate` is to the document `name`; nil for every name that we did not make.
  package static func parse(_ candidate: String, of name: String) -> TemporaryName? {
    let bytes = Array(candidate.utf8)
    let prefix = Array(".\(stem(name)).".utf8)
    guard bytes.starts(with: prefix) else { return nil }
    let rest = bytes[prefix.count...]
    guard rest.count >= 16, hexValue(rest.prefix(16)) != nil else { return nil }
    let tail = rest.dropFirst(16)
    if tail.elementsEqual(".part".utf8) { return .part }
    let ending = Array(".ready".utf8)
    guard tail.count == 1 + 32 + ending.count, tail.first == UInt8(ascii: "."),
      tail.suffix(ending.count).elementsEqual(ending),
      let hash = ContentHash(
        hex: String(decoding: tail.dropFirst().prefix(32), as: UTF8.self))
    else { return nil }
    return .ready(hash)
  }
}

/// The document's name inside temporary names; a long one gives way to its hash, since 255 bytes
/// are the limit of a name and the additions take up to 57.
private func stem(_ name: String) -> String {
  name.utf8.count <= 190 ? name : ContentHash(of: Array(name.utf8)).shortHex
}

/// A decimal number with zeros in front.
func decimal(_ number: UInt64, width: Int) -> String {
  let digits = String(number)
  return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
}
