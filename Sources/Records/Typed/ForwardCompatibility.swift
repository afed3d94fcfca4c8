import FoundationEssentials
import LosslessJSON

/// What a record type would do to the work of later releases.
public struct ForwardCompatibilityError: Error, Sendable, CustomStringConvertible {
  /// One thing that goes wrong.
  public struct Violation: Sendable, Hashable, CustomStringConvertible {
    /// Which of the fixtures showed it, from 0.
    public let fixture: Int
    /// The field, as a JSON Pointer; empty for the record as a whole.
    public let path: String
    /// Half a sentence.
    public let finding: String

    /// A sentence for test reports.
    public var description: String { "fixture \(fixture), '\(path)': \(finding)" }
  }

  /// In the order in which they were found; never empty.
  public let violations: [Violation]

  /// A line for each.
  public var description: String { violations.map(\.description).joined(separator: "\n") }
}

/// Checks that a record type keeps what later releases write; for the tests of an application.
///
/// Each fixture, a record as this release writes it, is turned into records from the future: unknown
/// members with a scalar, a nested object and a number of 20 digits, in the record and in each object
/// inside it, and raw values that no release knows yet. Then the record goes full circle, each field
/// is written back, set and removed, and nothing else may change by a byte.
/// ```swift
/// try assertForwardCompatible(Bookmark.self, fixtures: [#"{"id": "a", "title": "Swift"}"#])
/// ```
/// - Throws: `ForwardCompatibilityError` with everything that was found; `RecordError` where a fixture is no
///   JSON.
public func assertForwardCompatible<Record: ForwardCompatibleRecord>(
  _ type: Record.Type, fixtures: [String]
) throws {
  var check = CompatibilityCheck<Record>()
  if RecordInspection.fields(of: type).isEmpty { check.note("", "the type has no fields") }
  if fixtures.isEmpty { check.note("", "there is no fixture") }
  for (number, fixture) in fixtures.enumerated() {
    check.fixture = number
    try check.run(try RawJSON(parsing: fixture))
  }
  if !check.violations.isEmpty {
    throw ForwardCompatibilityError(violations: check.violations)
  }
}

private struct CompatibilityCheck<Record: ForwardCompatibleRecord> {
  var fixture = 0
  var violations: [ForwardCompatibilityError.Violation] = []

  mutating func note(_ path: String, _ finding: String) {
    violations.append(.init(fixture: fixture, path: path, finding: finding))
  }

  mutating func run(_ present: RawJSON) throws {
    guard let record = Record(json: present) else { return note("", "it is no object") }
    for problem in record.problems { note(problem.path, "the type cannot read what stands there") }
    for unknown in record.unknownFields {
      note(unknown.path, "the type does not know it; a fixture is a record of this release")
    }
    let future = Self.future(present)
    fullCircle(future)
    try throughCoders(future)
    for field in RecordInspection.fields(of: Record.self) {
      let name = field.key.string
      guard let value = present[member: name], value.kind != .null else { continue }
      writeBack(field, name, present: value, future: Self.future(value))
      leavesOthers(name, future)
    }
  }

  /// The value as a later release may write it: every object has more members.
  private static func future(_ json: RawJSON) -> RawJSON {
    var result = json
    for name in json.memberNames {
      guard let value = json[member: name] else { continue }
      let later = future(value)
      if later != value { result[member: name] = later }
    }
    if json.kind == .object {
      for (name, text) in FutureMembers.all {
        // Texts of our own making are JSON.
        result[member: name] = try? RawJSON(parsing: text)
      }
    }
    guard let elements = json.elements, elements.contains(where: { $0.kind == .object }) else {
      return result
    }
    return RawJSON(elements.map { future($0) })
  }

  private mutating func fullCircle(_ future: RawJSON) {
    guard let record = Record(json: future) else {
      return note("", "a record with unknown members cannot be read")
    }
    if record.raw != future { note("", "reading and writing changes bytes") }
    for problem in record.problems {
      note(problem.path, "it cannot be read beside unknown members")
    }
  }

  private mutating func throughCoders(_ future: RawJSON) throws {
    guard let record = Record(json: future) else { return }
    let copy = try JSONDecoder().decode(Record.self, from: try JSONEncoder().encode(record))
    if !copy.raw.hasSameValue(as: future) { note("", "its Codable conformance loses something") }
  }

  /// A value that is read and written again must still have what the type does not know of it.
  private mutating func writeBack(
    _ field: any AnyField, _ name: String, present: RawJSON, future: RawJSON
  ) {
    let path = "/" + name
    if let again = field.rewritten(present), !again.hasSameValue(as: present) {
      note(path, "written back it is another value")
    }
    if let again = field.rewritten(future), !again.hasSameValue(as: future) {
      note(path, "written back it has lost unknown members")
    }
    let unknown = RawJSON("value-of-a-later-release")
    if present.kind == .string, let again = field.rewritten(unknown), again != unknown {
      note(path, "an unknown raw value becomes \(again.text)")
    }
  }

  /// An edit of one field must not touch another member.
  private mutating func leavesOthers(_ name: String, _ future: RawJSON) {
    guard var record = Record(json: future) else { return }
    record.raw[member: name] = nil
    for other in future.memberNames where !other.utf8.elementsEqual(name.utf8) {
      if record.raw[member: other] != future[member: other] {
        note("/" + other, "it changes when '\(name)' is removed")
      }
    }
  }
}

/// What later releases may add to any object.
private enum FutureMembers {
  static let all = [
    ("x-later-scalar", "true"),
    ("x-later-object", #"{"deep": {"list": [1, null, {"a": "\u00e9"}]}}"#),
    ("x-later-number", "98765432109876543210"),
  ]
}
