import LosslessJSON
import Merging
import Testing

@testable import Records

/// Records come and go beside comments, and in JSON Lines.
@Suite struct DialectTests {
  static let lines = DocumentShape(
    dialect: .jsonl,
    collections: [.init(name: "items", at: .root, kind: .array, id: [pointer("/id")])])

  static let commented: DocumentShape = {
    var shape = DocumentShape.items
    shape.dialect = .jsonc
    return shape
  }()

  /// The document without one record, and with a new one at a place.
  static func changed(
    _ document: String, _ shape: DocumentShape, without id: Int? = nil, adding place: Int? = nil
  ) throws -> String {
    let split = try SplitDocument(document, shape)
    var records = split.records.filter { $0.id?.description != id.map(String.init) }
      .map(AssembledRecord.init)
    if let place {
      records.insert(
        AssembledRecord(collection: "items", text: JSONText(unchecked: Array("{\"id\":9}".utf8))),
        at: place)
    }
    let result = SplitDocument.assemble(
      frame: split.frame, frameLayout: split.frameLayout, shape: shape, records: records)
    // What was put together is a document again.
    #expect(try SplitDocument(bytes: result, shape: shape).records.count == records.count)
    return text(result)
  }

  @Test(arguments: [
    "\n", "\r\n", "{\"id\":1}", "{\"id\":1}\n{\"id\":2}\n", "{\"id\":1}\r\n{\"id\":2}\r\n",
    "\n{\"id\":1}\n\n\n{\"id\":2}\r\n{\"id\":3} \n\n", "\u{FEFF}{\"id\":1}\n7\n\"x\"\nnull",
  ])
  func `lines come back byte for byte`(document: String) throws {
    let split = try SplitDocument(document, Self.lines)
    #expect(text(split.assembled()) == document)
  }

