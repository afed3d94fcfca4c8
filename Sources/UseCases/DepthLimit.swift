import LosslessJSON
import Records
import Replication

extension StoreSession {
  /// Refuses values that would make a document nest deeper than one that can be read again.
  ///
  /// - Complexity: one parse of those values that have bytes enough for so many levels.
  func checkDepth(
    _ changes: [RecordChange], of document: Configuration.Document
  ) throws(UseCaseError) {
    let depthMax = JSONLimits.standard.depthMax
    for change in changes {
      guard let text = change.text, text.kind.isContainer else { continue }
      let collection = change.place.collection.flatMap { document.shape.collection(named: $0) }
      let path = change.path ?? .root
      let around = (collection.map { $0.at.tokens.count + 1 } ?? 0) + path.tokens.count
      let room = depthMax - around
      // A level has two brackets.
      if room > 0, text.bytes.count < 2 * (room + 1) || Self.fits(text, into: room) { continue }
      throw .refused(
        what: "write '\(document.name)'",
        why: "with what is new at '\(path)' it would be nested deeper than \(depthMax)",
        hint: "write a value that is nested less")
    }
  }

  private static func fits(_ text: JSONText, into depth: Int) -> Bool {
    do throws(JSONError) {
      let limits = JSONLimits(depthMax: depth)
      _ = try JSONTree(parsing: text.bytes, dialect: .jsonc, limits: limits)
      return true
    } catch {
      return false
    }
  }
}

extension RecordChange {
  /// The text that it writes.
  fileprivate var text: JSONText? {
    switch self {
    case .create(let creation): creation.text
    case .set(_, _, let text, _, _): text
    case .remove, .delete, .move: nil
    }
  }
}
