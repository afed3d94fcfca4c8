import LosslessJSON
import Merging
import Records

/// Whether the author of a rewrite over a file had seen what the state shows.
enum Seen {
  /// True if the file has the place that a change touches just as the state shows it.
  static func covers(
    _ change: RecordChange, of file: SplitDocument, shown: SplitDocument?
  ) -> Bool {
    guard let shown else { return true }
    switch change {
    case .create(let creation):
      return shown.record(creation.collection, creation.key) == nil
    case .set(let place, let path, _, _, _), .remove(let place, let path):
      return areSame(
        value(at: path, of: place, in: file), value(at: path, of: place, in: shown))
    case .delete(let place):
      return areSame(value(at: .root, of: place, in: file), value(at: .root, of: place, in: shown))
    case .move: return true
    }
  }

  private static func areSame(_ one: JSONText?, _ other: JSONText?) -> Bool {
    switch (one, other) {
    case (nil, nil): true
    case (.some(let one), .some(let other)): one.hasSameValue(as: other)
    case (nil, .some), (.some, nil): false
    }
  }

  private static func value(
    at path: JSONPointer, of place: RecordPlace, in document: SplitDocument
  ) -> JSONText? {
    guard let collection = place.collection else {
      return document.frameTree.node(at: path)?.text
    }
    return document.record(collection, place.key, occurrence: place.occurrence)?.node
      .node(at: path)?.text
  }
}
