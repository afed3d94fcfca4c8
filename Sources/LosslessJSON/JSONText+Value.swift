/// When two numbers are the same value.
package enum NumberComparison: Sendable, Hashable {
  /// When they are equal without any rounding: `1.0` and `10e-1`, but not 2^53 + 1 and 2^53.
  case exact
  /// When they round to the same Double.
  case double
}

/// When two strings, or two member names, are the same value.
package enum StringComparison: Sendable, Hashable {
  /// When their code units are equal, however they are spelt.
  case exact
  /// When they are equal once each lone surrogate has become U+FFFD.
  case replacesLoneSurrogates
}

extension JSONText {
  /// A spelling of a number that is equal for exactly the equal numbers, nil for other values.
  package var canonicalNumber: [UInt8]? {
    kind == .number ? JSONNumber.canonical(bytes) : nil
  }

  /// The number rounded to the nearest Double, infinite beyond its range; nil for other values.
  package var doubleValue: Double? {
    kind == .number ? Double(String(decoding: bytes, as: UTF8.self)) : nil
  }

  /// The number if it is whole and fits, however it is spelt (`1.0`, `1e3`); else nil.
  package var intValue: Int? {
    JSONNumber.plainInteger(bytes) ?? canonicalNumber.flatMap(JSONNumber.int(ofCanonical:))
  }

  /// The boolean, nil for other values.
  package var boolValue: Bool? {
    switch kind {
    case .true: true
    case .false: false
    case .object, .array, .string, .number, .null: nil
    }
  }

  /// Whether both texts mean the same value.
  ///
  /// Members are compared without regard to their order; of several with one name the last counts.
  /// - Complexity: linear, with a parse of both texts if they are containers of different bytes.
  package func hasSameValue(
    as other: JSONText, numbers: NumberComparison = .exact, strings: StringComparison = .exact
  ) -> Bool {
    if self == other { return true }
    guard kind == other.kind else { return false }
    switch kind {
    case .true, .false, .null:
      return true
    case .number:
      return ValueComparison.sameNumber(bytes, other.bytes, numbers)
    case .string:
      return ValueComparison.key(bytes, strings) == ValueComparison.key(other.bytes, strings)
    case .object, .array:
      // Only text that was never valid fails to parse here, and it equals nothing else.
      guard let left = try? JSONTree(parsing: self), let right = try? JSONTree(parsing: other)
      else { return false }
      return left.root.hasSameValue(as: right.root, numbers: numbers, strings: strings)
    }
  }

  /// A hash that is the same for texts with the same exact value, whatever their spelling.
  package var valueHash: UInt64 {
    switch kind {
    case .object, .array:
      // Only text that was never valid fails to parse here; its bytes are all that is known of it.
      (try? JSONTree(parsing: self))?.root.valueHash ?? XXH3.hash64(bytes)
    case .string: ValueComparison.hash(ofLiteral: bytes)
    case .number: ValueComparison.hash(ofNumber: bytes)
    case .true, .false, .null: ValueComparison.hash(ofWord: kind)
    }
  }
}

extension JSONMember {
  /// The hash of the decoded name.
  fileprivate var nameHash: UInt64 { ValueComparison.hash(ofLiteral: storage.bytes[keyRange]) }
}

extension JSONNode {
  /// Whether both nodes mean the same value; see `JSONText.hasSameValue`.
  package func hasSameValue(
    as other: JSONNode, numbers: NumberComparison = .exact, strings: StringComparison = .exact
  ) -> Bool {
    guard kind == other.kind else { return false }
    switch kind {
    case .true, .false, .null, .number, .string:
      return text.hasSameValue(as: other.text, numbers: numbers, strings: strings)
    case .array:
      if text == other.text { return true }
      var right = other.elements.makeIterator()
      for element in elements {
        guard let counterpart = right.next(),
          element.hasSameValue(as: counterpart, numbers: numbers, strings: strings)
        else { return false }
      }
      return right.next() == nil
    case .object:
      if text == other.text { return true }
      let left = countingMembers(strings)
      let right = other.countingMembers(strings)
      return left.count == right.count
        && left.allSatisfy { key, value in
          right[key]?.hasSameValue(as: value, numbers: numbers, strings: strings) ?? false
        }
    }
  }

