package import LosslessJSON

/// The id of a record in canonical form: equal exactly when two ids mean the same record.
///
/// Strings compare by code units, numbers by exact value; the number 1 and the string "1" differ.
package struct RecordKey: Hashable, Comparable, Sendable {
  package let bytes: [UInt8]

  private init(tag: Unicode.Scalar, _ content: some Collection<UInt8>) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(content.count + 1)
    bytes.append(UInt8(ascii: tag))
    bytes += content
    self.bytes = bytes
  }

  /// What lies outside the collections, and the one record of kind `document`.
  package static let outside = RecordKey(tag: ".", [])

  /// A record whose id is this string, or that is the member of this name in a map.
  package static func string(_ value: JSONKey) -> RecordKey { RecordKey(tag: "s", value.bytes) }

  /// The first byte of such a key; the content of the string follows.
  package static let stringTag = UInt8(ascii: "s")

  /// A record without an id: it is known by its content alone.
  package static func anonymous(_ record: JSONText) -> RecordKey {
    RecordKey(tag: "x", Hex.digits(record.valueHash))
  }

  /// The key of a record without an id, as `bytes` gave it; nil for any other key.
  package init?(anonymousBytes bytes: [UInt8]) {
    guard bytes.first == UInt8(ascii: "x"), bytes.count == 17 else { return nil }
    self.bytes = bytes
  }

  /// A key as `bytes` gave it.
  init(stored bytes: ArraySlice<UInt8>) { self.bytes = Array(bytes) }

  /// The key for an id as it stands in a document; nil where an id cannot be of this kind.
  package init?(id: JSONText) {
    switch id.kind {
    case .string:
      guard let value = id.decodedString else { return nil }
      self = .string(value)
    case .number:
      guard let number = id.canonicalNumber else { return nil }
      self.init(tag: "n", number)
    case .array, .object, .true, .false, .null:
      // Composite ids are arrays of the parts; other values serve as ids by their value.
      self.init(tag: "v", Hex.digits(id.valueHash))
    }
  }

  package var isOutside: Bool { self == .outside }

  package func hash(into hasher: inout Hasher) {
    // In one piece; the hash of an array feeds byte by byte.
    bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
  }

  package static func < (left: RecordKey, right: RecordKey) -> Bool {
    left.bytes.lexicographicallyPrecedes(right.bytes)
  }
}

/// The place of a record: document, collection (nil outside the collections) and key.
package struct RecordAddress: Hashable, Sendable {
  package var document: String
  package var collection: String?
  package var key: RecordKey

  package init(document: String, collection: String?, key: RecordKey) {
    self.document = document
    self.collection = collection
    self.key = key
  }
}
