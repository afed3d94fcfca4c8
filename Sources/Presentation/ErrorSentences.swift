package import LosslessJSON

/// The sentences for everything that can go wrong.
package enum ErrorSentences {
  /// A failed call of the system, by the name of its errno.
  package static func system(
    cannot action: String, path: String, errno: String, state: String? = nil
  ) -> Complaint {
    let words = ErrnoWords.words(errno)
    return Complaint(
      code: words.code, cannot: CallWords.verb(action), path, isPath: true, why: words.why,
      state: state ?? "Nothing was changed", hint: words.hint)
  }

  package static func noStore(from directory: String) -> Complaint {
    Complaint(
      code: "no-store", cannot: "find a store from", directory, isPath: true,
      why: "there is no .replicator in it or above it",
      hint: "make one with 'replicator init', or name it with --store")
  }

  package static func noStore(at directory: String) -> Complaint {
    Complaint(
      code: "no-store", cannot: "open the store", directory, isPath: true,
      why: "there is no .replicator in it", hint: "make one with 'replicator init'")
  }

  package static func storeInside(_ outer: String) -> Complaint {
    Complaint(
      code: "store-inside-store", cannot: "make a store inside", outer, isPath: true,
      why: "that is a store already", state: "Nothing was made",
      hint: "use --force if that is wanted")
  }

  package static func boundElsewhere(_ path: String, store: String) -> Complaint {
    Complaint(
      code: "bound-elsewhere", cannot: "bind", path, isPath: true,
      why: "the store '\(store)' has bound it", state: "Nothing was changed",
      hint: "use --force if that is wanted")
  }

  /// A format or feature that this release does not know.
  package static func newerFormat(_ path: String, needs unknown: String) -> Complaint {
    Complaint(
      code: "newer-format", cannot: "use", path, isPath: true,
      why: "it was written in a way that this release does not know",
      state: "Nothing was read or written", hint: "use a newer release, which knows \(unknown)")
  }

  package static func notJSON(_ path: String, _ error: JSONError) -> Complaint {
    var complaint = Complaint(
      code: "not-json", cannot: "read", path, isPath: true,
      why: "it is no JSON at \(error.place): \(words(error))", state: "Nothing was changed",
      hint: looksLikeOtherDialect(error)
        ? "correct the file, or say that its dialect is jsonc or jsonl"
        : "correct the file and try again")
    complaint.jsonError = error
    return complaint
  }

  package static func notUTF8(_ path: String) -> Complaint {
    Complaint(
      code: "path-not-utf8", cannot: "use", path, isPath: true, why: "its name is not UTF-8",
      state: "Nothing was changed", hint: "rename it")
  }

  package static func unknownDocument(_ name: String, known: [String]) -> Complaint {
    Complaint(
      code: "unknown-document", cannot: "find the document", name, why: "the store has none of it",
      hint: known.isEmpty
        ? "bind one with 'replicator add FILE'" : "it has \(known.joined(separator: ", "))")
  }

  package static func unknownCollection(
    _ name: String, of document: String, known: [String]
  ) -> Complaint {
    Complaint(
      code: "unknown-collection", cannot: "find the collection", name,
      why: "the document '\(document)' has none of it",
      hint: "it has \(known.joined(separator: ", "))")
  }

  package static func unknownEntry(_ id: String) -> Complaint {
    Complaint(
      code: "unknown-entry", cannot: "find the entry", id, why: "the history has none of it",
      hint: "see 'replicator log' for the ids")
  }

  package static func busy(_ path: String) -> Complaint {
    Complaint(
      code: "busy", cannot: "lock", path, isPath: true, why: "another process holds it",
      state: "Nothing was changed", hint: "try again")
  }

  package static func internalMistake(_ text: String) -> Complaint {
    Complaint(
      code: "internal", cannot: "go on", why: text, state: "What was acknowledged is on disk",
      hint: "please report this")
  }

  /// Whether comments, commas behind the last child or further lines are what is not accepted.
  private static func looksLikeOtherDialect(_ error: JSONError) -> Bool {
    switch error.reason {
    case .unexpectedByte(UInt8(ascii: "/")), .unexpectedByte(UInt8(ascii: "]")),
      .unexpectedByte(UInt8(ascii: "}")), .trailingContent:
      true
    default: false
    }
  }

  /// Why a text is no JSON, and what would have been.
  package static func words(_ error: JSONError) -> String {
    "\(finding(error)), expected \(error.expected.rawValue)"
  }

  private static func finding(_ error: JSONError) -> String {
    switch error.reason {
    case .unexpectedByte(let byte): "found \(sign(byte))"
    case .endOfInput: "it ends in the middle"
    case .endOfLine: "a line ends in the middle"
    case .trailingContent: "there is text behind its end"
    case .badEscape: "a backslash has no escape behind it"
    case .controlCharacter(let byte):
      "a string has \(sign(byte)), a control character that must be escaped"
    case .invalidUTF8: "a string is not UTF-8"
    case .badNumber: "a number is written wrongly"
    case .depthLimit(let limit): "it is nested deeper than \(limit)"
    case .sizeLimit: "it is larger than this release can read"
    case .unterminatedComment: "a comment has no end"
    case .badPointer: "a JSON Pointer is written wrongly"
    }
  }

  private static func sign(_ byte: UInt8) -> String {
    if (0x21...0x7E).contains(byte) { return "'\(Character(UnicodeScalar(byte)))'" }
    let digits = String(byte, radix: 16, uppercase: true)
    return "the byte 0x" + (digits.utf8.count < 2 ? "0" : "") + digits
  }
}
