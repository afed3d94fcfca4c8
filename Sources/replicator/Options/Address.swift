import LosslessJSON

/// How an id was typed.
enum IDPattern: Equatable, Sendable {
  /// Matched against string ids first, then numbers.
  case plain([UInt8])
  /// `#1`: the number with this text.
  case number([UInt8])
  /// `"1"`: the string with this content.
  case string([UInt8])
  /// A JSON array in one part, as typed; string ids that read like this are meant too.
  case composite([UInt8])
}

/// What a person names with `DOC[:COLLECTION]/ID[/PATH]` or `DOC:/PATH`.
struct Address: Equatable, Sendable {
  /// What part of the document is meant.
  enum Place: Equatable, Sendable {
    /// `DOC`
    case document
    /// `DOC:COLLECTION`
    case collection(String)
    /// `DOC:/PATH`: outside the collections, or the whole of a document that is one record.
    case outside
    /// `DOC/ID` or `DOC:COLLECTION/ID`
    case record(collection: String?, id: IDPattern)
  }

  var document: String
  var place: Place
  /// Inside the record, or from the document's root for `outside`.
  var path: JSONPointer
}

extension Address {
  /// - Throws: `UsageError` for an address without a document, or with a wrong escape in a part.
  init(_ text: String) throws(UsageError) {
    let bytes = Array(text.utf8)
    let slash = bytes.firstIndex(of: UInt8(ascii: "/")) ?? bytes.endIndex
    let head = bytes[..<slash]
    let colon = head.firstIndex(of: UInt8(ascii: ":"))
    document = String(decoding: head[..<(colon ?? head.endIndex)], as: UTF8.self)
    let collection = colon.map { String(decoding: head[($0 + 1)...], as: UTF8.self) }
    var parts = try Pointer.parse(bytes[slash...], of: text).tokens
    if document.isEmpty {
      throw UsageError(
        "the address '\(text)' names no document", hint: "write DOC/ID, as hosts/web1")
    }
    if let collection, collection.isEmpty {
      place = .outside
      // A person who writes `DOC:/` means all of it, not the member with the empty name.
      if parts.count == 1, parts[0].bytes.isEmpty { parts = [] }
    } else if parts.isEmpty {
      place = collection.map { .collection($0) } ?? .document
    } else {
      place = .record(collection: collection, id: IDPattern(unescaped: parts.removeFirst().bytes))
    }
    path = JSONPointer(parts)
  }
}

extension IDPattern {
  /// An id as typed in an option, escaped as in an address; a bare `/` is taken as it is.
  init(_ text: String) throws(UsageError) {
    self.init(unescaped: try Pointer.unescape(Array(text.utf8)[...], of: text))
  }

  init(unescaped bytes: [UInt8]) {
    if bytes.first == UInt8(ascii: "#"), Self.isNumber(bytes.dropFirst()) {
      self = .number(Array(bytes.dropFirst()))
    } else if bytes.count >= 2, bytes.first == UInt8(ascii: "\""), bytes.last == bytes.first {
      self = .string(Array(bytes.dropFirst().dropLast()))
    } else if bytes.first == UInt8(ascii: "["), bytes.last == UInt8(ascii: "]") {
      self = .composite(bytes)
    } else {
      self = .plain(bytes)
    }
  }

  /// True for the text of a JSON number.
  static func isNumber(_ bytes: ArraySlice<UInt8>) -> Bool {
    var rest = bytes
    func isDigit(_ byte: UInt8?) -> Bool { byte.map { (0x30...0x39).contains($0) } ?? false }
    func skipDigits(_ rest: inout ArraySlice<UInt8>) -> Bool {
      guard isDigit(rest.first) else { return false }
      rest = rest.drop { isDigit($0) }
      return true
    }
    if rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
    if rest.first == UInt8(ascii: "0") {
      rest = rest.dropFirst()
    } else if !skipDigits(&rest) {
      return false
    }
    if rest.first == UInt8(ascii: ".") {
      rest = rest.dropFirst()
      guard skipDigits(&rest) else { return false }
    }
    if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
      rest = rest.dropFirst()
      if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") {
        rest = rest.dropFirst()
      }
      guard skipDigits(&rest) else { return false }
    }
    return rest.isEmpty
  }
}

/// JSON Pointer as typed on a command line.
enum Pointer {
  static func parse(_ text: String) throws(UsageError) -> JSONPointer {
    try parse(Array(text.utf8)[...], of: text)
  }

  /// A pointer if it begins with `/`, else one member's name as it stands.
  static func nameOrPointer(_ text: String) throws(UsageError) -> JSONPointer {
    let bytes = Array(text.utf8)
    if bytes.first == UInt8(ascii: "/") { return try parse(bytes[...], of: text) }
    return JSONPointer([JSONKey(uncheckedWTF8: bytes)])
  }

  static func parse(
    _ bytes: ArraySlice<UInt8>, of text: String
  ) throws(UsageError) -> JSONPointer {
    guard let first = bytes.first else { return .root }
    guard first == UInt8(ascii: "/") else {
      throw UsageError("'\(text)' is no JSON Pointer", hint: "begin with /, as /items")
    }
    var tokens: [JSONKey] = []
    for part in bytes.dropFirst().split(
      separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    {
      tokens.append(JSONKey(uncheckedWTF8: try unescape(part, of: text)))
    }
    return JSONPointer(tokens)
  }

  static func unescape(_ part: ArraySlice<UInt8>, of text: String) throws(UsageError) -> [UInt8] {
    var plain: [UInt8] = []
    var rest = part
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "~") else {
        plain.append(byte)
        continue
      }
      switch rest.popFirst() {
      case UInt8(ascii: "0"): plain.append(UInt8(ascii: "~"))
      case UInt8(ascii: "1"): plain.append(UInt8(ascii: "/"))
      default:
        throw UsageError(
          "'\(text)' has a ~ that is neither ~0 nor ~1", hint: "write ~0 for ~ and ~1 for /")
      }
    }
    return plain
  }
}
