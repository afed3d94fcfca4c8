import LosslessJSON
import Testing

@Suite struct CommentEditTests {
  typealias Case = EditTests.Case

  static let cases: [Case] = [
    // Removing: the comments around stay.
    .init(
      "{\n  \"a\": 1, // a\n  \"b\": 2, // b\n  \"c\": 3 // c\n}", .remove(EditTests.place("b")),
      to: "{\n  \"a\": 1, // a\n  // b\n  \"c\": 3 // c\n}"),
    .init(
      "{\n  \"a\": 1, // a\n  \"b\": 2 // b\n}", .remove(EditTests.place("b")),
      to: "{\n  \"a\": 1 // a\n  // b\n}"),
    .init(
      "{\n  // a\n  \"a\": 1,\n  // b\n  \"b\": 2\n}", .remove(EditTests.place("a")),
      to: "{\n  // a\n  // b\n  \"b\": 2\n}"),
    .init("{ // none\n  \"a\": 1\n}", .remove(EditTests.place("a")), to: "{ // none\n}"),
    .init("[1, /* x */ 2]", .remove(EditTests.place("1")), to: "[1 /* x */]"),
    .init("[/* x */ 1 /* y */]", .remove(EditTests.place("0")), to: "[/* x */ /* y */]"),
    .init("[1,\n // x\n 2]", .remove(EditTests.place("1")), to: "[1\n // x\n]"),
    // Trailing commas stay where they were, and go with the last child.
    .init("[1,2,]", .remove(EditTests.place("1")), to: "[1,]"),
    .init("[1,]", .remove(EditTests.place("0")), to: "[]"),
    .init("{\n  \"a\": 1,\n  \"b\": 2,\n}", .remove(EditTests.place("b")), to: "{\n  \"a\": 1,\n}"),
    // Inserting: a comment on the line of a child stays with it.
    .init(
      "{\n  \"a\": 1, // a\n  \"c\": 3 // c\n}", EditTests.member("b", "2", at: .after("a")),
      to: "{\n  \"a\": 1, // a\n  \"b\": 2,\n  \"c\": 3 // c\n}"),
    .init(
      "{\n  \"a\": 1, // a\n  \"c\": 3 // c\n}", EditTests.member("d", "4"),
      to: "{\n  \"a\": 1, // a\n  \"c\": 3, // c\n  \"d\": 4\n}"),
    .init(
      "{\n  // a\n  \"a\": 1,\n  // b\n  \"b\": 2\n}",
      EditTests.member("n", "0", at: .after("a")),
      to: "{\n  // a\n  \"a\": 1,\n  \"n\": 0,\n  // b\n  \"b\": 2\n}"),
    .init(
      "{ // head\n  \"a\": 1\n}", EditTests.member("n", "0", at: .first),
      to: "{ // head\n  \"n\": 0,\n  \"a\": 1\n}"),
    .init(
      "{\n  \"a\": 1,\n}", EditTests.member("b", "2"), to: "{\n  \"a\": 1,\n  \"b\": 2,\n}"),
    .init(
      "{\n  \"a\": 1, // a\n}", EditTests.member("b", "2"),
      to: "{\n  \"a\": 1, // a\n  \"b\": 2,\n}"),
    .init("[1 /* x */]", EditTests.element("2"), to: "[1,2 /* x */]"),
    .init("[1, /* x */ 2]", EditTests.element("9", at: .after(0)), to: "[1, 9, /* x */ 2]"),
    .init(
      "{\n  \"a\": {\n    // none\n  }\n}", EditTests.member("b", "1", in: EditTests.place("a")),
      to: "{\n  \"a\": {\n    \"b\": 1\n    // none\n  }\n}"),
    .init(
      "{\n  \"a\": /* why */ 1\n}", EditTests.member("b", "2"),
      to: "{\n  \"a\": /* why */ 1,\n  \"b\": 2\n}"),
  ]

  @Test(arguments: cases)
  func `comments near an edit survive`(example: Case) throws {
    try EditTests.check(example, .jsonc)
  }

  /// A gap with white space and perhaps comments, with the comma where one is asked for.
  private static func gap(
    _ comma: String, _ comments: inout Int, _ generator: inout SeededGenerator
  ) -> String {
    func space() -> String {
      var output = generator.pick(["", " ", "\n  ", "\r\n"])
      if generator.chance(30) {
        comments += 1
        output += generator.chance(50) ? "/*<\(comments)>*/" : "//<\(comments)>\n"
        output += generator.pick(["", " "])
      }
      return output
    }
    return space() + comma + space()
  }

  @Test func `whatever is edited, all comments survive and the value is right`() throws {
    for seed in 0..<3000 as Range<UInt64> {
      var generator = SeededGenerator(seed: seed)
      var comments = 0
      let count = generator.below(5)
      var source = "["
      for index in 0..<count {
        source += Self.gap(index > 0 ? "," : "", &comments, &generator) + String(index)
      }
      let trailing = count > 0 && generator.chance(30) ? "," : ""
      source += Self.gap(trailing, &comments, &generator) + "]"

      // The edits and, beside them, what they mean for a list of numbers.
      var edits: [JSONEdit] = []
      var slots: [[Int]] = (0...count).map { $0 == 0 ? [] : [$0 - 1] }
      var next = 10
      for index in 0..<count where generator.chance(40) {
        edits.append(.remove(JSONPointer([JSONKey(String(index))])))
        slots[index + 1].removeFirst()
      }
      var last: [Int] = []
      for _ in 0..<generator.below(4) {
        let anchor = generator.below(count + 2)
        let position: JSONEdit.ElementPosition =
          anchor == 0 ? .first : anchor > count ? .last : .after(anchor - 1)
        edits.append(.insertElement(in: .root, value: .number(next), at: position))
        if anchor > count { last.append(next) } else { slots[anchor].append(next) }
        next += 1
      }
      let result = try parse(source, .jsonc).applying(edits.shuffledStably(&generator))
      let message: Comment = "seed \(seed): \(source) → \(text(result))"
      // A parse error is recorded with the document it came from, which a throw would not name.
      guard let tree = try? JSONTree(parsing: result, dialect: .jsonc) else {
        Issue.record(message)
        continue
      }
      #expect(tree.root.elements.map(\.text.intValue) == slots.flatMap(\.self) + last, message)
      for number in 0..<comments {
        #expect(text(result).contains("<\(number + 1)>"), message)
      }
    }
  }
}

extension [JSONEdit] {
  /// Removals move freely among insertions; insertions keep their order.
  fileprivate func shuffledStably(_ generator: inout SeededGenerator) -> [JSONEdit] {
    var insertions = filter { if case .insertElement = $0 { true } else { false } }
    for removal in self where !insertions.contains(removal) {
      insertions.insert(removal, at: generator.below(insertions.count + 1))
    }
    return insertions
  }
}
