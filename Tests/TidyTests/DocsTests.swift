import Testing

/// The pages below docs/ name tests, files and kinds; what they name exists.
struct DocsTests {
  @Test func `every test that INVARIANTS names exists`() throws {
    let tests = Set(
      Repository.tests.flatMap { file in
        file.lines.compactMap { line in
          line.contains("func `") ? Self.quoted(line).first : nil
        }
      })
    var count = 0
    for name in Self.quoted(try Repository.text("docs/INVARIANTS.md"))
    where name.contains(" ") && !Self.isCode(name) {
      count += 1
      #expect(tests.contains(name), "docs/INVARIANTS.md names a test that is not there: \(name)")
    }
    #expect(count > 30, "docs/INVARIANTS.md names no tests")
  }

  @Test func `every file that MODULES names exists`() throws {
    let files = Set(Repository.sources.compactMap { $0.path.split(separator: "/").last })
    let named = Self.quoted(try Repository.text("docs/MODULES.md")).filter {
      $0.hasSuffix(".swift") && !$0.contains("/") && $0 != "Type+Topic.swift"
    }
    #expect(named.count > 100, "docs/MODULES.md names no files")
    for name in named {
      #expect(files.contains(name[...]), "docs/MODULES.md names a file that is not there: \(name)")
    }
  }

  @Test func `MERGING tells of every kind of entry what to do`() throws {
    let page = try Repository.text("docs/MERGING.md")
    let lines = try Repository.text("Sources/Replication/JournalEntry.swift").split(separator: "\n")
    let start = try #require(lines.firstIndex { $0.contains("enum EntryKind") })
    let kinds = lines[start...].prefix { !$0.contains("var canBeOpen") }.compactMap { line in
      let words = line.split(separator: " ")
      return words.first == "case" ? words.last.map { $0.filter { $0 != "\"" } } : nil
    }
    #expect(kinds.count > 30, "the kinds were not found")
    for kind in kinds {
      #expect(page.contains("`\(kind)`"), "docs/MERGING.md does not tell of \(kind)")
    }
  }

  /// What stands between grave accents; a name may go on in the next line.
  private static func quoted(_ text: String) -> [String] {
    text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .filter { $0.offset % 2 == 1 }.map { String($0.element) }
  }

  /// Commands and options that are quoted in the page beside the tests.
  private static func isCode(_ name: String) -> Bool {
    name.hasPrefix("replicator ") || name.hasPrefix("log --") || name.hasPrefix("verify --")
  }
}
