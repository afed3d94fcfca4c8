package import LosslessJSON

/// Sentences for what is not there, or not meant clearly.
extension ErrorSentences {
  package static func ambiguousCollection(of document: String, known: [String]) -> Complaint {
    Complaint(
      code: "ambiguous-collection", cannot: "tell which collection is meant in", document,
      why: "it has \(known.joined(separator: ", "))", hint: "write \(document):COLLECTION/ID")
  }

  package static func unknownRecord(_ id: String, of document: String) -> Complaint {
    Complaint(
      code: "unknown-record", cannot: "find the record", id, why: "'\(document)' has none of it",
      hint: "see 'replicator list \(document)'")
  }

  package static func unknownPath(_ path: String, of record: String) -> Complaint {
    Complaint(
      code: "unknown-record", cannot: "find the field", path,
      why: "'\(record)' has none of it", hint: "see 'replicator get' for the whole record")
  }

  package static func ambiguousEntry(_ id: String) -> Complaint {
    Complaint(
      code: "ambiguous-entry", cannot: "tell which entry is meant by", id,
      why: "several begin like this", hint: "write more of the id")
  }

  package static func unknownClient(_ name: String, known: [String]) -> Complaint {
    Complaint(
      code: "unknown-client", cannot: "use the client profile", name,
      why: "the configuration has none of it", state: "Nothing was changed",
      hint: known.isEmpty ? nil : "it has \(known.joined(separator: ", "))")
  }

  package static func unknownGeneration(
    _ version: String, of document: String, retained: [String]
  ) -> Complaint {
    let kept = retained.joined(separator: ", ")
    return Complaint(
      code: "unknown-generation", cannot: "find \(version) of", document,
      why: "it was never made here, or is no longer kept",
      hint: kept.isEmpty ? "see 'replicator status' for the present one" : "kept are \(kept)")
  }

  package static func notPossible(
    entry: String, kind: String, action: String, why: String
  ) -> Complaint {
    let others = KindWords.commands(for: kind).filter { $0 != action }
    return Complaint(
      code: "not-possible", cannot: action, entry, why: why, state: "Nothing was changed",
      hint: others.isEmpty
        ? "see 'replicator show \(entry)'" : "'\(others.joined(separator: "' or '"))' is possible")
  }

  package static func elsewhere(entry: String) -> Complaint {
    Complaint(
      code: "elsewhere", cannot: "accept", entry,
      why: "the bytes that are held lie on another machine", state: "Nothing was changed",
      hint: "accept it there")
  }

  package static func notJSONValue(_ name: String, _ error: JSONError) -> Complaint {
    var complaint = Complaint(
      code: "not-json", cannot: "set", name,
      why: "what stands behind := is no JSON at \(error.place): \(words(error))",
      state: "Nothing was changed", hint: "write \(name)=text for a string")
    complaint.jsonError = error
    return complaint
  }
}
