import FoundationEssentials
import Testing

/// `replicator merge` as git and Unison run it.
struct MergeCommandTests {
  /// Every sample that is JSON, with comments or without.
  static let samples: [String] = {
    // No folder gives no sample; a test counts them.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: Places.shapes)) ?? []
    return names.sorted().compactMap { name in
      guard let json = try? JSON.parse(Files.read("\(Places.shapes)/\(name)/shape.json")),
        ["json", "jsonc"].contains(json["dialect"]?.string ?? "json"), let file = json["file"]
      else { return nil }
      return "\(Places.shapes)/\(name)/\(file.string ?? "")"
    }
  }()

  @Test func `the samples are here`() { #expect(Self.samples.count >= 25, "\(Self.samples)") }

  @Test(arguments: samples)
  func `three times the same gives the same bytes`(sample: String) throws {
    let outcome = try ChildProcess(
      [Places.replicator, "merge", sample, sample, sample], in: "/"
    ).outcome()
    #expect(outcome.status == 0, "\(outcome.stderr)")
    #expect(try outcome.output == Files.read(sample))
    // A base of another layout makes it take the documents apart.
    let files = try TestDirectory()
    let base = files.path + "/base"
    try Files.write(try Files.read(sample) + [UInt8(ascii: " ")], to: base)
    for (ours, theirs) in [(sample, base), (base, sample)] {
      let outcome = try ChildProcess(
        [Places.replicator, "merge", base, ours, theirs], in: "/"
      ).outcome()
      #expect(outcome.status == 0, "\(outcome.stderr)")
      #expect(try outcome.output == Files.read(ours))
    }
  }

  /// Base, ours, theirs, what comes of them, how it ends, and a word of what is said.
  static let sides: [(String, String, String, String, Int32, String)] = [
    // We deleted most of the records, edited one and changed what lies outside.
    (
      #"{"v":1,"items":[{"id":"a"},{"id":"b"},{"id":"c"},{"id":"d","n":0}]}"#,
      #"{"v":7,"items":[{"id":"d","n":9}]}"#,
      #"{"v":1,"items":[{"id":"a"},{"id":"b"},{"id":"c"},{"id":"d","n":0},{"id":"e"}]}"#,
      #"{"v":7,"items":[{"id":"d","n":9},{"id":"e"}]}"#, 0, ""
    ),
    (
      #"{"a":1,"b":2,"c":3,"d":4}"#, #"{"a":9}"#, #"{"a":1,"b":2,"c":3,"d":4,"e":5}"#,
      #"{"a":9,"e":5}"#, 0, ""
    ),
    // They did: that may be a program that went wrong.
    (
      #"{"a":1,"b":2,"c":3,"d":4}"#, #"{"a":1,"b":2,"c":3,"d":4,"e":5}"#, #"{"a":9}"#,
      #"{"a":1,"b":2,"c":3,"d":4,"e":5}"#, 1, "bulk-delete-held"
    ),
    // A side that is another kind of document.
    (
      #"[{"id":"a","n":1},{"id":"b","n":1}]"#, #"{"x":1}"#,
      #"[{"id":"a","n":2},{"id":"b","n":1}]"#, #"{"x":1}"#, 1, "type-change"
    ),
    (
      #"{"items":[{"id":"a","n":1}],"v":1}"#, #"{"items":null,"v":1}"#,
      #"{"items":[{"id":"a","n":2}],"v":1}"#, #"{"items":null,"v":1}"#, 1, "concurrent"
    ),
    (
      #"{"items":[{"id":"a","n":1}],"v":1}"#, #"{"items":[{"id":"a","n":1}],"v":1}"#,
      #"{"v":1}"#, #"{"v":1}"#, 0, ""
    ),
    // A member that is gone from all records, whoever left it out, is kept, and said to be.
    (
      #"[{"id":1,"t":1},{"id":2,"t":1}]"#, #"[{"id":1,"t":1},{"id":2,"t":1}]"#,
      #"[{"id":1},{"id":2}]"#, #"[{"id":1,"t":1},{"id":2,"t":1}]"#, 1, "strip-ambiguous"
    ),
    (
      #"[{"id":1,"t":1},{"id":2,"t":1}]"#, #"[{"id":1},{"id":2}]"#,
      #"[{"id":1,"t":1},{"id":2,"t":1}]"#, #"[{"id":1,"t":1},{"id":2,"t":1}]"#, 1,
      "strip-ambiguous"
    ),
  ]

  @Test(arguments: sides.indices)
  func `what is not taken of a side is said, and what we deleted is gone`(number: Int) throws {
    let (base, ours, theirs, merged, status, word) = Self.sides[number]
    let files = try TestDirectory()
    for (name, text) in [("base", base), ("ours", ours), ("theirs", theirs)] {
      try Files.write(text, to: "\(files.path)/\(name).json")
    }
    let outcome = try ChildProcess(
      [Places.replicator, "merge", "base.json", "ours.json", "theirs.json"], in: files.path
    ).outcome()
    #expect(outcome.status == status, "\(outcome)")
    #expect(outcome.stdout == merged, "\(outcome)")
    #expect(word.isEmpty ? outcome.stderr.isEmpty : outcome.stderr.contains(word), "\(outcome)")
  }

  @Test func `what is no JSON is named, and nothing is written`() throws {
    let files = try TestDirectory()
    let paths = ["base", "ours", "theirs", "out"].map { "\(files.path)/\($0).json" }
    for bad in 0..<3 {
      for (number, path) in paths.dropLast().enumerated() {
        try Files.write(number == bad ? "{\"a\": 1" : "{\"a\": 1}", to: path)
      }
      let outcome = try ChildProcess(
        [Places.replicator, "merge"] + paths.dropLast() + ["-o", paths[3]], in: "/"
      ).outcome()
      #expect(outcome.status == 2, "\(outcome)")
      #expect(outcome.stderr.contains(paths[bad]), "\(outcome)")
      #expect(!Files.exists(paths[3]))
    }
  }

  @Test func `git merges both sides of a document by record and field`() throws {
    let repository = try Repository()
    try repository.edit(
      "theirs", [("\"port\": 22, \"tags\": [\"a\"]", "\"port\": 2222, \"tags\": [\"a\"]")])
    try repository.edit(
      "main",
      [("\"name\": \"one\"", "\"name\": \"uno\""), ("\"name\": \"two\"", "\"name\": \"zwei\"")])
    let merged = try repository.git("merge", "theirs", "-m", "merged")
    #expect(merged.status == 0, "\(merged)")
    #expect(
      try repository.text
        == Samples.hosts.replacing(
          "\"port\": 22, \"tags\": [\"a\"]", with: "\"port\": 2222, \"tags\": [\"a\"]"
        )
        .replacing("\"name\": \"one\"", with: "\"name\": \"uno\"")
        .replacing("\"name\": \"two\"", with: "\"name\": \"zwei\""))
    #expect(try repository.git("status", "--porcelain").stdout.isEmpty)
  }

