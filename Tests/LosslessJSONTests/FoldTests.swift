import LosslessJSON
import Testing

@Suite struct FoldTests {
  private static let texts = [
    " {\"a\": [1, {\"b\": {\"c\": [null, {}]}, \"b\": 2}, []], \"d\": {\"e\": {\"f\": \"x\\n\"}}}\n",
    "[[[[]]], {}, [1, [2, [3, [4]]]], \"s\", {\"k\": [{\"\\u00e9\": 1.0}]}]", "7", "{}",
    "[{\"a\":[]},{\"a\":[0]}]",
    "[{\"a\": 1, \"b\": {}, \"a\": \"\\n\"}, {}, {\"\": null, \"b\": 0}]",
    "[{\"\\u0061\": 1, \"a\": 2}, {\"a\": 2, \"\\u0061\": 1}, {\"a\": 2, \"a\": [3]}, {\"b\": {\"a\": 1}}]",
  ]

  @Test func `a folded list of strings is the same list`() throws {
    let folded = try JSONTree(
      parsing: bytes(##"[["a", "\u00e9", ""], [], ["a", 1], {"a": "b"}]"##), foldDepth: 1)
    #expect(folded.root.elements.map(\.strings) == [["a", "é", ""], [], nil, nil])
    #expect(folded.root.strings == nil)
  }

  @Test(arguments: texts, [1, 2, 3, 4])
  func `a folded document has the same values at the same places`(
    source: String, depth: Int
  ) throws {
    let buffer = bytes("xx" + source)
    let plain = try JSONTree(parsing: buffer[2...])
    let folded = try JSONTree(parsing: buffer[2...], foldDepth: depth)
    expectSame(plain.root, folded.root)
    for key in ["a", "b", "e", "é", ""] {
      let kept = try JSONTree(parsing: buffer[2...], foldDepth: depth, foldKey: JSONKey(key))
      expectSame(plain.root, kept.root)
    }
    #expect(folded.root.valueHash == plain.root.valueHash)
    #expect(folded.root.hasSameValue(as: plain.root))
  }

  private func expectSame(_ one: JSONNode, _ other: JSONNode) {
    #expect(one.kind == other.kind && one.range == other.range && one.text == other.text)
    #expect(one.isEmpty == other.isEmpty && one.isOnOneLine == other.isOnOneLine)
    #expect(one.childCount == other.childCount)
    for (left, right) in zip(one.members, other.members) {
      #expect(left.key == right.key && left.range == right.range)
      expectSame(left.value, right.value)
      #expect(one.member(left.key)?.range == other.member(left.key)?.range)
    }
    for (left, right) in zip(one.elements, other.elements) { expectSame(left, right) }
    expectUnfolded(one, other.unfolded)
  }

  private func expectUnfolded(_ one: JSONNode, _ other: JSONNode) {
    #expect(one.range == other.range && one.text == other.text)
    #expect(one.duplicateMembers.map(\.range) == other.duplicateMembers.map(\.range))
  }

  @Test func `lines fold from the first level on`() throws {
    let source = "{\"a\":[1,{}]}\n\n[2,[3]]\n"
    let plain = try parse(source, .jsonl)
    let folded = try JSONTree(parsing: bytes(source), dialect: .jsonl, foldDepth: 1)
    expectSame(plain.root, folded.root)
  }

  @Test func `a folded document is edited like any other`() throws {
    let source = "{\"a\": [{\"b\": 1}, {\"b\": 2}]}"
    let folded = try JSONTree(parsing: bytes(source), foldDepth: 2)
    let edited = try folded.applying([.replace(path("/a/1/b"), with: .number(3))])
    #expect(text(edited) == "{\"a\": [{\"b\": 1}, {\"b\": 3}]}")
  }

  @Test(arguments: ["{\"a\":[{\"b\":1,}]}", "{\"a\":[{\"b\":[1}]}", "{\"a\":[{\"b\":tru}]}"])
  func `what is folded is checked all the same`(source: String) throws {
    let plain = #expect(throws: JSONError.self) { try parse(source) }
    let folded = #expect(throws: JSONError.self) {
      try JSONTree(parsing: bytes(source), foldDepth: 2)
    }
    #expect(plain == folded)
  }
}
