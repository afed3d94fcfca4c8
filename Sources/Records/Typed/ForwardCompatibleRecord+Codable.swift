import FoundationEssentials

// A record survives any encoder and decoder as far as those can. Foundation's JSON coders keep every
// member, unknown ones too, and numbers of up to 38 digits. They do not keep: the order of members and
// how numbers and strings are spelt (`1.0` becomes `1`), members of one name but the last, numbers
// beyond 38 digits or the range of Double, and lone surrogates, which Foundation refuses. Who needs those
// bytes reads and writes `raw`, as the store does.

extension ForwardCompatibleRecord {
  /// Reads a record with all its members.
  ///
  /// - Throws: what the decoder throws.
  public init(from decoder: any Decoder) throws { self.init(raw: try RawJSON(from: decoder)) }

  /// Writes a record with all its members.
  ///
  /// - Throws: `EncodingError` for a number that the encoder cannot write.
  public func encode(to encoder: any Encoder) throws { try raw.encode(to: encoder) }
}

extension RecordID: Codable {
  /// Reads a string, a number or a list.
  ///
  /// - Throws: what the decoder throws, and `DecodingError` for other values.
  public init(from decoder: any Decoder) throws {
    guard let id = RecordID(json: try RawJSON(from: decoder)) else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "no id"))
    }
    self = id
  }

  /// Writes the id as it is spelt.
  ///
  /// - Throws: `EncodingError` for a number that the encoder cannot write.
  public func encode(to encoder: any Encoder) throws { try RawJSON(text).encode(to: encoder) }
}

extension RawJSON: Codable {
  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// Reads any value.
  ///
  /// - Throws: what the decoder throws.
  public init(from decoder: any Decoder) throws {
    // A value that is no object or list is no failure: it is one of the others.
    if let members = try? decoder.container(keyedBy: Name.self) {
      var object = RawJSON.emptyObject
      for name in members.allKeys {
        object[member: name.stringValue] = try members.decode(RawJSON.self, forKey: name)
      }
      self = object
      // The same.
    } else if var list = try? decoder.unkeyedContainer() {
      var elements: [RawJSON] = []
      while !list.isAtEnd { elements.append(try list.decode(RawJSON.self)) }
      self.init(elements)
    } else {
      self = try RawJSON(scalarIn: try decoder.singleValueContainer())
    }
  }

  /// Whole numbers before others, so that none is rounded that need not be.
  private init(scalarIn container: any SingleValueDecodingContainer) throws {
    func attempt<Value: Decodable>(_ type: Value.Type) -> Value? {
      // A type that does not fit is no failure: the next one is tried.
      try? container.decode(type)
    }
    if container.decodeNil() {
      self = .null
    } else if let value = attempt(Bool.self) {
      self.init(value)
    } else if let value = attempt(Int.self) {
      self.init(value)
    } else if let value = attempt(Decimal.self), value.isFinite {
      self = try RawJSON(parsing: value.description)
    } else if let value = attempt(Double.self) {
      self = value.json(replacing: nil)
    } else {
      self.init(try container.decode(String.self))
    }
  }

  /// Writes any value.
  ///
  /// - Throws: `EncodingError` for a number that the encoder cannot write.
  public func encode(to encoder: any Encoder) throws {
    switch kind {
    case .object:
      var container = encoder.container(keyedBy: Name.self)
      for name in memberNames {
        guard let value = self[member: name] else { continue }
        try container.encode(value, forKey: Name(stringValue: name))
      }
    case .array:
      var container = encoder.unkeyedContainer()
      for element in elements ?? [] { try container.encode(element) }
    case .string, .number, .boolean, .null:
      var container = encoder.singleValueContainer()
      try encodeScalar(into: &container)
    }
  }

  private func encodeScalar(into container: inout any SingleValueEncodingContainer) throws {
    if let string {
      try container.encode(string)
    } else if let bool {
      try container.encode(bool)
    } else if let int {
      try container.encode(int)
    } else if let exact = Decimal(string: text), RawJSON(decimal: exact).hasSameValue(as: self) {
      try container.encode(exact)
    } else if let double {
      try container.encode(double)
    } else if kind == .null {
      try container.encodeNil()
    } else {
      throw EncodingError.invalidValue(
        text,
        EncodingError.Context(
          codingPath: container.codingPath, debugDescription: "a number beyond any Double"))
    }
  }

  private init(decimal: Decimal) {
    // What is no number equals none.
    self = (try? RawJSON(parsing: decimal.description)) ?? .null
  }
}

extension Decimal {
  fileprivate var isFinite: Bool { !isNaN }
}
