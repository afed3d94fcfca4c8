/// Any JSON, held as a plain program holds it: order and number spelling are lost.
indirect enum JSONValue: Codable {
  case null
  case bool(Bool)
  case integer(Int64)
  case double(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    // A type that does not fit is no failure: the next one is tried.
    func attempt<Value: Decodable>(_ type: Value.Type) -> Value? { try? container.decode(type) }
    if container.decodeNil() {
      self = .null
    } else if let value = attempt(Bool.self) {
      self = .bool(value)
    } else if let value = attempt(Int64.self) {
      self = .integer(value)
    } else if let value = attempt(Double.self) {
      self = .double(value)
    } else if let value = attempt(String.self) {
      self = .string(value)
    } else if let value = attempt([JSONValue].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .double(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .array(let value): try container.encode(value)
    case .object(let value): try container.encode(value)
    }
  }

  /// Adds a record to the list or the map at `path` (member names from the root).
  mutating func add(_ record: [String: JSONValue], key: String, at path: ArraySlice<String>) throws
  {
    if let name = path.first {
      guard case .object(var members) = self, var inner = members[name] else {
        throw ClientError("there is no member '\(name)' on the way to the records")
      }
      try inner.add(record, key: key, at: path.dropFirst())
      members[name] = inner
      self = .object(members)
      return
    }
    switch self {
    case .array(let elements):
      self = .array(elements + [.object(record)])
    case .object(var members):
      members[key] = .object(record)
      self = .object(members)
    default:
      throw ClientError("the records are neither in a list nor in a map")
    }
  }
}