  @Test func `git stops at a value that both changed, which is named, and keeps ours`() throws {
    let repository = try Repository()
    try repository.edit(
      "theirs",
      [("\"name\": \"one\"", "\"name\": \"eins\""), ("\"name\": \"two\"", "\"name\": \"zwei\"")])
    try repository.edit("main", [("\"name\": \"one\"", "\"name\": \"uno\"")])
    let merged = try repository.git("merge", "theirs", "-m", "merged")
    #expect(merged.status == 1, "\(merged)")
    let lines = merged.stderr.split(separator: "\n").filter { $0.contains("conflict: ") }
    #expect(lines.count == 1, "\(merged)")
    for word in ["concurrent", "items/h1/name", "\"uno\" by ours", "\"eins\" by theirs"] {
      #expect(lines.first?.contains(word) == true, "\(word) is not in \(lines)")
    }
    #expect(try repository.git("status", "--porcelain").stdout == "UU hosts.json\n")
    #expect(
      try repository.text
        == Samples.hosts.replacing("\"name\": \"one\"", with: "\"name\": \"uno\"")
        .replacing("\"name\": \"two\"", with: "\"name\": \"zwei\""))
    // What the person decides is committed as always.
    _ = try repository.git("commit", "-a", "-m", "decided")
    #expect(try repository.git("status", "--porcelain").stdout.isEmpty)
  }

  @Test func `git keeps a record that one side deleted and the other edited, and says so`() throws {
    let repository = try Repository()
    let line = try #require(Samples.hosts.split(separator: "\n").first { $0.contains("\"h1\"") })
    try repository.edit("theirs", [(line + "\n", "")])
    try repository.edit("main", [("\"name\": \"one\"", "\"name\": \"uno\"")])
    let merged = try repository.git("merge", "theirs", "-m", "merged")
    #expect(merged.status == 1, "\(merged)")
    #expect(merged.stderr.contains("delete-edit"), "\(merged)")
    #expect(
      try repository.text
        == Samples.hosts.replacing("\"name\": \"one\"", with: "\"name\": \"uno\""))
  }

  @Test(.enabled(if: Files.exists("/usr/bin/unison"), "needs the Debian package unison"))
  func `unison merges two roots, and leaves both alone where a value is in conflict`() throws {
    let files = try TestDirectory()
    let roots = ["a", "b"].map { files.path + "/" + $0 }
    for root in roots { try Files.makeDirectory(root) }
    let profile = """
      root = \(roots[0])
      root = \(roots[1])
      backupcurrent = Name *.json
      merge = Name *.json -> \(Places.replicator) merge CURRENTARCHOPT CURRENT1 CURRENT2 -o NEW
      """
    try Files.makeDirectory(files.path + "/.unison")
    try Files.write(profile + "\n", to: files.path + "/.unison/lists.prf")
    func exchange() throws -> ChildProcess.Outcome {
      try ChildProcess(
        ["unison", "lists", "-ui", "text", "-batch"], in: files.path,
        environment: ["HOME": files.path, "UNISON": files.path + "/.unison"]
      ).outcome()
    }
    try Files.write(Samples.hosts, to: roots[0] + "/hosts.json")
    _ = try exchange()
    func edit(_ name: String, at root: String, to value: String) throws {
      let text = try Files.text(root + "/hosts.json").replacing("\"\(name)\"", with: "\"\(value)\"")
      try Files.write(text, to: root + "/hosts.json")
    }
    try edit("one", at: roots[0], to: "uno")
    try edit("two", at: roots[1], to: "zwei")
    let merged = try exchange()
    let both = Samples.hosts.replacing("\"one\"", with: "\"uno\"")
      .replacing("\"two\"", with: "\"zwei\"")
    for root in roots { #expect(try Files.text(root + "/hosts.json") == both, "\(merged)") }
    for (root, name) in zip(roots, ["left", "right"]) { try edit("uno", at: root, to: name) }
    let stopped = try exchange()
    for (root, name) in zip(roots, ["left", "right"]) {
      #expect(try Files.text(root + "/hosts.json").contains("\"\(name)\""), "\(stopped)")
    }
    #expect(stopped.stdout.contains("items/h1/name") || stopped.stderr.contains("items/h1/name"))
  }
}

