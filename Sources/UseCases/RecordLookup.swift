package import LosslessJSON
import Merging
import Records
import Replication

/// How a person names a record.
package enum RecordPattern: Equatable, Sendable {
  /// Matched against string ids first, then numbers.
  case plain([UInt8])
  /// `#1`: the number with this text.
  case number([UInt8])
  /// `"1"`: the string with this content, escapes as in JSON, by which any string can be typed.
  case string([UInt8])
  /// A composite id as a JSON array; string ids that read like this are meant too.
  case composite([UInt8])

  /// The ids that are meant, in the order in which they are tried.
  var ids: [JSONText] {
    switch self {
    case .plain(let bytes): [string(bytes)] + number(bytes)
    case .number(let bytes): number(bytes)
    case .string(let bytes):
      parsed([UInt8(ascii: "\"")] + bytes + [UInt8(ascii: "\"")]) + [string(bytes)]
    case .composite(let bytes): parsed(bytes) + [string(bytes)]
    }
  }

  package var description: String {
    switch self {
    case .plain(let bytes), .number(let bytes), .string(let bytes), .composite(let bytes):
      String(decoding: bytes, as: UTF8.self)
    }
  }

  private func string(_ bytes: [UInt8]) -> JSONText {
    .string(JSONKey(String(decoding: bytes, as: UTF8.self)))
  }

  private func number(_ bytes: [UInt8]) -> [JSONText] {
    parsed(bytes).filter { $0.kind == .number }
  }

  private func parsed(_ bytes: [UInt8]) -> [JSONText] {
    // What does not parse is no id of this kind.
    (try? JSONText(validating: bytes)).map { [$0] } ?? []
  }
}

/// What a person names with an address.
package struct RecordReferenceRequest: Equatable, Sendable {
  package enum Place: Equatable, Sendable {
    case outside
    case record(collection: String?, RecordPattern)
  }

  package var document: String
  package var place: Place
  /// Inside the record, or from the document's root for `outside`.
  package var path: JSONPointer

  package init(document: String, place: Place, path: JSONPointer) {
    self.document = document
    self.place = place
    self.path = path
  }
}

/// A record that was found, or the place where one would be made.
struct FoundRecord {
  var document: Configuration.Document
  var collection: DocumentShape.Collection?
  var address: RecordAddress
  var id: JSONText?
  /// Nil where there is none yet.
  var view: RecordView?
}

extension StoreSession {
  func find(_ request: RecordReferenceRequest) throws(UseCaseError) -> FoundRecord {
    let document = try document(named: request.document)
    guard case .record(let name, let pattern) = request.place else {
      return outside(of: document)
    }
    let collections = try collections(of: document, named: name)
    for collection in collections {
      for id in pattern.ids {
        guard let key = RecordKey(id: id) else { continue }
        let address = RecordAddress(
          document: document.name, collection: collection.name, key: key)
        if let view = replica.state.views(at: address).first {
          return FoundRecord(
            document: document, collection: collection, address: address, id: view.id ?? id,
            view: view)
        }
      }
    }
    guard let collection = collections.first, collections.count == 1 else {
      throw .ambiguousCollection(document: document.name, known: collections.map(\.name))
    }
    let id = try newID(pattern, in: collection)
    guard let key = RecordKey(id: id) else {
      throw .unknownRecord(pattern.description, document: document.name)
    }
    return FoundRecord(
      document: document, collection: collection,
      address: RecordAddress(document: document.name, collection: collection.name, key: key),
      id: id, view: nil)
  }

  private func outside(of document: Configuration.Document) -> FoundRecord {
    let address = RecordAddress(document: document.name, collection: nil, key: .outside)
    return FoundRecord(
      document: document, collection: nil, address: address, id: nil,
      view: replica.state.views(at: address).first)
  }

  /// The collections that may be meant; a document of one record has none.
  func collections(
    of document: Configuration.Document, named name: String?
  ) throws(UseCaseError) -> [DocumentShape.Collection] {
    let all = document.shape.recordCollections
    guard let name else {
      if all.isEmpty {
        throw .refused(
          what: "find a record in '\(document.name)'", why: "the whole document is one record",
          hint: "name a member as \(document.name):/MEMBER")
      }
      return all
    }
    guard let collection = all.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
      throw .unknownCollection(name, document: document.name, known: all.map(\.name))
    }
    return [collection]
  }

  /// The id that a new record gets from how it was named.
  private func newID(
    _ pattern: RecordPattern, in collection: DocumentShape.Collection
  ) throws(UseCaseError) -> JSONText {
    guard let id = pattern.ids.first else {
      throw .refused(
        what: "make the record '\(pattern.description)'", why: "it is no id",
        hint: "write a name, #NUMBER, or a JSON array for a composite id")
    }
    guard collection.id.count > 1, collection.idMode == .composite else {
      // An array is no id here: what reads like one is a name.
      return id.kind == .array ? pattern.ids.last ?? id : id
    }
    // What is no array has no parts.
    guard id.kind == .array, let parts = (try? JSONTree(parsing: id))?.root,
      parts.childCount == collection.id.count
    else {
      throw .refused(
        what: "make the record '\(pattern.description)'",
        why: "'\(collection.name)' has ids of \(collection.id.count) parts",
        hint: "write the id as a JSON array of so many")
    }
    return id
  }

  /// Requires that the record is there.
  func findExisting(
    _ request: RecordReferenceRequest
  ) throws(UseCaseError) -> (FoundRecord, RecordView) {
    let found = try find(request)
    guard let view = found.view else {
      let name: String
      if case .record(_, let pattern) = request.place {
        name = pattern.description
      } else {
        name = "/"
      }
      throw .unknownRecord(name, document: request.document)
    }
    return (found, view)
  }
}
