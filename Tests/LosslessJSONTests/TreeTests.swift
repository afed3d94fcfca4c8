import LosslessJSON
import Testing

@Suite struct TreeTests {
  @Test func `nodes know kind, place and text`() throws {
    let source = " {\"a\": [1, \"x\\n\", true, false, null, {}], \"b\": -2.50}\n"
    let tree = try parse(source)
    let array = try #require(tree.node(at: path("/a")))
    #expect(tree.root.kind == .object)
    #expect(array.elements.map(\.kind) == [.number, .string, .true, .false, .null, .object])
    #expect(
      array.elements.map { text($0.text.bytes) } == [
        "1", "\"x\\n\"", "true", "false", "null", "{}",
      ])
    #expect(try text(tree.bytes[#require(tree.root.member("b")).range]) == "-2.50")
    #expect(tree.root.childCount == 2)
    #expect(array.childCount == 6)
    #expect(array.elements.map(\.isEmpty) == [false, false, false, false, false, true])
    #expect(tree.root.members.map { text($0.keyText.bytes) } == ["\"a\"", "\"b\""])
    let last = try #require(Array(tree.root.members).last)
    #expect(text(tree.bytes[last.range]) == "\"b\": -2.50")
  }

  @Test func `a tree of a slice shares its buffer and its indices`() throws {
    let buffer = bytes("xx[1,{\"k\":2}]yy")
    let tree = try JSONTree(parsing: buffer[2..<13])
    let node = try #require(tree.node(at: path("/1/k")))
    #expect(node.range == 10..<11)
    #expect(node.text.bytes == buffer[10..<11])
    #expect(node.text.bytes.startIndex == 10)
    #expect(node.text.detached.bytes.startIndex == 0)
    #expect(tree.root.range == 2..<13)
  }

  @Test func `a byte order mark is kept beside the value`() throws {
    let tree = try parse("\u{FEFF}{\"a\":1}")
    #expect(tree.bomLength == 3)
    #expect(tree.root.range == 3..<10)
    #expect(try parse("{}").bomLength == 0)
  }

  @Test func `the last of several members with one name counts`() throws {
    let tree = try parse("{\"a\":1,\"b\":2,\"\\u0061\":3,\"a\":4}")
    #expect(tree.root.member("a")?.text == .number(4))
    #expect(tree.root.duplicateMembers.map(\.value.text) == [.number(1), .number(3)])
    #expect(tree.root.childCount == 4)
    #expect(tree.root.countingMembers().mapValues(\.text) == ["a": .number(4), "b": .number(2)])
  }

  @Test func `names are compared by code units`() throws {
    let tree = try parse("{\"\u{E9}\":1,\"e\u{301}\":2,\"\\uD800\":3,\"\\ud83d\\uDE00\":4,\"\":5}")
    #expect(tree.root.member("\u{E9}")?.text == .number(1))
    #expect(tree.root.member("e\u{301}")?.text == .number(2))
    #expect(tree.root.member(JSONKey(decoding: bytes("\"\\ud800\"")))?.text == .number(3))
    #expect(tree.root.member("😀")?.text == .number(4))
    #expect(tree.root.member("")?.text == .number(5))
    #expect(tree.root.member("\u{FFFD}") == nil)
    #expect(tree.root.duplicateMembers.isEmpty)
  }

  @Test(arguments: [
    ("", "{\"a\":[10,{\"b\":20}],\"0\":30,\"x/y\":40,\"m~n\":50,\"\":60}"),
    ("/a", "[10,{\"b\":20}]"),
    ("/a/0", "10"), ("/a/1/b", "20"), ("/0", "30"), ("/x~1y", "40"), ("/m~0n", "50"), ("/", "60"),
  ])
  func `a pointer leads to its value`(place: String, value: String) throws {
    let tree = try parse("{\"a\":[10,{\"b\":20}],\"0\":30,\"x/y\":40,\"m~n\":50,\"\":60}")
    #expect(try tree.node(at: path(place)).map { text($0.text.bytes) } == value)
  }

  @Test(arguments: [
    "/b", "/a/2", "/a/01", "/a/-", "/a/-1", "/a/", "/a/0/0", "/0/0", "/a/9999999999999999999",
  ])
  func `a pointer to nothing gives nil`(place: String) throws {
    let tree = try parse("{\"a\":[10,{\"b\":20}],\"0\":30}")
    #expect(try tree.node(at: path(place)) == nil)
  }

  @Test func `a tape of more words than guessed grows`() throws {
    let source = "[" + String(repeating: "[],", count: 1000) + "0]"
    let tree = try parse(source)
    #expect(tree.root.childCount == 1001)
    #expect(tree.root.element(1000)?.text == .number(0))
    #expect(tree.root.element(1001) == nil)
    #expect(tree.root.element(-1) == nil)
  }
}
