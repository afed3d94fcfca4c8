import LosslessJSON
import Testing

@Suite struct PointerTests {
  @Test(
    arguments: [
      ("", []), ("/", [""]), ("/a/b", ["a", "b"]), ("/a//b/", ["a", "", "b", ""]),
      ("/~0~1", ["~/"]), ("/~01", ["~1"]), ("/é/😀", ["é", "😀"]), ("/0/-", ["0", "-"]),
      ("/ /\"", [" ", "\""]),
    ] as [(String, [JSONKey])])
  func `a pointer is read and written back`(source: String, tokens: [JSONKey]) throws {
    let pointer = try JSONPointer(parsing: source)
    #expect(pointer.tokens == tokens)
    #expect(pointer.description == source)
    #expect(pointer == JSONPointer(tokens))
  }

  @Test(arguments: [("a", 0), ("a/b", 0), ("~", 0), ("/~", 2), ("/a~2", 3), ("/a/~~", 4)])
  func `a malformed pointer is rejected where it breaks`(source: String, offset: Int) throws {
    let error = try #require(throws: JSONError.self) { try JSONPointer(parsing: source) }
    #expect(error.reason == .badPointer)
    #expect(error.offset == offset)
  }

  @Test func `pointers know what is around them`() throws {
    let place = try path("/a/b")
    #expect(try place.parent == path("/a"))
    #expect(place.last == "b")
    #expect(JSONPointer.root.parent == nil)
    #expect(JSONPointer.root.last == nil)
    #expect(JSONPointer.root.isRoot && !place.isRoot)
    #expect(try place.hasPrefix(.root) && place.hasPrefix(place) && place.hasPrefix(path("/a")))
    #expect(try !place.hasPrefix(path("/a/b/c")) && !place.hasPrefix(path("/b")))
    #expect(try path("/a").appending("b") == place)
    #expect(try path("/a").appending(index: 3).description == "/a/3")
    #expect(JSONPointer.root.appending(place) == place)
    #expect(try path("/a") < place && JSONPointer.root < path("/"))
  }

  @Test func `lone surrogates in names survive the text form`() throws {
    let key = JSONKey(decoding: bytes("\"\\uD800/\\uDC00\""))
    let pointer = JSONPointer([key])
    #expect(try JSONPointer(parsing: pointer.bytes) == pointer)
    #expect(pointer.description == "/\u{FFFD}~1\u{FFFD}")
  }
}
