import LosslessJSON
import Records
import UseCases

extension Store {
  /// A document of an application as a configuration says it.
  static func describe(
    _ document: Document
  ) throws(StoreError) -> Configuration.Document {
    guard Configuration.isName(document.name) else {
      throw .notPossible(record: nil, why: "'\(document.name)' is no name for a document")
    }
    guard let text = document.place else {
      let whole = DocumentShape.Collection(name: "document", at: .root, kind: .document)
      return Configuration.Document(
        name: document.name, file: document.file, shape: DocumentShape(collections: [whole]))
    }
    let place: JSONPointer
    do throws(JSONError) { place = try JSONPointer(parsing: text) } catch {
      throw .notPossible(record: nil, why: "'\(text)' is no JSON Pointer")
    }
    let last = place.last?.string ?? ""
    let collection = DocumentShape.Collection(
      name: Configuration.isName(last) ? last : "items", at: place, kind: .array,
      id: [JSONPointer([JSONKey("id")])])
    return Configuration.Document(
      name: document.name, file: document.file, shape: DocumentShape(collections: [collection]))
  }
}

extension RecordPattern {
  init(_ id: RecordID) {
    switch id.text.kind {
    case .string: self = .string(id.text.decodedString?.bytes ?? [])
    case .number: self = .number(Array(id.text.bytes))
    case .array, .object, .true, .false, .null: self = .composite(Array(id.text.bytes))
    }
  }
}
