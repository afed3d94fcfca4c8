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
    Complaint(
      code: "not-json", cannot: "read", path, isPath: true,
      why: "it is no JSON at line \(error.line), column \(error.column): \(words(error))",
      state: "Nothing was changed", hint: "correct the file and try again")
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

  /// Why a text is no JSON.
  package static func words(_ error: JSONError) -> String {
    let expected = "expected \(error.expected.rawValue)"
    switch error.reason {
    case .unexpectedByte(let byte):
      return "found \(sign(byte)), \(expected)"
    case .endOfInput: return "it ends in the middle, \(expected)"
    case .endOfLine: return "a line ends in the middle, \(expected)"
    case .trailingContent: return "there is text behind its end"
    case .badEscape: return "a backslash has no escape behind it"
    case .controlCharacter(let byte):
      return "a string has \(sign(byte)), a control character that must be escaped"
    case .invalidUTF8: return "a string is not UTF-8"
    case .badNumber: return "a number is written wrongly, \(expected)"
    case .depthLimit(let limit): return "it is nested deeper than \(limit)"
    case .sizeLimit: return "it is larger than this release can read"
    case .unterminatedComment: return "a comment has no end"
    case .badPointer: return "a JSON Pointer is written wrongly, \(expected)"
    }
  }

  private static func sign(_ byte: UInt8) -> String {
    if (0x21...0x7E).contains(byte) { return "'\(Character(UnicodeScalar(byte)))'" }
    let digits = String(byte, radix: 16, uppercase: true)
    return "the byte 0x" + (digits.utf8.count < 2 ? "0" : "") + digits
  }
}
