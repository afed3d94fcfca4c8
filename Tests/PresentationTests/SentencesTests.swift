import LosslessJSON
import Testing

@testable import Presentation

struct SentencesTests {
  @Test func `a complaint says what, to what, why, what now and what next`() {
    let complaint = ErrorSentences.system(cannot: "write", path: "/a b/h.json", errno: "ENOSPC")
    #expect(
      complaint.line
        == "replicator: cannot write '/a b/h.json': the disk is full. Nothing was changed;"
        + " make room and try again")
    #expect(
      complaint.json.description
        == #"{"error":{"code":"disk-full","message":"cannot write '/a b/h.json': the disk is full."#
        + #" Nothing was changed","hint":"make room and try again","path":"/a b/h.json"}}"#)
  }

  @Test func `a complaint without advice ends with what is known`() {
    let complaint = Complaint(code: "x", cannot: "go on", why: "it rains")
    #expect(complaint.line == "replicator: cannot go on: it rains")
    #expect(
      complaint.json.description == #"{"error":{"code":"x","message":"cannot go on: it rains"}}"#)
  }

  @Test(arguments: [
    "EIO", "ENOSPC", "EDQUOT", "EROFS", "EACCES", "EPERM", "ENAMETOOLONG", "EMFILE", "ENFILE",
    "ESTALE", "EBUSY", "EFBIG",
  ])
  func `a failing disk, a limit and a missing right say why and what to do`(errno: String) {
    for call in ["open", "write", "fsync", "close", "renameat2", "linkat", "fsetxattr"] {
      let line = ErrorSentences.system(cannot: call, path: "/d/h.json", errno: errno).line
      #expect(!line.contains(errno) && !line.contains("renameat"), "\(line)")
      #expect(line.contains("Nothing was changed; "), "\(line)")
    }
  }

  @Test func `an error of the system without words is named`() {
    let complaint = ErrorSentences.system(cannot: "read", path: "f", errno: "EUCLEAN")
    #expect(
      complaint.line == "replicator: cannot read 'f': the system says EUCLEAN. Nothing was changed")
  }

  @Test(arguments: [
    ("{\"a\" 1}", "line 1, column 6: found '1', expected ':'"),
    ("", "line 1, column 1: it ends in the middle, expected a value"),
    ("{} x", "line 1, column 4: there is text behind its end"),
    ("[\n01]", "a number is written wrongly"),
    ("\"\u{1}\"", "a string has the byte 0x01, a control character that must be escaped"),
  ])
  func `text that is no JSON is explained with its place`(text: String, words: String) {
    do throws(JSONError) {
      _ = try JSONTree(parsing: Array(text.utf8))
      Issue.record("that is JSON")
    } catch {
      let line = ErrorSentences.notJSON("f", error).line
      #expect(line.contains(words), "\(line)")
    }
  }

  @Test func `columns line up and do not pad the end`() {
    #expect(Columns.lines([["a", "bb", "c"], ["aaa", "b", ""]]) == ["a    bb  c", "aaa  b   "])
  }

  @Test func `ids that begin with a sign are quoted in addresses`() {
    func id(_ text: String) -> String { AddressWords.id(JSONText(unchecked: Array(text.utf8))) }
    #expect(id(#""web1""#) == "web1")
    #expect(id("7") == "7")
    #expect(id(##""#7""##) == ##""#7""##)
    #expect(id(#""a/b~""#) == "a~1b~0")
    #expect(id(#"[1,"a/b"]"#) == #"[1,"a~1b"]"#)
  }
}