  @Test func `a line is put in, taken out and replaced, and no other changes`() throws {
    let (one, two, new) = ("{\"id\":1}", "{\"id\":2}", "{\"id\":9}")
    for end in ["\n", "\r\n"] {
      for last in [end, ""] {
        let both = one + end + two + last
        #expect(
          try Self.changed(both, Self.lines, adding: 2) == both + (last == "" ? end : "") + new
            + last)
        #expect(try Self.changed(both, Self.lines, adding: 1) == one + end + new + end + two + last)
        #expect(try Self.changed(both, Self.lines, adding: 0) == new + end + both)
        #expect(try Self.changed(both, Self.lines, without: 1) == two + last)
        #expect(try Self.changed(both, Self.lines, without: 2) == one + last)
        #expect(
          try Self.changed(one + last, Self.lines, adding: 1) == one + newline(last) + new + last)
      }
    }
    /// One line alone does not show how lines end unless it ends.
    func newline(_ last: String) -> String { last == "" ? "\n" : last }
    let spaced = one + "\n\n" + two + "\n"
    #expect(try Self.changed(spaced, Self.lines, without: 1) == two + "\n")
    #expect(try Self.changed(one + "\n", Self.lines, without: 1) == "\n")
    #expect(try Self.changed("\n", Self.lines, adding: 0) == new + "\n")
  }

  @Test func `an empty file is no list of lines, a document without records is an empty line`()
    throws
  {
    #expect(throws: JSONError.self) { try SplitDocument("", Self.lines) }
    #expect(SplitDocument.emptyDocument(Self.lines) == [0x0A])
  }

  @Test func `a record of several lines gets one in JSON Lines`() throws {
    let record = JSONText(unchecked: Array("{\n  \"id\": 1, // one\n  \"a\": [\n  ]\n}".utf8))
    let bytes = SplitDocument.assemble(
      frame: JSONText.emptyArray, frameLayout: nil, shape: Self.lines,
      records: [AssembledRecord(collection: "items", text: record)])
    #expect(text(bytes) == "{\"id\": 1, \"a\": []}\n")
  }

  static let document = """
    {
      "items": [ // of the list
        // about one
        {"id": 1}, // behind one
        // about two
        {"id": 2}, /* behind two */
        // about three
        {"id": 3} // behind three
        // at the end
      ]
    }

    """

  @Test func `new records leave the comments of their neighbours where they are`() throws {
    let split = try SplitDocument(Self.document, Self.commented)
    #expect(text(split.assembled()) == Self.document)
    let new = "    {\"id\":9}"
    for (place, line) in [(0, 3), (1, 4), (2, 6)] {
      var expected = Self.document.split(separator: "\n", omittingEmptySubsequences: false)
      expected.insert("\(new),"[...], at: place == 0 ? 2 : line)
      #expect(
        try Self.changed(Self.document, Self.commented, adding: place)
          == expected.joined(separator: "\n"))
    }
    var expected = Self.document.split(separator: "\n", omittingEmptySubsequences: false)
    expected[7] = "    {\"id\": 3}, // behind three"
    expected.insert(new[...], at: 8)
    #expect(
      try Self.changed(Self.document, Self.commented, adding: 3) == expected.joined(separator: "\n")
    )
  }

  @Test func `a record takes its own comments along and no other`() throws {
    for (id, own) in [(1, 2...3), (2, 4...5)] {
      var expected = Self.document.split(separator: "\n", omittingEmptySubsequences: false)
      expected.removeSubrange(own)
      #expect(
        try Self.changed(Self.document, Self.commented, without: id)
          == expected.joined(separator: "\n"))
    }
    let rest = try Self.changed(Self.document, Self.commented, without: 3)
    #expect(rest.contains("// at the end") && !rest.contains("three"))
    #expect(rest.contains("{\"id\": 2} /* behind two */\n"))
  }

  @Test func `a trailing comma stays behind the last record`() throws {
    let document = "{\"items\": [\n  {\"id\": 1}, // one\n]}"
    let expected = "{\"items\": [\n  {\"id\": 1}, // one\n  {\"id\":9},\n]}"
    #expect(try Self.changed(document, Self.commented, adding: 1) == expected)
    #expect(try Self.changed(document, Self.commented, without: 1) == "{\"items\": []}")
    let commented = "{\"items\": [\n  {\"id\": 1},\n  // end\n]}"
    #expect(try Self.changed(commented, Self.commented, without: 1).contains("// end\n"))
  }

  @Test func `a comment to the end of the line swallows nothing`() throws {
    let document = "{\"items\": [{\"id\": 1}, {\"id\": 2}, // two\n {\"id\": 3}]}"
    for place in 0...3 {
      _ = try Self.changed(document, Self.commented, adding: place)
      _ = try Self.changed(document, Self.commented, without: place, adding: min(place, 2))
    }
  }

  @Test func `the configuration of JSON Lines has one list at the root`() throws {
    for collections in [
      "[]", #"[{"name":"a","at":"/a","kind":"array","id":"/id"}]"#,
      #"[{"name":"a","at":"","kind":"map"}]"#, #"[{"name":"a","at":"","kind":"document"}]"#,
    ] {
      let text =
        #"{"documents":{"d":{"file":"x","dialect":"jsonl","collections":"# + collections + "}}}"
      #expect(throws: ConfigurationError.self) {
        try Configuration(parsing: Array(text.utf8)) { _ in nil }
      }
    }
  }

  @Test(arguments: [
    ("a.jsonl", DocumentShape.Dialect.jsonl), ("a.ndjson", .jsonl), ("a.jsonc", .jsonc),
    ("x.code-workspace", .jsonc), ("a.json", .json), ("jsonl", .json), ("", .json),
    ("settings.json", .jsonc), ("tsconfig.base.json", .jsonc),
  ])
  func `the name of a file tells the dialect of a text that any could be`(
    name: String, dialect: DocumentShape.Dialect
  ) {
    #expect(
      DocumentShape.Dialect.detect(in: [Array("{\"id\":1}\n".utf8)], files: [name]) == dialect)
  }

  @Test(arguments: [
    // Lines of objects, and several of them.
    (["{}\n{}\n"], "a.json", DocumentShape.Dialect.jsonl), (["{}\r\n\r\n{}"], "a.db", .jsonl),
    (["{}", "{}\n{}", "{}\n"], "a.json", .jsonl),
    // One line is JSON, and a blank text nothing.
    (["{}\n"], "a.json", .json), ([" "], "a.json", .json), (["{}", " ", "{}"], "a.json", .json),
    (["{}\n{}", "{}\n{}", " "], "a.json", .jsonl), (["1\n2\n"], "a.json", .json),
    (["{}\n[]\n"], "a.json", .json),
    // Comments and further commas only where programs are known to write them.
    (["{} // c"], "a.json", .json), (["[1,]"], "a.json", .json),
    (["{} // c"], "settings.json", .jsonc), (["[1,]"], "tsconfig.json", .jsonc),
    (["{}", "{} /**/", "{}"], ".eslintrc.json", .jsonc),
  ])
  func `a dialect that the name does not tell has to be plain`(
    texts: [String], name: String, dialect: DocumentShape.Dialect
  ) {
    #expect(
      DocumentShape.Dialect.detect(in: texts.map { Array($0.utf8) }, files: [name]) == dialect)
  }
}
