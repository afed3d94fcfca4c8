/// Sentences for files that are not as they must be.
extension ErrorSentences {
  package static func configuration(_ path: String, why: String) -> Complaint {
    Complaint(
      code: "configuration", cannot: "use the configuration", path, isPath: true, why: why,
      state: "Nothing was changed", hint: "correct it and try again")
  }

  package static func damagedFile(_ path: String, finding: String) -> Complaint {
    Complaint(
      code: "damaged", cannot: "use", path, isPath: true, why: finding,
      state: "It was left as it is", hint: "see 'replicator verify'")
  }

  package static func notRegular(_ path: String, kind: String) -> Complaint {
    Complaint(
      code: "not-a-file", cannot: "use", path, isPath: true, why: "it is no file but a \(kind)",
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

  package static func logsMissing(_ writers: [String]) -> Complaint {
    Complaint(
      code: "logs-missing", cannot: "go on with the document",
      why: "the logs of \(writers.joined(separator: ", ")) have not arrived here yet",
      state: "The document was left as it is", hint: "wait for them, or copy nodes/ again")
  }
}
