import Testing

/// One run of a case through the command line, as a user would do it by hand.
struct CaseRun {
  let one: MergeCase
  let json: JSON
  let expect: JSON
  let store: TestStore
  let file: String
  /// The generation that each reader of the case had before it: `base`, `@1`, `@2`…
  private var generations: [String: Int] = [:]

  init(_ one: MergeCase) throws {
    self.one = one
    json = try one.json()
    expect = json["expect"] ?? .null
    file = try #require(json["collection"]?["file"]?.string)
    let configuration = try one.configuration()
    store = try TestStore(
      configuration: configuration, documents: [file: try one.bytes("base.json")])
    generations["base"] = try store.generation("doc")
  }

  /// The same case, looked at where its logs have been carried to.
  init(_ run: CaseRun, at store: TestStore) {
    (one, json, expect, file) = (run.one, run.json, run.expect, run.file)
    self.store = store
  }

  var steps: [JSON] { json["steps"]?.elements ?? [] }
  private var isCommented: Bool { json["config"]?["dialect"]?.string == "jsonc" }

  var document: [UInt8] { get throws { try Files.read(store.path(file)) } }

  func parse(_ bytes: [UInt8]) throws -> JSON { try JSON.parse(bytes, isCommented: isCommented) }

  /// Imports the steps in an order, and checks what is expected of each.
  mutating func importSteps(in order: [Int]) throws {
    let counts = expect["operations_per_step"]?.elements.map(\.int) ?? []
    for (arrival, index) in order.enumerated() {
      let step = steps[index]
      let actor = MergeCase.client(try #require(step["actor"]?.string))
      let read = try #require(step["read"]?.string)
      let base = try #require(generations[read], "nobody has written \(read) yet")
      let written = one.folder + "/" + (step["write"]?.string ?? "")
      let time = try Self.time(milliseconds: try #require(step["at_ms"]?.int))
      let answer = try store.json(
        "import", written, "--into", "doc", "--base", "\(base)", "--client", actor, "--time", time,
        allowing: [0, 1])
      generations["@\(index + 1)"] = try store.generation("doc")
      if counts.indices.contains(index) {
        let changed = answer["changed"]?.elements ?? []
        #expect(changed.count == counts[index], "step \(index + 1) changed \(changed)")
      }
      if let after = expect["after"]?[arrival]?.string {
        #expect(try parse(document) == JSON.parse(after), "after step \(index + 1)")
      }
    }
  }

  /// Checks the document against a file of the case.
  func expectDocument(equals name: String) throws {
    let wanted = try one.bytes(name)
    let found = try document
    switch expect["compare"]?.string {
    case "bytes": #expect(found == wanted, "\(String(decoding: found, as: UTF8.self))")
    case "lexeme": #expect(try parse(found) == parse(wanted))
    case "lexeme-any-record-order":
      let at = (json["collection"]?["at"]?.string ?? "").dropFirst()
      func records(_ bytes: [UInt8]) throws -> [String] {
        let root = try parse(bytes)
        return ((at.isEmpty ? root : root[String(at)]) ?? .null).elements.map(\.compact).sorted()
      }
      #expect(try records(found) == records(wanted))
    case let other: Issue.record("no way to compare '\(other ?? "")'")
    }
    #expect(try store.run("export", "doc").output == found)
  }

  /// The document differs from its base in exactly the stated places.
  func expectByteDifference() throws {
    guard let differences = expect["byte_diff_to_base"]?.elements else { return }
    var wanted = String(decoding: try one.bytes("base.json"), as: UTF8.self)
    for difference in differences {
      let old = try #require(difference["from"]?.string)
      let new = try #require(difference["to"]?.string)
      let place = try #require(wanted.firstRange(of: old))
      wanted.replaceSubrange(place, with: new)
    }
    #expect(String(decoding: try document, as: UTF8.self) == wanted)
  }

  /// RFC 3339 for the small and the large times of the cases.
  static func time(milliseconds: Int) throws -> String {
    let answer = try ChildProcess(
      ["date", "-u", "-d", "@\(milliseconds / 1000)", "+%Y-%m-%dT%H:%M:%S"], in: "/"
    ).outcome()
    let rest = String(milliseconds % 1000)
    return answer.stdout.split(separator: "\n").joined() + "."
      + String(repeating: "0", count: 3 - rest.count) + rest + "Z"
  }
}
