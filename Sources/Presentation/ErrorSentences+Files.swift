/// Sentences for files that are not as they must be.
extension ErrorSentences {
  package static func configuration(_ path: String, why: String) -> Complaint {
    Complaint(
      code: "configuration", cannot: "use the configuration", path, isPath: true, why: why,
      state: "Nothing was changed", hint: "correct it and try again")
  }

  package static func damagedFile(
    _ path: String, finding: String, hint: String = "see 'replicator verify'"
  ) -> Complaint {
    Complaint(
      code: "damaged", cannot: "use", path, isPath: true, why: finding,
      state: "It was left as it is", hint: hint)
  }

  package static func notRegular(_ path: String, kind: String) -> Complaint {
    Complaint(
      code: "not-a-file", cannot: "use", path, isPath: true,
      why: "it is no file but a \(kind)",
      state: "Nothing was changed", hint: "name a file")
  }

  package static func tooLarge(
    _ path: String, sizeBytes: UInt64, limitBytes: UInt64
  ) -> Complaint {
    Complaint(
      code: "too-large", cannot: "read", path, isPath: true,
      why: "it has \(sizeBytes) bytes, and the limit of this release is \(limitBytes)",
      state: "Nothing was changed")
  }

  package static func unstable(_ path: String, attempts: Int) -> Complaint {
    Complaint(
      code: "unstable", cannot: "read", path, isPath: true,
      why: "it changed during each of \(attempts) attempts", state: "Nothing was changed",
      hint: "try again when its writer is done")
  }

  package static func badName(_ name: String) -> Complaint {
    Complaint(
      code: "bad-name", cannot: "use the name", name, why: "it cannot be a name in a store",
      state: "Nothing was changed", hint: "use letters, digits, '.', '_' and '-'")
  }

  /// A document that `sync` could not bring up to date.
  package static func notUpToDate(
    _ path: String, why: String, isBusy: Bool, hint: String? = nil
  ) -> Complaint {
    Complaint(
      code: isBusy ? "busy" : "not-up-to-date", cannot: "bring up to date", path, isPath: true,
      why: why, state: "The file is as it was, and what was written stays in the log",
      hint: hint
        ?? (isBusy
          ? "try again" : "put that right and run 'replicator sync' again"))
  }

  /// Members that are kept in the file alone.
  package static func notWrittenHere(
    _ path: String, why: String, restIsStored: Bool
  ) -> Complaint {
    Complaint(
      code: "not-written", cannot: "write members that stay in", path, isPath: true, why: why,
      state: restIsStored
        ? "They were not changed; what else was asked for is stored" : "Nothing was changed",
      hint: "put that right and try again")
  }

  /// A rewrite that was not merged because it would delete very much.
  package static func held(_ entry: EntryView, _ words: EntryWords) -> Complaint {
    Complaint(
      code: "held", cannot: "merge a rewrite of", entry.document ?? "",
      why: "it \(words.reason(ofHold: entry))",
      state: "It is held in \(words.setAside(entry)), and the document keeps what it had",
      hint: "'replicator accept \(entry.id)' applies it, 'replicator dismiss \(entry.id)' does not")
  }

  /// Bytes that were no document.
  package static func setAside(_ entry: EntryView, _ words: EntryWords) -> Complaint {
    let bytes =
      entry.bytes == nil ? "" : "Its bytes lie in \(words.setAside(entry)), and the "
    return Complaint(
      code: "unreadable", cannot: "merge a rewrite of", entry.document ?? "",
      why: entry.rule ?? "it is no JSON",
      state: (bytes.isEmpty ? "The " : bytes) + "last good document was written again",
      hint: bytes.isEmpty
        ? nil
        : "correct a copy and run 'replicator import COPY --into \(entry.document ?? "DOC")'")
  }

  package static func logsMissing(_ why: String) -> Complaint {
    Complaint(
      code: "logs-missing", cannot: "go on with the document", why: why,
      state: "The document was left as it is", hint: "wait for them, or copy nodes/ again")
  }
}