  /// A hash that is the same for nodes with the same exact value; see `JSONText.valueHash`.
  package var valueHash: UInt64 {
    switch kind {
    case .true, .false, .null, .number, .string:
      return text.valueHash
    case .array:
      var hash = ValueComparison.hash(ofWord: .array)
      for element in elements { hash = ValueComparison.mix(hash, element.valueHash) }
      return hash
    case .object:
      return ValueComparison.mix(ValueComparison.hash(ofWord: .object), sumOfMembers)
    }
  }

  /// A sum over the members that count, which does not depend on their order.
  private var sumOfMembers: UInt64 {
    var hashes: [(name: UInt64, member: UInt64)] = []
    for member in members {
      let name = member.nameHash
      hashes.append((name, ValueComparison.mix(name, member.value.valueHash)))
    }
    if hashes.count <= 16 {
      // Looking at all pairs is cheaper than a dictionary for a usual record.
      for index in hashes.indices.reversed() {
        let name = hashes[index].name
        if hashes[(index + 1)...].contains(where: { $0.name == name }) { hashes.remove(at: index) }
      }
      return hashes.reduce(0) { $0 &+ $1.member }
    }
    var last: [UInt64: UInt64] = [:]
    for (name, member) in hashes { last[name] = member }
    return last.values.reduce(0, &+)
  }

  /// The members by name; of several with one name the last.
  package func countingMembers(_ strings: StringComparison = .exact) -> [JSONKey: JSONNode] {
    var counting: [JSONKey: JSONNode] = [:]
    for member in members {
      counting[ValueComparison.key(storage.bytes[member.keyRange], strings)] = member.value
    }
    return counting
  }
}

/// The scalar part of comparing and hashing values.
enum ValueComparison {
  static func key(_ literal: ArraySlice<UInt8>, _ strings: StringComparison) -> JSONKey {
    let key = JSONKey(decoding: literal)
    return strings == .exact ? key : key.replacingLoneSurrogates
  }

  static func sameNumber(
    _ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>, _ numbers: NumberComparison
  ) -> Bool {
    switch numbers {
    case .exact:
      JSONNumber.canonical(left) == JSONNumber.canonical(right)
    case .double:
      JSONText(unchecked: left).doubleValue == JSONText(unchecked: right).doubleValue
    }
  }

  static func hash(ofLiteral literal: ArraySlice<UInt8>) -> UInt64 {
    literal.contains(UInt8(ascii: "\\"))
      ? hash(ofContent: JSONKey(decoding: literal).bytes[...])
      : hash(ofContent: literal.dropFirst().dropLast())
  }

  static func hash(ofContent content: ArraySlice<UInt8>) -> UInt64 {
    XXH3.hash64(content, seed: 1)
  }

  static func hash(ofNumber bytes: ArraySlice<UInt8>) -> UInt64 {
    guard let small = JSONNumber.small(bytes) else {
      return XXH3.hash64(JSONNumber.canonical(bytes), seed: 2)
    }
    let magnitude = mix(small.magnitude, UInt64(bitPattern: Int64(small.exponent)))
    return small.isNegative ? ~magnitude : magnitude
  }

  static func hash(ofWord kind: JSONKind) -> UInt64 {
    mix(0x9E37_79B9_7F4A_7C15, UInt64(kind.rawValue) + 1)
  }

  /// Combines two hashes so that their order matters and every bit counts.
  static func mix(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let product = (left ^ 0xA076_1D64_78BD_642F).multipliedFullWidth(
      by: right ^ left << 1 ^ 0x8EBC_6AF0_9C88_C6E3)
    return product.high ^ product.low
  }
}
