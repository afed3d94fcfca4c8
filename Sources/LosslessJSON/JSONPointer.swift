/// A place in a document as RFC 6901 names it: the member names and array indices on the way.
package struct JSONPointer: Hashable, Sendable {
  /// The decoded steps, from the root on; an array index is its decimal digits.
  package var tokens: [JSONKey]

  /// The pointer to the whole document.
  package static let root = JSONPointer([])

  package init(_ tokens: [JSONKey]) {
    self.tokens = tokens
  }

  /// Reads the text form: empty, or `/` before each token, with `~0` for `~` and `~1` for `/`.
  ///
  /// - Throws: `badPointer` with the offset of the offending byte.
  package init(parsing text: String) throws(JSONError) {
    try self.init(parsing: Array(text.utf8))
  }

  /// Reads the text form from WTF-8, so that names with lone surrogates come back.
  ///
  /// - Throws: `badPointer` with the offset of the offending byte.
  package init(parsing bytes: [UInt8]) throws(JSONError) {
    tokens = []
    var token: [UInt8]?
    var index = 0
    while index < bytes.count {
      switch (bytes[index], token) {
      case (UInt8(ascii: "/"), let finished):
        if let finished { tokens.append(JSONKey(uncheckedWTF8: finished)) }
        token = []
      case (UInt8(ascii: "~"), .some):
        index += 1
        switch index < bytes.count ? bytes[index] : 0 {
        case UInt8(ascii: "0"): token?.append(UInt8(ascii: "~"))
        case UInt8(ascii: "1"): token?.append(UInt8(ascii: "/"))
        default: throw JSONPointer.bad(bytes, at: index)
        }
      case (let byte, .some):
        token?.append(byte)
      case (_, nil):
        throw JSONPointer.bad(bytes, at: index)
      }
      index += 1
    }
    if let token { tokens.append(JSONKey(uncheckedWTF8: token)) }
  }

  private static func bad(_ bytes: [UInt8], at offset: Int) -> JSONError {
    JSONError(
      JSONFault(reason: .badPointer, expected: .pointer, offset: offset), in: bytes)
  }

  package var isRoot: Bool { tokens.isEmpty }

  /// The last step, nil for the root.
  package var last: JSONKey? { tokens.last }

  /// The pointer without its last step, nil for the root.
  package var parent: JSONPointer? {
    isRoot ? nil : JSONPointer(Array(tokens.dropLast()))
  }

  /// The pointer one step further.
  package func appending(_ key: JSONKey) -> JSONPointer {
    JSONPointer(tokens + [key])
  }

  /// The pointer to an element of the array at this place.
  package func appending(index: Int) -> JSONPointer {
    appending(JSONKey(String(index)))
  }

  /// The pointer that first goes here and then on along the other.
  package func appending(_ other: JSONPointer) -> JSONPointer {
    JSONPointer(tokens + other.tokens)
  }

  /// Whether the other pointer leads here or to a container around this place.
  package func hasPrefix(_ other: JSONPointer) -> Bool {
    tokens.starts(with: other.tokens)
  }

  /// The text form as bytes, in which lone surrogates of names survive as WTF-8.
  package var bytes: [UInt8] {
    var output: [UInt8] = []
    for token in tokens {
      output.append(UInt8(ascii: "/"))
      for byte in token.bytes {
        switch byte {
        case UInt8(ascii: "~"): output += [byte, UInt8(ascii: "0")]
        case UInt8(ascii: "/"): output += [UInt8(ascii: "~"), UInt8(ascii: "1")]
        default: output.append(byte)
        }
      }
    }
    return output
  }
}

extension JSONPointer: Comparable {
  /// Orders token by token; a container comes before what is in it.
  package static func < (left: JSONPointer, right: JSONPointer) -> Bool {
    left.tokens.lexicographicallyPrecedes(right.tokens)
  }
}

extension JSONPointer: CustomStringConvertible {
  /// The text form; lone surrogates of names are shown as U+FFFD.
  package var description: String {
    JSONKey(uncheckedWTF8: bytes).string
  }
}

extension JSONKey {
  /// The array index that this token spells: decimal digits without a leading zero.
  package var arrayIndex: Int? {
    guard let first = bytes.first, bytes.count <= 18,
      bytes.count == 1 || first != UInt8(ascii: "0")
    else { return nil }
    var index = 0
    for byte in bytes {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      index = index * 10 + Int(byte - UInt8(ascii: "0"))
    }
    return index
  }
}
