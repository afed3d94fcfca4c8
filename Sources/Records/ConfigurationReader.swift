import LosslessJSON

/// One value of a configuration and its place, with checked access to members.
struct ConfigurationReader {
  let node: JSONNode
  let pointer: JSONPointer

  init(_ node: JSONNode, _ pointer: JSONPointer) {
    self.node = node
    self.pointer = pointer
  }

  func error(_ reason: ConfigurationError.Reason) -> ConfigurationError {
    ConfigurationError(pointer: pointer, reason: reason)
  }

  /// A member, nil where it is absent; null is not absent.
  func member(_ name: JSONKey) -> ConfigurationReader? {
    node.member(name).map { ConfigurationReader($0, pointer.appending(name)) }
  }

  func required(_ name: JSONKey) throws(ConfigurationError) -> ConfigurationReader {
    guard let member = member(name) else { throw error(.missing(name.string)) }
    return member
  }

  /// The members of an object; a name that is there twice counts once, with the last value.
  func object() throws(ConfigurationError) -> [(key: JSONKey, value: ConfigurationReader)] {
    guard node.kind == .object else { throw error(.expected("an object")) }
    var seen: Set<JSONKey> = []
    var result: [(key: JSONKey, value: ConfigurationReader)] = []
    for key in node.members.map(\.key) where seen.insert(key).inserted {
      if let value = member(key) { result.append((key, value)) }
    }
    return result
  }

  func array() throws(ConfigurationError) -> [ConfigurationReader] {
    guard node.kind == .array else { throw error(.expected("an array")) }
    return node.elements.enumerated().map {
      ConfigurationReader($0.element, pointer.appending(index: $0.offset))
    }
  }

  func string() throws(ConfigurationError) -> String {
    guard let key = node.decodedString, !key.hasLoneSurrogate else {
      throw error(.expected("a string"))
    }
    return key.string
  }

  func name() throws(ConfigurationError) -> String {
    let name = try string()
    guard Configuration.isName(name) else { throw error(.badName) }
    return name
  }

  func bool() throws(ConfigurationError) -> Bool {
    switch node.kind {
    case .true: return true
    case .false: return false
    default: throw error(.expected("true or false"))
    }
  }

  func integer(_ range: ClosedRange<Int>) throws(ConfigurationError) -> Int {
    guard node.kind == .number, let value = Int(node.text.description) else {
      throw error(.expected("a whole number"))
    }
    guard range.contains(value) else { throw error(.outOfRange) }
    return value
  }

  func fraction() throws(ConfigurationError) -> Double {
    guard node.kind == .number, let value = Double(node.text.description) else {
      throw error(.expected("a number"))
    }
    guard value >= 0, value <= 1 else { throw error(.outOfRange) }
    return value
  }

  func path() throws(ConfigurationError) -> JSONPointer {
    guard let text = node.decodedString else { throw error(.expected("a JSON Pointer")) }
    return try Self.pointer(text.bytes, error(.badPointer))
  }

  /// A path with a collection name in front of it, as in `items:/tags`.
  func prefixedPath(
    _ shape: DocumentShape
  ) throws(ConfigurationError) -> (collection: String?, path: JSONPointer) {
    guard let text = node.decodedString else { throw error(.expected("a JSON Pointer")) }
    return try Self.prefixed(text.bytes, shape, self)
  }

  static func prefixed(
    _ bytes: [UInt8], _ shape: DocumentShape, _ place: ConfigurationReader
  ) throws(ConfigurationError) -> (collection: String?, path: JSONPointer) {
    guard let first = bytes.first, first != UInt8(ascii: "/") else {
      return (nil, try pointer(bytes, place.error(.badPointer)))
    }
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else {
      throw place.error(.badPointer)
    }
    let name = String(decoding: bytes[..<colon], as: UTF8.self)
    guard shape.collection(named: name) != nil else {
      throw place.error(.unknownReference("the collection \(name)"))
    }
    return (name, try pointer(Array(bytes[(colon + 1)...]), place.error(.badPointer)))
  }

  static func pointer(
    _ bytes: [UInt8], _ failure: ConfigurationError
  ) throws(ConfigurationError) -> JSONPointer {
    do {
      return try JSONPointer(parsing: bytes)
    } catch {
      throw failure
    }
  }

  /// One of the words of an enumeration.
  func word<Word: RawRepresentable & CaseIterable>(
    _ type: Word.Type
  ) throws(ConfigurationError) -> Word where Word.RawValue == String {
    let text = try string()
    guard let word = Word(rawValue: text) else {
      throw error(.unknownWord(allowed: Word.allCases.map(\.rawValue)))
    }
    return word
  }
}
