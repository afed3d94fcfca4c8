/// One line for a terminal that tells how far long work has come; each text replaces the one before.
package struct ProgressLine {
  private let barCells = 20
  private var lastMilliseconds: UInt64?
  private var isShown = false

  package init() {}

  /// What to write now; nil where the line before is young enough.
  ///
  /// The first text comes with the second call at the earliest: short work shows none.
  /// - Parameters:
  ///   - done: how many of `all` steps are done.
  ///   - milliseconds: a clock that never goes back.
  package mutating func text(
    _ what: String, done: Int, of all: Int, at milliseconds: UInt64
  ) -> String? {
    guard let last = lastMilliseconds else {
      lastMilliseconds = milliseconds
      return nil
    }
    guard milliseconds >= last + 200, all > 0 else { return nil }
    lastMilliseconds = milliseconds
    isShown = true
    let part = min(max(done, 0), all)
    let cells = part * barCells / all
    let bar = String(repeating: "#", count: cells) + String(repeating: " ", count: barCells - cells)
    return "\r\u{1B}[K[\(bar)] \(part * 100 / all) % \(Visible.text(what))"
  }

  /// Takes the line away; nil where none is shown.
  package mutating func end() -> String? {
    defer { isShown = false }
    return isShown ? "\r\u{1B}[K" : nil
  }
}