/// A git repository with the merge driver of `Config/gitattributes.sample`, and two branches.
private struct Repository {
  let directory: TestDirectory
  private let root: String

  init() throws {
    directory = try TestDirectory()
    root = directory.path
    try Files.write(Samples.hosts, to: root + "/hosts.json")
    try Files.write("*.json merge=replicator\n", to: root + "/.gitattributes")
    _ = try git("init", "-q", "-b", "main")
    _ = try git(
      "config", "merge.replicator.driver", "'\(Places.replicator)' merge %O %A %B -o %A")
    _ = try git("add", ".")
    _ = try git("commit", "-q", "-m", "base")
    _ = try git("branch", "theirs")
  }

  var text: String { get throws { try Files.text(root + "/hosts.json") } }

  /// Edits the document on a branch and commits that.
  func edit(_ branch: String, _ replacements: [(String, String)]) throws {
    _ = try git("checkout", "-q", branch)
    var text = try self.text
    for (old, new) in replacements {
      try #require(text.contains(old))
      text = text.replacing(old, with: new)
    }
    try Files.write(text, to: root + "/hosts.json")
    let outcome = try git("commit", "-q", "-a", "-m", branch)
    try #require(outcome.status == 0, "\(outcome)")
  }

  func git(_ words: String...) throws -> ChildProcess.Outcome {
    var environment = ["GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"]
    for role in ["AUTHOR", "COMMITTER"] {
      environment["GIT_\(role)_NAME"] = "test"
      environment["GIT_\(role)_EMAIL"] = "test@example"
    }
    return try ChildProcess(["git"] + words, in: root, environment: environment).outcome()
  }
}
