/// What is wrong with a record, all of it.
public struct ValidationError: Error, Hashable, Sendable {
  /// One thing that is wrong; places are JSON Pointers inside the record.
  public enum Issue: Hashable, Sendable {
    /// A field that must be there is absent or empty.
    case missing(String)
    /// A field is of another kind than it can be.
    case unreadable(FieldProblem)
    /// White space or control characters where there can be none.
    case notOneWord(String)
    /// A number beyond what it can be.
    case outOfRange(String, Int, ClosedRange<Int>)
    /// A value stands twice where each can be once.
    case repeated(String, String)
    /// A record names itself where it can name only others.
    case refersToItself(String)
    /// An ISBN with the wrong length, character or check digit.
    case notAnISBN(String, String)
  }

  /// In the order of the fields; never empty.
  public let issues: [Issue]
}

/// Checks that gather what is wrong.
struct Validation {
  private var issues: [ValidationError.Issue]
  private let unreadable: Set<String>

  init(_ record: some ForwardCompatibleRecord) {
    let problems = record.problems
    issues = problems.map { .unreadable($0) }
    unreadable = Set(problems.map(\.path))
  }

  mutating func add(_ issue: ValidationError.Issue) { issues.append(issue) }

  /// What must be there; what cannot be read was reported already.
  mutating func text(_ value: String?, _ path: String) -> String {
    if value?.isEmpty ?? true, !unreadable.contains(path) { add(.missing(path)) }
    return value ?? ""
  }

  mutating func word(_ value: String?, _ path: String) -> String {
    let word = text(value, path)
    if word.unicodeScalars.contains(where: { $0.value <= 0x20 || $0.value == 0x7F }) {
      add(.notOneWord(path))
    }
    return word
  }

  mutating func number(_ value: Int, in range: ClosedRange<Int>, _ path: String) -> Int {
    if !range.contains(value), !unreadable.contains(path) {
      add(.outOfRange(path, value, range))
    }
    return value
  }

  mutating func unique(_ values: [String], _ path: String) -> [String] {
    var seen: Set<[UInt8]> = []
    for value in values where !seen.insert(Array(value.utf8)).inserted {
      add(.repeated(path, value))
    }
    return values
  }

  func finish() throws(ValidationError) {
    if !issues.isEmpty { throw ValidationError(issues: issues) }
  }
}
