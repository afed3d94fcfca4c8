import SystemCalls

/// One replacement of a document while it is under way.
struct Replacement {
  let place: DocumentPlace
  let bytes: [UInt8]
  let hash: ContentHash
  let expected: ExpectedVersion?
  let files: BindingFiles
  let milliseconds: UInt64
  let id: UInt64
  var notes: [ReplaceNote] = []

  var part: String { StoreLayout.part(of: place.name, id: id) }
  var ready: String { TemporaryName.ready(of: place.name, id: id, hash: hash) }
}
