import LosslessJSON
import Testing

/// The dialect `jsonl`: a value on each line.
@Suite struct LinesTests {
  @Test(arguments: [
    "1", "1\n", "{}\n{}\n", "{}\n{}", "{\"a\":1}\r\n[2]\r\n", "\n\n1\n\n2\n\n", " 1 \n\t2\t\n",
    "\u{FEFF}1\n2\n", "\n", " \r\n", "\"\\n\"\n\"é\"\n",
  ])
  func `lines are accepted and kept to the byte`(source: String) throws {
    let tree = try parse(source, .jsonl)
    #expect(text(tree.bytes) == source)
    #expect(text(try tree.applying([])) == source)
    let values = source.split(whereSeparator: \.isNewline)
      .map { $0.filter { !" \t\u{FEFF}".contains($0) } }.filter { !$0.isEmpty }
    #expect(tree.root.elements.map(\.text.description) == values)
    #expect(tree.root.kind == .array && tree.hasLines)
  }

  @Test(arguments: [
    ("", JSONError.Reason.endOfInput, 0, 1), ("\u{FEFF}", .endOfInput, 3, 1),
    ("1\n{\"a\":\n1}\n", .endOfLine, 7, 2), ("1\n{\"a", .endOfInput, 5, 2),
    ("1 2\n", .trailingContent, 2, 1), ("1\n2,\n", .trailingContent, 3, 2),
    ("[1,\n2]\n", .endOfLine, 3, 1), ("1\n\"a\nb\"", .endOfLine, 4, 2),
    ("1\r2\n", .trailingContent, 2, 2), ("1 // one\n", .trailingContent, 2, 1),
    ("1\nnul\n2\n", .endOfLine, 5, 2), ("1\ntru", .endOfInput, 5, 2),
  ])
  func `what is no line of JSON is rejected where it is`(
    source: String, reason: JSONError.Reason, offset: Int, line: Int
  ) throws {
    let error = try #require(throws: JSONError.self) { try parse(source, .jsonl) }
    #expect(error.reason == reason)
    #expect(error.offset == offset && error.line == line)
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var before: String
    var edits: [JSONEdit]
    var after: String
    var testDescription: String { "\(before) -> \(after)" }

    init(_ before: String, _ edits: [JSONEdit], _ after: String) {
      self.before = before
      self.edits = edits
      self.after = after
    }
  }

  static func value(_ text: String) -> JSONText { JSONText(unchecked: bytes(text)) }

  static let add = JSONEdit.insertElement(in: .root, value: value("9"), at: .last)
  static let addFirst = JSONEdit.insertElement(in: .root, value: value("9"), at: .first)
  static let addSecond = JSONEdit.insertElement(in: .root, value: value("9"), at: .after(0))

  static func remove(_ index: Int) -> JSONEdit { .remove(JSONPointer([JSONKey("\(index)")])) }

  static let cases = [
    Case("1\n2\n", [add], "1\n2\n9\n"), Case("1\n2", [add], "1\n2\n9"), Case("1", [add], "1\n9"),
    Case("1\r\n2\r\n", [add], "1\r\n2\r\n9\r\n"), Case("1\n", [addFirst], "9\n1\n"),
    Case("1\n\n2\n", [addSecond], "1\n9\n\n2\n"), Case("\n", [add], "9\n"),
    Case("1\n2\n3\n", [remove(0)], "2\n3\n"), Case("1\n2\n3\n", [remove(1)], "1\n3\n"),
    Case("1\n2\n3", [remove(2)], "1\n2"), Case("1\n2\n", [remove(0), remove(1)], "\n"),
    Case("1\n2\n", [remove(0), remove(1), add], "9\n"),
    Case("1\n2\n", [.replace(JSONPointer(["1"]), with: value("[\n 3,\n 4\n]"))], "1\n[3, 4]\n"),
    Case(
      "{\"a\":1}\n{\"a\":2}\n",
      [
        .insertMember(
          in: JSONPointer(["1"]), key: "b", keyText: nil, value: value("{\n // c\n \"d\":\"/\"}"),
          at: .last)
      ], "{\"a\":1}\n{\"a\":2,\"b\":{\"d\":\"/\"}}\n"),
    Case(
      "[]\n{\r\"a\":1}\n",
      [.insertElement(in: JSONPointer(["0"]), value: value("2"), at: .last)],
      "[2]\n{\r\"a\":1}\n"),
  ]

  @Test(arguments: cases) func `an edit changes its line and no other`(example: Case) throws {
    let result = try parse(example.before, .jsonl).applying(example.edits)
    #expect(text(result) == example.after)
    _ = try JSONTree(parsing: result, dialect: .jsonl)
  }

  @Test func `lines as a whole cannot be replaced`() throws {
    #expect(throws: JSONEditError.noSuchPlace(.root)) {
      try parse("1\n", .jsonl).applying([.replace(.root, with: Self.value("2"))])
    }
  }

  @Test func `the depth limit counts the list around the lines`() throws {
    let limits = JSONLimits(depthMax: 2)
    _ = try JSONTree(parsing: bytes("[1]\n"), dialect: .jsonl, limits: limits)
    let error = try #require(throws: JSONError.self) {
      try JSONTree(parsing: bytes("[[1]]\n"), dialect: .jsonl, limits: limits)
    }
    #expect(error.reason == .depthLimit(2))
  }
}
