package import LosslessJSON
package import Merging
import Records
import Replication

/// Places that writes of one batch write, of which each had seen none of the others.
package struct WrittenPlaces {
  private var paths: [RecordAddress: [JSONPointer]] = [:]

  package init() {}

  package mutating func add(_ places: [(record: RecordAddress, path: JSONPointer)]) {
    for (record, path) in places { paths[record, default: []].append(path) }
  }

  /// Whether one of these lies in, above or below one that was added.
  package func overlap(_ places: [(record: RecordAddress, path: JSONPointer)]) -> Bool {
    places.contains { record, path in
      paths[record]?.contains { other in
        zip(other.tokens, path.tokens).allSatisfy { $0 == $1 }
      } ?? false
    }
  }
}

extension SaveRecords {
  /// What is written; a record that is made or deleted as a whole. Moving one writes nothing in it.
  package var places: [(record: RecordAddress, path: JSONPointer)] {
    changes.flatMap { id, change -> [(record: RecordAddress, path: JSONPointer)] in
      let record = RecordAddress(document: document, collection: collection, key: id.key)
      return switch change {
      case .edit(let edits): edits.map { (record, $0.path) }
      case .create, .delete: [(record, .root)]
      case .move: []
      }
    }
  }

  /// Whether somebody wrote one of these places since they were read, as far as is known here.
  package func isStale(in session: StoreSession) -> Bool {
    let state = session.replica.state
    return places.contains { record, path in
      let read = state.views(at: record, seenBy: seen).first?.text
      let now = state.views(at: record).first?.text
      return read != now && Self.value(at: path, in: read) != Self.value(at: path, in: now)
    }
  }

  private static func value(at path: JSONPointer, in text: JSONText?) -> JSONText? {
    // The own text of the state parses.
    text.flatMap { try? JSONTree(parsing: $0) }?.node(at: path)?.text
  }
}
