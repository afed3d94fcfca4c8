import FoundationEssentials
import Testing

/// What a node learns of programs that nobody has declared.
struct LearnedProfileTests {
  @Test func `status tells what an undeclared program leaves out`() throws {
    let store = try TestStore(documents: ["hosts.json": Self.document])
    let old = try store.text("hosts.json")
    for port in [23, 24] {
      // It keeps one note, so that what it leaves out elsewhere may be a mistake.
      let stripped = old.replacing(#", "note": "first""#, with: "")
        .replacing("\"port\": 22", with: "\"port\": \(port)")
      try Files.replace(store.path("hosts.json"), with: Array(stripped.utf8))
      try store.succeed("sync")
    }
    #expect(try store.log().map { $0["kind"]?.string }.contains("strip-ambiguous"))

    let words = try store.run("status", "--verbose").stdout
    #expect(words.contains("programs without a name"), "\(words)")
    #expect(words.contains("leaves out"), "\(words)")
    #expect(try !store.run("status").stdout.contains("leaves out"))
    let json = try store.json("status", "--verbose")
    let habits = json["documents"]?[0]?["learned"]?[0]?["habits"]
    #expect(habits?[0]?["kind"]?.string == "strip-ambiguous", "\(json)")
    #expect(habits?[0]?["path"]?.string == "/note")
    #expect(habits?[0]?["times"]?.int == 2)
  }

  private static let document = """
    {
      "items": [
        { "id": "a", "port": 22, "note": "first" },
        { "id": "b", "port": 80, "note": "second" },
        { "id": "c", "port": 443 }
      ]
    }

    """
}
