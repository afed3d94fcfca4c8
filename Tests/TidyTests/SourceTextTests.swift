import Testing

/// Rules for the text of sources that a machine can check; each message names what to do.
struct SourceTextTests {
  @Test func `no file is longer than four hundred lines`() {
    for file in Repository.sources + Repository.tests {
      #expect(file.lines.count <= 400, "\(file): find the seam and split it")
    }
  }

  @Test func `nothing is left to do without an issue`() {
    let marks = ["TO" + "DO", "FIX" + "ME", "X" + "XX"]
    for (file, number, line) in Self.allLines {
      for mark in marks where Self.words(line).contains(mark) {
        let hasNumber = line.contains("\(mark)(#") || line.contains("\(mark) #")
        #expect(hasNumber, "\(file):\(number): write \(mark)(#12) with the number of an issue")
      }
    }
  }

  @Test func `nothing unsafe is left unproved`() {
    // A new one needs a proof in a comment, and a line here.
    let allowed: [String: Int] = [
      "Sources/LosslessJSON/JSONTree.swift": 1,
      "Sources/SystemCalls/Guarded.swift": 1,
      "Sources/SystemCalls/Monitor.swift": 1,
    ]
    var found: [String: Int] = [:]
    for file in Repository.sources {
      for line in file.lines.map(Self.code) {
        if line.contains("@unchecked Sendable") || line.contains("nonisolated(unsafe)") {
          found[file.path, default: 0] += 1
        }
      }
    }
    for (path, count) in found {
      #expect(count <= allowed[path, default: 0], "\(path): prove it, or use Guarded")
    }
  }

  @Test func `nothing below the command line prints`() {
    for file in Repository.sources
    where !["replicator", "DemoClients", "Examples"].contains(file.module) {
      for (number, line) in file.lines.enumerated() {
        for call in ["print", "debugPrint", "dump", "fputs", "puts"] {
          #expect(
            !Self.calls(call, in: Self.code(line)),
            "\(file):\(number + 1): return it, the command line prints")
        }
      }
    }
  }

  @Test func `no try is forced`() {
    for (file, number, line) in Self.allLines {
      #expect(
        !Self.code(line).contains("try" + "!"), "\(file):\(number): throw, or explain with #require"
      )
    }
  }

  @Test func `a try whose failure does not matter says why`() {
    for file in Repository.sources {
      for (number, line) in file.lines.enumerated() where Self.tries(line) {
        let near = file.lines[max(0, number - 3)...number]
        #expect(
          near.contains { $0.contains("//") },
          "\(file):\(number + 1): say in a comment why the failure does not matter")
      }
    }
  }

  @Test func `calls are told from names that end alike`() {
    #expect(Self.calls("print", in: "  print(x)"))
    #expect(!Self.calls("print", in: "  fingerprint(x)"))
    #expect(!Self.calls("print", in: "  out.print(x)"))
    #expect(Self.tries("let a = try? b()"))
    #expect(!Self.tries("a(entry?.json)"))
    #expect(Self.code("let a = 1 // print(") == "let a = 1 ")
    #expect(Self.code("let a = \"https://x\" + print(") == "let a = \"\" + print(")
  }

  static var allLines: [(Repository.SourceFile, Int, String)] {
    (Repository.sources + Repository.tests).flatMap { file in
      file.lines.enumerated().map { (file, $0.offset + 1, $0.element) }
    }
  }

  /// A line without its comment and without what stands in string literals.
  static func code(_ line: String) -> String {
    var code = ""
    var isQuoted = false
    var isEscaped = false
    var previous: Character?
    for character in line {
      if isQuoted {
        if isEscaped {
          isEscaped = false
        } else if character == "\\" {
          isEscaped = true
        } else if character == "\"" {
          isQuoted = false
          code.append(character)
        }
        continue
      }
      if character == "/", previous == "/" { return String(code.dropLast()) }
      if character == "\"" { isQuoted = true }
      code.append(character)
      previous = character
    }
    return code
  }

  /// True if the line has a `try?`, and not just a name that ends like it, as `entry?.json`.
  static func tries(_ line: String) -> Bool {
    let code = code(line)
    guard let found = code.firstRange(of: "try?") else { return false }
    let before = code[..<found.lowerBound].last
    return before.map { !($0.isLetter || $0.isNumber || $0 == "_") } ?? true
  }

  static func calls(_ name: String, in code: String) -> Bool {
    var rest = Substring(code)
    while let found = rest.firstRange(of: name + "(") {
      let before = rest[..<found.lowerBound].last
      let continues = before.map { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." } ?? false
      if !continues { return true }
      rest = rest[found.upperBound...]
    }
    return false
  }

  private static func words(_ line: String) -> [String] {
    line.split { !($0.isLetter || $0.isNumber) }.map(String.init)
  }
}
