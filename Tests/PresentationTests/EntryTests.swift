import LosslessJSON
import Testing

@testable import Presentation

struct EntryTests {
  static let entry = #"""
    {"id":"3f2a9c0112345678","time":"2026-11-30T01:20:24.123Z","node":"00f1a9c86b2d4e37",
    "kind":"stripped","rule":"MERGE 7.5","document":"hosts","collection":"items","record":"web/1",
    "path":"/auth","kept":{"value":{"password":"p","user":"u"},"node":"00f1a9c86b2d4e37","time":"2026-11-30T01:20:20.000Z"},
    "discarded":[{"node":"00f1a9c86b2d4e38","client":"hosts-1"}],
    "import":{"client":"hosts-1","base":12,"evidence":"content"},
    "affected":[{"record":"web/1","path":"/auth"},{"record":7,"path":"/auth"}],"prev":"0","sum":"1"}
    """#

  static func view(_ text: String = entry, mask: SecretMask = SecretMask(pointers: [])) throws
    -> EntryView
  {
    try EntryView(JSONText(unchecked: Array(text.utf8)), mask: mask)
  }

  static let words = EntryWords(
    paint: Paint(isOn: false), localTime: { "at " + $0 },
    nodeName: { $0.hasSuffix("7") ? "alice@box" : nil })

  @Test func `the line for machines is masked and has no members of the file only`() throws {
    let json = try Self.view().json.description
    #expect(json.contains(#""kept":{"value":{"password":"***","user":"u"},"#))
    #expect(!json.contains("prev") && !json.contains("sum"))
    #expect(!json.contains("\n"))
    let shown = try Self.view(mask: .off).json.description
    #expect(shown.contains(#""password":"p""#))
  }

  @Test func `an entry says what, where, who, when and what to do`() throws {
    let lines = Self.words.lines(try Self.view()).joined(separator: "\n")
    let expected = """
      entry 3f2a9c0112345678 stripped
        Where:      hosts:items/web~11/auth
        When:       at 2026-11-30T01:20:24.123Z
        What:       the program does not know the member and left it out; it stays
        Rule:       MERGE 7.5
        Found by:   alice@box
        Import:     by client hosts-1, base generation 12, evidence: content
        Kept:       {"password":"***","user":"u"}  by alice@box, at 2026-11-30T01:20:20.000Z
        Discarded:  (deleted)  by 00f1a9c86b2d4e38 with hosts-1
        Records:    web~11/auth, 7/auth
        Next:       replicator accept 3f2a9c0112345678  or  replicator dismiss 3f2a9c0112345678
      """
    #expect(lines == expected)
  }

  @Test func `one line has both values`() throws {
    let line = Self.words.line(try Self.view())
    let expected =
      "3f2a9c0112345678 at 2026-11-30T01:20:24.123Z stripped hosts:items/web~11/auth"
      + #" kept {"password":"***","user":"u"} by alice@box"#
      + " discarded (deleted) by 00f1a9c86b2d4e38/hosts-1"
    #expect(line == expected)
  }

  @Test func `values of several places stand beside them and are masked there`() throws {
    let entry = try Self.view(
      #"{"id":"1","kind":"revert-ambiguous","document":"hosts","collection":"items","#
        + #""discarded":[{"value":"p"},{"value":7},{}],"affected":[{"record":"a","path":"/password"},"#
        + #"{"record":"a","path":"/port"},{"record":"b","path":""}]}"#)
    #expect(entry.json.description.contains(#""discarded":[{"value":"***"},{"value":7},{}]"#))
    let lines = Self.words.lines(entry)
    #expect(lines.contains(#"  Records:    a/password "***", a/port 7, b (deleted)"#), "\(lines)")
    #expect(
      PutBackWords.sentences([entry], Self.words).first?
        .contains("at hosts:items/a/password, hosts:items/a/port, hosts:items/b was") ?? false)
  }

  @Test func `what is the same at all places is said once`() throws {
    let entry = try Self.view(
      #"{"id":"1","kind":"revert-ambiguous","document":"hosts","discarded":[{},{}],"#
        + #""affected":[{"record":"a","path":""},{"record":"b","path":""}]}"#)
    let lines = Self.words.lines(entry)
    #expect(lines.filter { $0.contains("(deleted)") } == ["  Discarded:  (deleted)"])
    #expect(lines.contains("  Records:    a, b"))
    #expect(Self.words.line(entry) == "1 revert-ambiguous hosts discarded (deleted)")
  }

  @Test func `a group and what lies outside the collections have their place`() throws {
    let group = try Self.view(
      #"{"id":"1","kind":"concurrent","document":"hosts","record":7,"group":"endpoint"}"#)
    #expect(Self.words.place(of: group) == "hosts/7 (group endpoint)")
    let outside = try Self.view(#"{"id":"1","kind":"monotonic","document":"hosts","path":"/v"}"#)
    #expect(Self.words.place(of: outside) == "hosts:/v")
  }

  @Test func `an entry without members is still shown`() throws {
    #expect(Self.words.lines(try Self.view("{}")).first == "entry  ")
  }

  @Test func `control characters never reach the terminal`() throws {
    let entry = try Self.view(
      #"{"id":"1","kind":"order","document":"d","record":"a\u001b[2Jb","discarded":[{"value":"\u001b"}]}"#
    )
    let text = (Self.words.lines(entry) + [Self.words.line(entry)]).joined()
    #expect(!text.unicodeScalars.contains { $0.value < 0x20 })
    #expect(Visible.text("a\u{1B}[31m\u{202E}b") == "a\\u{1B}[31m\\u{202E}b")
  }
}
