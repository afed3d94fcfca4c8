import LosslessJSON
import Testing

@Suite struct EditTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var before: String
    var edits: [JSONEdit]
    var after: String
    var testDescription: String { "\(before) → \(after)" }

    init(_ before: String, _ edits: JSONEdit..., to after: String) {
      self.before = before
      self.edits = edits
      self.after = after
    }
  }

  static func place(_ tokens: JSONKey...) -> JSONPointer { JSONPointer(tokens) }

  static func value(_ text: String) -> JSONText { JSONText(unchecked: bytes(text)) }

  static func member(
    _ key: JSONKey, _ text: String, in object: JSONPointer = .root,
    at position: JSONEdit.MemberPosition = .last
  ) -> JSONEdit {
    .insertMember(in: object, key: key, keyText: nil, value: value(text), at: position)
  }

  static func element(
    _ text: String, in array: JSONPointer = .root, at position: JSONEdit.ElementPosition = .last
  ) -> JSONEdit {
    .insertElement(in: array, value: value(text), at: position)
  }

  static func check(_ example: Case, _ dialect: JSONDialect) throws {
    let result = try parse(example.before, dialect).applying(example.edits)
    #expect(text(result) == example.after)
    _ = try JSONTree(parsing: result, dialect: dialect)
  }

  // MARK: - Replace and remove

  static let replacements: [Case] = [
    .init(" 1 ", .replace(.root, with: value("2.0")), to: " 2.0 "),
    .init("\u{FEFF}1\r\n", .replace(.root, with: value("[]")), to: "\u{FEFF}[]\r\n"),
    .init(
      "{ \"a\" : 1.0 ,\"b\":[1, 2 ]}", .replace(place("b", "1"), with: value("x")),
      .replace(place("a"), with: value("\"\\u0041\"")), to: "{ \"a\" : \"\\u0041\" ,\"b\":[1, x ]}"),
    .init("{\"a\":1,\"a\":2}", .replace(place("a"), with: value("3")), to: "{\"a\":1,\"a\":3}"),
    .init("{\"\\u0061\":1}", .replace(place("a"), with: value("3")), to: "{\"\\u0061\":3}"),
    // The later of two edits of one place counts.
    .init(
      "[1]", .replace(place("0"), with: value("2")), .replace(place("0"), with: value("3")),
      to: "[3]"),
    .init(
      "{\"a\":{\"b\":1}}", .replace(place("a", "b"), with: value("2")),
      .replace(place("a"), with: value("{}")), to: "{\"a\":{}}"),
    .init(
      "{\"a\":{\"b\":1}}", .replace(place("a"), with: value("{\"c\": [1]}")),
      .replace(place("a", "c", "0"), with: value("2")), to: "{\"a\":{\"c\": [2]}}"),
    .init(
      "{\"a\":{\"b\":1},\"c\":2}", .replace(place("a", "b"), with: value("2")),
      .remove(place("a")), to: "{\"c\":2}"),
    .init("[1,2]", .replace(place("0"), with: value("9")), .remove(place("0")), to: "[2]"),
    .init(
      "[1,2]", .remove(place("0")), .replace(place("1"), with: value("9")), to: "[9]"),
  ]

  @Test(arguments: replacements)
  func `a value is replaced and nothing else changes`(example: Case) throws {
    if !example.after.contains("x") { try Self.check(example, .json) }
    let result = try parse(example.before).applying(example.edits)
    #expect(text(result) == example.after)
  }

  static let removals: [Case] = [
    .init("[1]", .remove(place("0")), to: "[]"), .init("[ 1 ]", .remove(place("0")), to: "[]"),
    .init("{\n  \"a\": 1\n}\n", .remove(place("a")), to: "{}\n"),
    .init("[1, 2, 3]", .remove(place("0")), to: "[2, 3]"),
    .init("[1, 2, 3]", .remove(place("1")), to: "[1, 3]"),
    .init("[1, 2, 3]", .remove(place("2")), to: "[1, 2]"),
    .init("[1 ,2 ,3 ]", .remove(place("2")), to: "[1 ,2 ]"),
    .init("[1, 2, 3]", .remove(place("0")), .remove(place("1")), to: "[3]"),
    .init("[1, 2, 3]", .remove(place("1")), .remove(place("2")), to: "[1]"),
    .init(
      "[1, 2, 3]", .remove(place("2")), .remove(place("0")), .remove(place("1")), to: "[]"),
    .init(
      "{\r\n\t\"a\": 1,\r\n\t\"b\": 2,\r\n\t\"c\": 3\r\n}", .remove(place("c")),
      to: "{\r\n\t\"a\": 1,\r\n\t\"b\": 2\r\n}"),
    .init(
      "{\n  \"a\": 1,\n\n  \"b\": 2,\n  \"c\": 3\n}", .remove(place("a")),
      to: "{\n  \"b\": 2,\n  \"c\": 3\n}"),
    .init("[1,   2, 3]", .remove(place("1")), to: "[1, 3]"),
    .init("[1,\n 2, 3]", .remove(place("1")), to: "[1,\n 3]"),
    .init("{\n  \"a\": 1\n, \"b\": 2\n}", .remove(place("b")), to: "{\n  \"a\": 1\n}"),
    .init("{\"a\":1,\"b\":2,\"a\":3}", .remove(place("a")), to: "{\"b\":2}"),
    .init("{\"a\":{\"b\":[1]}}", .remove(place("a", "b", "0")), to: "{\"a\":{\"b\":[]}}"),
  ]

  @Test(arguments: removals)
  func `a child is removed with its comma and white space`(example: Case) throws {
    try Self.check(example, .json)
  }

  // MARK: - Insert

  static let insertions: [Case] = [
    // On one line.
    .init("{\"a\":1}", member("b", "2"), to: "{\"a\":1,\"b\":2}"),
    .init("{\"a\": 1}", member("b", "2"), to: "{\"a\": 1, \"b\": 2}"),
    .init("{ \"a\" : 1 }", member("b", "2"), to: "{ \"a\" : 1, \"b\" : 2 }"),
    .init("{ \"a\": 1 }", member("b", "2", at: .first), to: "{ \"b\": 2, \"a\": 1 }"),
    .init("[1, 2]", element("3"), to: "[1, 2, 3]"), .init("[1,2]", element("3"), to: "[1,2,3]"),
    .init("[1, 2]", element("0", at: .first), to: "[0, 1, 2]"),
    .init("[1 ,2]", element("9", at: .after(0)), to: "[1 ,9 ,2]"),
    .init("[ 1 ]", element("2", at: .after(0)), to: "[ 1,2 ]"),
    // Lines of their own.
    .init("{\n  \"a\": 1\n}\n", member("b", "2"), to: "{\n  \"a\": 1,\n  \"b\": 2\n}\n"),
    .init(
      "{\n\t\"a\" : 1,\n\t\"c\" : 3\n}", member("b", "2", at: .after("a")),
      to: "{\n\t\"a\" : 1,\n\t\"b\" : 2,\n\t\"c\" : 3\n}"),
    .init(
      "{\r\n  \"a\": 1\r\n}", member("b", "2", at: .first),
      to: "{\r\n  \"b\": 2,\r\n  \"a\": 1\r\n}"),
    .init(
      "{\n  \"a\": 1\n, \"b\": 2\n}", member("c", "3"),
      to: "{\n  \"a\": 1\n, \"b\": 2\n, \"c\": 3\n}"),
    .init(
      "[\n{\"id\":1},\n{\"id\":2}\n]", element("{\"id\":3}"),
      to: "[\n{\"id\":1},\n{\"id\":2},\n{\"id\":3}\n]"),
    .init(
      "[{\"id\":1},\n {\"id\":2}]", element("{\"id\":3}"),
      to: "[{\"id\":1},\n {\"id\":2},\n {\"id\":3}]"),
    // Anchors.
    .init("{\"a\":1}", member("b", "2", at: .after("nobody")), to: "{\"a\":1,\"b\":2}"),
    .init(
      "{\"a\":1,\"z\":9}", member("b", "2", at: .after("a")), member("c", "3", at: .after("a")),
      to: "{\"a\":1,\"b\":2,\"c\":3,\"z\":9}"),
    .init(
      "{\"a\":1,\"z\":9}", member("b", "2", at: .after("a")), member("d", "4", at: .after("a")),
      member("c", "3", at: .after("b")), to: "{\"a\":1,\"b\":2,\"c\":3,\"d\":4,\"z\":9}"),
    .init(
      "{\"a\":1}", member("x", "0"), member("b", "2", at: .after("a")),
      to: "{\"a\":1,\"b\":2,\"x\":0}"),
    .init(
      "{\"a\":1,\"b\":2,\"c\":3}", .remove(place("b")), member("n", "0", at: .after("b")),
      to: "{\"a\":1,\"n\":0,\"c\":3}"),
    .init("[1, 2, 3]", .remove(place("1")), element("9", at: .after(1)), to: "[1, 9, 3]"),
    .init(
      "{\"a\":1,\"b\":2,\"a\":3}", member("c", "4", at: .after("a")),
      to: "{\"a\":1,\"b\":2,\"a\":3,\"c\":4}"),
    .init(
      "{\"a\":1,\"b\":2,\"a\":3}", .remove(place("a")), member("a", "3", at: .after("a")),
      to: "{\"a\":3,\"b\":2}"),
    .init("[1,2]", element("3", at: .after(7)), element("4", at: .last), to: "[1,2,3,4]"),
    // A name that is there gets the value.
    .init("{\"a\":1}", member("a", "2", at: .first), to: "{\"a\":2}"),
    .init("{}", member("a", "1"), member("a", "2"), to: "{\"a\":2}"),
    .init("{\"a\":1,\"b\":2}", .remove(place("a")), member("a", "3"), to: "{\"b\":2,\"a\":3}"),
    .init("{\"a\":1}", .remove(place("a")), member("a", "3"), to: "{\"a\":3}"),
    .init("{\n \"a\": 1\n}", .remove(place("a")), member("b", "3"), to: "{\n \"b\": 3\n}"),
    .init("{\"a\":1}", member("b", "2"), .remove(place("b")), to: "{\"a\":1}"),
    .init(
      "{\"a\":1}", member("b", "{}"), .replace(place("b"), with: value("3")),
      to: "{\"a\":1,\"b\":3}"),
    .init(
      "{\"a\":1}", member("b", "{\"c\": 1}"), member("d", "2", in: place("b")),
      to: "{\"a\":1,\"b\":{\"c\": 1, \"d\": 2}}"),
    .init(
      "{\"a\":1}",
      .insertMember(
        in: .root, key: "é", keyText: value("\"\\u00e9\""), value: .null, at: .last),
      to: "{\"a\":1,\"\\u00e9\":null}"),
    .init(
      "[1]", .insertElement(in: .root, value: value("0"), at: .first),
      .replace(place("0"), with: value("2")), to: "[0,2]"),
  ]

  @Test(arguments: insertions)
  func `a child takes the white space of its neighbours`(example: Case) throws {
    try Self.check(example, .json)
  }

  static let empties: [Case] = [
    .init("{}", member("a", "1"), to: "{\"a\":1}"), .init("[ ]", element("1"), to: "[1]"),
    .init("[]\n", element("1"), element("2"), to: "[1,2]\n"),
    .init(
      "{\n  \"a\": {}\n}", member("b", "1", in: place("a")),
      to: "{\n  \"a\": {\n    \"b\": 1\n  }\n}"),
    .init(
      "{\n\t\"a\" : {},\n\t\"b\" : []\n}", member("c", "1", in: place("a")),
      element("2", in: place("b")), element("3", in: place("b")),
      to: "{\n\t\"a\" : {\n\t\t\"c\" : 1\n\t},\n\t\"b\" : [\n\t\t2,\n\t\t3\n\t]\n}"),
    // Records on one line stay so.
    .init(
      "[\n  { \"id\": 1, \"tags\": {} },\n  { \"id\": 2 }\n]",
      member("a", "1", in: place("0", "tags")),
      to: "[\n  { \"id\": 1, \"tags\": { \"a\": 1 } },\n  { \"id\": 2 }\n]"),
    // An empty container that an edit put there is at its depth.
    .init(
      "{\n  \"a\": 1\n}", member("b", "{}"), member("c", "2", in: place("b")),
      to: "{\n  \"a\": 1,\n  \"b\": {\n    \"c\": 2\n  }\n}"),
    .init(
      "{\n  \"a\": 1\n}", .replace(place("a"), with: value("{}")), member("c", "2", in: place("a")),
      to: "{\n  \"a\": {\n    \"c\": 2\n  }\n}"),
    .init(
      "{\n  \"a\" : [\n\n  ]\n}", element("1", in: place("a")),
      to: "{\n  \"a\" : [\n    1\n  ]\n}"),
  ]

  @Test(arguments: empties)
  func `the first child of a container takes the style of the document`(example: Case) throws {
    try Self.check(example, .json)
  }

  // MARK: - Errors

  @Test func `an edit without a place is an error that names it`() throws {
    let tree = try parse("{\"a\":[1],\"b\":{}}")
    let cases: [([JSONEdit], JSONEditError)] = [
      ([.replace(Self.place("x"), with: .null)], .noSuchPlace(Self.place("x"))),
      ([.replace(Self.place("a", "1"), with: .null)], .noSuchPlace(Self.place("a", "1"))),
      ([.remove(Self.place("b", "x"))], .noSuchPlace(Self.place("b", "x"))),
      ([.remove(.root)], .cannotRemoveRoot),
      ([Self.member("x", "1", in: Self.place("a"))], .notAnObject(Self.place("a"))),
      ([Self.element("1", in: Self.place("b"))], .notAnArray(Self.place("b"))),
      ([.remove(Self.place("a")), .remove(Self.place("a"))], .noSuchPlace(Self.place("a"))),
      (
        [.replace(Self.place("b"), with: .null), Self.member("x", "1", in: Self.place("b"))],
        .notAnObject(Self.place("b"))
      ),
      (
        [.replace(Self.place("b"), with: .emptyObject), .remove(Self.place("b", "y"))],
        .noSuchPlace(Self.place("b", "y"))
      ),
      (
        [
          .replace(Self.place("b"), with: Self.value("{")),
          Self.member("x", "1", in: Self.place("b")),
        ],
        .malformedText(Self.place("b"))
      ),
    ]
    for (edits, expected) in cases {
      let error = try #require(throws: JSONEditError.self) { try tree.applying(edits) }
      #expect(error == expected)
    }
  }
}
