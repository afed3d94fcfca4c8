import Glibc

/// Lines for people and for programs that read along: each is there at once.
enum Terminal {
  static func say(_ line: String) { write(line + "\n", to: STDOUT_FILENO) }

  static func complain(_ line: String) { write(line + "\n", to: STDERR_FILENO) }

  private static func write(_ text: String, to descriptor: Int32) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      // Nobody reads any more, or nothing can be said at all.
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}
