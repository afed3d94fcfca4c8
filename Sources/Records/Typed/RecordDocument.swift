import LosslessJSON
import Merging

/// A document with one list of records: from bytes to records and back.
///
/// What was not changed keeps its bytes, around the records, too. It knows no path: reading and writing the
/// bytes is the work of others.
public struct RecordDocument<Record: ForwardCompatibleRecord>: Sendable {
  /// The records, to be read and changed.
  public var records: RecordList<Record>
  /// The form that the document says it has.
  public let schemaVersion: SchemaVersion

  private let tree: JSONTree
  private let collection: DocumentShape.Collection

  /// Reads a document.
  ///
  /// - Parameters:
  ///   - place: where the records are, as a JSON Pointer: in a list, or in an object whose member names
  ///     are the ids.
  ///   - idMember: the member of a record in a list that holds its id.
  /// - Throws: `notJSON`, `noRecords`, and `unsupportedSchemaVersion` where the document is of a form
  ///   that `Record` was not made for.
  /// - Complexity: one pass over the text.
  public init(
    _ bytes: [UInt8], at place: String = "/items", id idMember: String = "id"
  ) throws(RecordError) {
    let (tree, pointer) = try Self.parsed(bytes, place)
    guard let node = tree.node(at: pointer), node.kind.isContainer else {
      throw .noRecords(at: place)
    }
    let isMap = node.kind == .object
    collection = DocumentShape.Collection(
      name: "records", at: pointer, kind: isMap ? .map : .array,
      id: isMap ? [] : [JSONPointer([JSONKey(idMember)])])
    schemaVersion = try Self.version(in: tree.root)
    self.tree = tree
    records = RecordList(RecordBase(of: node, in: tree, id: JSONKey(idMember)))
  }

  private static func parsed(
    _ bytes: [UInt8], _ place: String
  ) throws(RecordError) -> (JSONTree, JSONPointer) {
    do throws(JSONError) {
      return (try JSONTree(parsing: bytes), try JSONPointer(parsing: place))
    } catch {
      throw .notJSON(offset: error.offset, line: error.line, column: error.column)
    }
  }

  /// A document without the member is of the first form.
  private static func version(in root: JSONNode) throws(RecordError) -> SchemaVersion {
    guard let node = root.member("schemaVersion") else { return .first }
    let version = SchemaVersion(node.intValue ?? 0)
    guard Record.schemaVersions.contains(version) else {
      throw .unsupportedSchemaVersion(version, supported: Record.schemaVersions)
    }
    return version
  }

  /// The document with what was changed.
  ///
  /// - Complexity: one copy of the text; with changes the document is taken apart.
  public var bytes: [UInt8] {
    guard !records.isUnchanged else { return Array(tree.bytes) }
    let split = SplitDocument(tree: tree, shape: DocumentShape(collections: [collection]))
    let style = DocumentStyle(of: tree, collections: [collection])
    let old = Array(split.records)
    var kept: [AssembledRecord] = []
    for slot in records.slots {
      switch slot {
      case .base(let position):
        guard let entry = records.entry(at: position) else { continue }
        var assembled = AssembledRecord(old[position])
        let raw = entry.id.map { entry.raw.withID($0, in: collection) } ?? entry.raw
        assembled.text = FieldEdit.text(
          of: raw.node, from: old[position].node, style: style, in: collection)
        kept.append(assembled)
      case .added(let id):
        guard let raw = records[id]?.raw else { continue }
        kept.append(
          AssembledRecord(
            collection: collection.name,
            text: style.printed(raw.withID(id, in: collection).node.text, in: collection),
            id: collection.kind == .map ? RawJSON(id.description).node.text : nil))
      }
    }
    return SplitDocument.assemble(
      frame: split.frame, frameLayout: split.frameLayout, shape: split.shape, records: kept)
  }
}

extension RawJSON {
  /// The record with its id where the collection looks for it; an id that is new stands in front.
  package func withID(_ id: RecordID, in collection: DocumentShape.Collection) -> RawJSON {
    guard collection.kind == .array, let place = collection.id.first, collection.id.count == 1,
      let key = place.tokens.first, place.tokens.count == 1, self[key] == nil
    else { return self }
    do {
      let bytes = try JSONTree(parsing: node.text).applying([
        .insertMember(in: .root, key: key, keyText: nil, value: id.text, at: .first)
      ])
      return RawJSON(JSONText(unchecked: bytes))
    } catch {
      preconditionFailure("a member of an object could not be written: \(error)")
    }
  }
}
