/// A decoded JSON string: a member name, or the content of a string value.
///
/// The bytes are WTF-8: UTF-8 in which a lone surrogate, which JSON can spell as an escape, is a
/// three-byte sequence. A surrogate pair is always the four bytes of its character, so equal bytes
/// mean equal code units. There is no Unicode normalisation: "é" precomposed and decomposed differ.
package struct JSONKey: Hashable, Sendable {
  /// The content as WTF-8.
  package let bytes: [UInt8]

  /// The key with this content.
  package init(_ string: String) {
    bytes = Array(string.utf8)
  }

  /// The content of a string literal, quotes included, that a parser has accepted.
  ///
  /// Text that is no valid literal gives an unspecified key, but never traps.
  package init(decoding literal: some Collection<UInt8>) {
    bytes = JSONStringCoding.decode(literal)
  }

  /// The key with this content, which must be WTF-8 without an encoded surrogate pair.
  package init(uncheckedWTF8 bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The shortest JSON spelling, quotes included; lone surrogates are escaped.
  package var literal: [UInt8] {
    JSONStringCoding.encode(bytes, escapingNonASCII: false, escapingSlash: false)
  }

  /// The content for people: each lone surrogate is shown as U+FFFD.
  package var string: String {
    String(decoding: replacingLoneSurrogates.bytes, as: UTF8.self)
  }

  /// Whether the content has a surrogate without its other half.
  package var hasLoneSurrogate: Bool {
    var iterator = bytes.makeIterator()
    while let byte = iterator.next() {
      if byte == 0xED, let next = iterator.next(), next >= 0xA0 { return true }
    }
    return false
  }

  /// The same content with U+FFFD for each lone surrogate, as lossy decoders see it.
  package var replacingLoneSurrogates: JSONKey {
    guard hasLoneSurrogate else { return self }
    var replaced = bytes
    var index = 0
    while index + 2 < replaced.count {
      if replaced[index] == 0xED && replaced[index + 1] >= 0xA0 {
        replaced[index] = 0xEF
        replaced[index + 1] = 0xBF
        replaced[index + 2] = 0xBD
        index += 3
      } else {
        index += 1
      }
    }
    return JSONKey(uncheckedWTF8: replaced)
  }
}

extension JSONKey {
  package func hash(into hasher: inout Hasher) {
    // In one piece; the hash of an array feeds byte by byte.
    bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
  }
}

extension JSONKey: Comparable {
  /// Orders by bytes, which is the order of code points.
  package static func < (left: JSONKey, right: JSONKey) -> Bool {
    left.bytes.lexicographicallyPrecedes(right.bytes)
  }
}

extension JSONKey: ExpressibleByStringLiteral {
  package init(stringLiteral value: String) {
    self.init(value)
  }
}

extension JSONKey: CustomStringConvertible {
  package var description: String { string }
}
