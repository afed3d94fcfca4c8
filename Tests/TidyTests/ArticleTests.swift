import Testing

/// The code that the papers show to developers is code that is built and run.
struct ArticleTests {
  private static let article = "Sources/ReplicatorKit/ReplicatorKit.docc/GettingStarted.md"

  @Test func `the article's code is the program that is built and run`() throws {
    let blocks = Self.blocks("swift", in: try Repository.text(Self.article))
    let program = try Repository.text("Sources/Examples/GettingStarted/main.swift")
    #expect(blocks.count > 5)
    #expect(
      blocks.joined(separator: "\n\n") == program.dropLast(),
      "\(Self.article) and Sources/Examples/GettingStarted/main.swift differ")
  }

  @Test func `README's program for library users has fifteen lines at most`() throws {
    let readme = try Repository.text("README.md")
    let start = try #require(readme.firstRange(of: "swift package init"))
    let block = try #require(Self.blocks("swift", in: String(readme[start.lowerBound...])).first)
    #expect(block.split(separator: "\n").count <= 15)
    #expect(block.contains("import ReplicatorKit") && block.contains(".changes"))
  }

  @Test func `everything public of the library is in its catalogue`() throws {
    let catalogue = try Repository.text(
      "Sources/ReplicatorKit/ReplicatorKit.docc/ReplicatorKit.md")
    let files = Repository.sources.filter {
      $0.module == "ReplicatorKit" || $0.path.hasPrefix("Sources/Records/Typed/")
    }
    var count = 0
    for file in files {
      for line in file.lines where line.hasPrefix("public ") {
        let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "@" }.map(String.init)
        guard let kind = words.firstIndex(where: { Self.kinds.contains($0) }) else { continue }
        count += 1
        #expect(catalogue.contains("``\(words[kind + 1])"), "\(file): name \(words[kind + 1])")
      }
    }
    #expect(count > 15, "no public types were found")
  }

  private static let kinds: Set = ["struct", "enum", "class", "protocol", "func"]

  /// The fenced blocks of a language.
  private static func blocks(_ language: String, in text: String) -> [String] {
    text.split(separator: "```\(language)\n", omittingEmptySubsequences: false).dropFirst()
      .map { part in
        String(part[..<(part.firstRange(of: "\n```")?.lowerBound ?? part.endIndex)])
      }
  }
}
