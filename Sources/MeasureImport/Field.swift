import LosslessJSON

/// A member of the simulated records.
enum Field: Int, CaseIterable {
  /// Few values, so that equal ones say little.
  case name
  /// Nearly every value is new.
  case address
  case port
  /// An open enum: old programs know two of its values.
  case kind
  case isFavourite
  /// A number that binary64 cannot hold.
  case big
  /// Old programs drop this one.
  case note
  case optionKnown
  /// Old programs drop this one, inside an object that they know.
  case optionNote

  var pointer: JSONPointer { Self.pointers[rawValue] }

  private static let pointers: [JSONPointer] = [
    JSONPointer(["name"]), JSONPointer(["address"]), JSONPointer(["port"]), JSONPointer(["kind"]),
    JSONPointer(["favourite"]), JSONPointer(["big"]), JSONPointer(["note"]),
    JSONPointer(["option", "known"]), JSONPointer(["option", "note"]),
  ]

  static let ofOldPrograms: Set<Field> = [
    .name, .address, .port, .kind, .isFavourite, .big, .optionKnown,
  ]

  /// Members that a record can be without.
  static let optional: [Field] = [.address, .port, .note, .optionKnown, .optionNote]

  static let fallbackKind = JSONText(unchecked: Array("\"ssh\"".utf8))
  static let kindsOfOldPrograms = [fallbackKind, JSONText(unchecked: Array("\"telnet\"".utf8))]
  static let filledPort = JSONText.number(22)

  /// A value for the field; `fresh` counts the values made, for those that are never equal.
  func value(_ chance: inout Chance, fresh: Int) -> JSONText {
    switch self {
    case .name: .string("n\(chance.below(6))")
    case .address: .string("a\(fresh)")
    case .port: .number([22, 80, 443, 2222, 8080, 9000][chance.below(6)])
    case .kind: .string(["ssh", "telnet", "mosh", "vnc"][chance.below(4)])
    case .isFavourite: .bool(chance.happens(percent: 50))
    case .big: .number(9_007_199_254_740_993 + 2 * chance.below(500))
    case .note: .string("x\(chance.below(3) == 0 ? chance.below(4) : fresh)")
    case .optionKnown: .string("k\(chance.below(4))")
    case .optionNote: .string("u\(fresh)")
    }
  }

  /// The number as a program holds it that reads numbers as binary64.
  static func rounded(_ text: JSONText) -> JSONText {
    guard let value = text.doubleValue, let whole = Int(exactly: value) else { return text }
    return .number(whole)
  }
}
