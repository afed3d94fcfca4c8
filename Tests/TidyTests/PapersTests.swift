import Replication
import Testing

@testable import replicator

/// What the papers say about commands is what the option table offers.
struct PapersTests {
  @Test func `README names only commands and options that exist`() throws {
    let readme = try Repository.text("README.md")
    var seen = 0
    for line in Self.commandLines(readme) {
      let words = line.split(separator: " ").map(String.init).filter { $0 != "&" }
      seen += 1
      #expect(throws: Never.self, "README.md: \(line)") {
        _ = try Invocation.parse(Array(words.dropFirst()))
      }
    }
    #expect(seen > 3, "README.md shows no commands")
  }

  @Test func `README names the two commands that a newcomer needs`() throws {
    let screen = try Repository.text("README.md").split(
      separator: "\n", omittingEmptySubsequences: false
    ).prefix(40).joined(separator: "\n")
    #expect(screen.contains("Tools/demo"))
    #expect(screen.contains("Tools/test"))
  }

  @Test func `every tool is a script that can be run`() throws {
    // What ends in .sh is read by the scripts, not run.
    for name in Repository.files(below: "Tools") where !name.hasSuffix(".sh") {
      #expect(try Repository.text("Tools/" + name).hasPrefix("#!"), "Tools/\(name)")
    }
  }

  @Test func `the release in the changelog is the release of the executable`() throws {
    let changelog = try Repository.text("CHANGELOG.md")
    #expect(changelog.contains("## Unreleased") || changelog.contains("## \(Release.version)"))
  }

  /// Lines of code blocks that call replicator.
  private static func commandLines(_ text: String) -> [String] {
    var isCode = false
    var lines: [String] = []
    for line in text.split(separator: "\n").map(String.init) {
      if line.hasPrefix("```") {
        isCode.toggle()
      } else if isCode {
        let trimmed = line.drop { $0 == " " || $0 == "$" }
        let code = trimmed.prefix { $0 != "#" }
        if code.hasPrefix("replicator ") { lines.append(String(code)) }
      }
    }
    return lines
  }
}
