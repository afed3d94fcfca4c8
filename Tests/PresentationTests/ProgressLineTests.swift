import Testing

@testable import Presentation

struct ProgressLineTests {
  @Test func `short work shows nothing, and nothing is taken away`() {
    var line = ProgressLine()
    #expect(line.text("logs", done: 0, of: 10, at: 1000) == nil)
    #expect(line.text("logs", done: 9, of: 10, at: 1199) == nil)
    #expect(line.end() == nil)
  }

  @Test func `long work shows a bar five times a second, and takes it away at the end`() {
    var line = ProgressLine()
    _ = line.text("logs", done: 0, of: 4, at: 0)
    #expect(
      line.text("logs", done: 1, of: 4, at: 200)
        == "\r\u{1B}[K[#####               ] 25 % logs")
    #expect(line.text("logs", done: 2, of: 4, at: 399) == nil)
    #expect(
      line.text("a\u{7}", done: 9, of: 4, at: 400)
        == "\r\u{1B}[K[####################] 100 % \(Visible.text("a\u{7}"))")
    #expect(line.text("nothing to do", done: 0, of: 0, at: 900) == nil)
    #expect(line.end() == "\r\u{1B}[K")
    #expect(line.end() == nil)
  }
}
