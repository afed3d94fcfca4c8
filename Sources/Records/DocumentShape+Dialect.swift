import LosslessJSON

extension DocumentShape.Dialect {
  /// The dialects that a file of this name can have, the likeliest first.
  ///
  /// Comments and commas behind the last child are accepted by the name alone: what was damaged can
  /// look like it.
  private static func possible(forFile name: String) -> [DocumentShape.Dialect] {
    func ends(_ endings: [String]) -> Bool {
      endings.contains { name.utf8.reversed().starts(with: $0.utf8.reversed()) }
    }
    if ends([".jsonl", ".ndjson"]) { return [.jsonl] }
    let isCommented =
      ends([".jsonc", ".code-workspace", ".code-snippets"])
      || commented.contains { $0.utf8.elementsEqual(name.utf8) }
      || ends([".json"])
        && ["tsconfig.", "jsconfig."].contains { name.utf8.starts(with: $0.utf8) }
    return isCommented ? [.jsonc] : [.json, .jsonl]
  }

  /// Files called JSON whose programs write comments.
  private static let commented = [
    "settings.json", "keybindings.json", "launch.json", "tasks.json", "extensions.json",
    "argv.json",
    "devcontainer.json", ".devcontainer.json", ".eslintrc.json", ".babelrc.json",
  ]

  /// The dialect of the versions of one file: of those that its name allows the first that all of them
  /// are texts of, else that which most are.
  ///
  /// Where the name does not say it, JSON Lines are lines of objects and nothing else, and in one of
  /// the versions several: a value on one line is JSON, and a blank text is nothing.
  package static func detect(in versions: [[UInt8]], files: [String]) -> DocumentShape.Dialect {
    let possible = possible(forFiles: files)
    var best = (dialect: possible[0], count: 0)
    for dialect in possible where best.count < versions.count && possible.count > 1 {
      let count = versions.count { dialect.isText($0) }
      guard count > best.count else { continue }
      guard dialect != .jsonl || versions.contains(where: hasSeveralLines) else { continue }
      best = (dialect, count)
    }
    return best.dialect
  }

  /// Whether the names of the versions of a file alone tell its dialect.
  package static func isTold(byFiles files: [String]) -> Bool {
    possible(forFiles: files).count == 1
  }

  private static func possible(forFiles names: [String]) -> [DocumentShape.Dialect] {
    names.lazy.map(possible(forFile:)).first { $0.count == 1 } ?? [.json, .jsonl]
  }

  /// Whether a text that the name of its file does not tell to be of this dialect is one of it.
  package func isText(_ bytes: [UInt8]) -> Bool {
    do throws(JSONError) {
      let tree = try JSONTree(parsing: bytes, dialect: scanner)
      return self != .jsonl
        || !tree.root.isEmpty
          && tree.root.elements.allSatisfy { $0.kind == .object }
    } catch {
      return false
    }
  }

  private static func hasSeveralLines(_ bytes: [UInt8]) -> Bool {
    do throws(JSONError) {
      return try JSONTree(parsing: bytes, dialect: .jsonl).root.childCount > 1
    } catch {
      return false
    }
  }
}
