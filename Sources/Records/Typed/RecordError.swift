/// Why bytes could not be taken for a document or a value.
public enum RecordError: Error, Hashable, Sendable {
  /// The text is no JSON. The offset is in bytes; line and column count from 1.
  case notJSON(offset: Int, line: Int, column: Int)
  /// There is no list of records at this JSON Pointer.
  case noRecords(at: String)
  /// The document says that it is of a release this type was not made for.
  case unsupportedSchemaVersion(SchemaVersion, supported: ClosedRange<SchemaVersion>)
}
