/// The six kinds of JSON value, with the two booleans told apart.
package enum JSONKind: UInt8, Sendable, Hashable, CaseIterable {
  case object
  case array
  case string
  case number
  case `true`
  case `false`
  case null

  /// Whether values of this kind hold other values.
  package var isContainer: Bool { self == .object || self == .array }

  /// The kind of value that starts with this byte, or nil where none does.
  init?(firstByte byte: UInt8) {
    switch byte {
    case UInt8(ascii: "{"): self = .object
    case UInt8(ascii: "["): self = .array
    case UInt8(ascii: "\""): self = .string
    case UInt8(ascii: "t"): self = .true
    case UInt8(ascii: "f"): self = .false
    case UInt8(ascii: "n"): self = .null
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): self = .number
    default: return nil
    }
  }
}
