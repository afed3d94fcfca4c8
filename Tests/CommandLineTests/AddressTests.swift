import LosslessJSON
import Testing

@testable import replicator

struct AddressTests {
  @Test(arguments: [
    ("hosts", Address.Place.document, []),
    ("hosts:items", .collection("items"), []),
    ("hosts/web1", .record(collection: nil, id: .plain(bytes("web1"))), []),
    ("hosts:items/web1/port", .record(collection: "items", id: .plain(bytes("web1"))), ["port"]),
    ("hosts/#1", .record(collection: nil, id: .number(bytes("1"))), []),
    ("hosts/#-1.5e+3", .record(collection: nil, id: .number(bytes("-1.5e+3"))), []),
    ("hosts/#home", .record(collection: nil, id: .plain(bytes("#home"))), []),
    ("hosts/\"1\"", .record(collection: nil, id: .string(bytes("1"))), []),
    ("hosts/[1,\"a~1b\"]", .record(collection: nil, id: .composite(bytes("[1,\"a/b\"]"))), []),
    ("hosts/a~1b~0c", .record(collection: nil, id: .plain(bytes("a/b~c"))), []),
    ("hosts/a//b", .record(collection: nil, id: .plain(bytes("a"))), ["", "b"]),
    ("hosts/", .record(collection: nil, id: .plain([])), []),
    ("hosts:/schemaVersion", .outside, ["schemaVersion"]),
    ("hosts:", .outside, []),
    ("hosts:/", .outside, []),
    ("hosts:/a/", .outside, ["a", ""]),
    ("hosts/a:b", .record(collection: nil, id: .plain(bytes("a:b"))), []),
  ])
  func `an address says what is meant`(text: String, place: Address.Place, path: [String]) throws {
    let address = try Address(text)
    #expect(address.document == "hosts")
    #expect(address.place == place)
    #expect(address.path == JSONPointer(path.map { JSONKey($0) }))
  }

  @Test(arguments: ["", "/web1", ":items/a", "hosts/a~2", "hosts/a~"])
  func `a wrong address is refused`(text: String) {
    #expect(throws: UsageError.self) { try Address(text) }
  }

  @Test func `composed and decomposed ids stay two`() throws {
    #expect(try Address("hosts/\u{E9}") != Address("hosts/e\u{301}"))
  }
}

struct AssignmentTests {
  @Test(arguments: [
    ("name=web one", ["name"], Assignment.Value.text(bytes("web one"))),
    ("port:=2222", ["port"], .json(JSONText(unchecked: bytes("2222")))),
    ("note=@file", ["note"], .textFile("file")),
    ("spec:=@file", ["spec"], .jsonFile("file")),
    ("a=b=c", ["a"], .text(bytes("b=c"))),
    ("a=b:=c", ["a"], .text(bytes("b:=c"))),
    ("a:b=c", ["a:b"], .text(bytes("c"))),
    ("/options/a~1b:=true", ["options", "a/b"], .json(JSONText(unchecked: bytes("true")))),
    ("/=x", [""], .text(bytes("x"))),
    ("a/b=x", ["a/b"], .text(bytes("x"))),
    ("empty=", ["empty"], .text([])),
  ])
  func `an assignment ends its name at the first sign`(
    text: String, path: [String], value: Assignment.Value
  ) throws {
    let assignment = try Assignment(text)
    #expect(assignment.path == JSONPointer(path.map { JSONKey($0) }))
    #expect(assignment.value == value)
  }

  @Test func `an assignment without a name means the record itself`() throws {
    #expect(try Assignment("=LiStar").path.isRoot)
    #expect(try Assignment(":=5").path.isRoot)
  }

  @Test(arguments: ["name", "a=@", "/a~2=x", "a:=", "a:=tru", "a:=1 2"])
  func `a wrong assignment is refused`(text: String) {
    #expect(throws: UsageError.self) { try Assignment(text) }
  }
}

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
