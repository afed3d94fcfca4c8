import Glibc

/// The three descriptors that every process starts with. They are never closed.
package enum StandardStream: Int32, Sendable {
  case input = 0
  case output = 1
  case error = 2

  /// Opens those of the three that the parent closed, on `/dev/null`.
  ///
  /// Else the next file that is opened would get the number, and what is printed would land in it.
  package static func openMissing() {
    while true {
      let descriptor = open("/dev/null", O_RDWR)
      guard descriptor >= 0, descriptor <= error.rawValue else {
        if descriptor >= 0 { close(descriptor) }
        return
      }
    }
  }

  package var isTerminal: Bool { isatty(rawValue) == 1 }

  /// Columns of the terminal, nil where there is none.
  package var columns: Int? {
    var size = winsize()
    guard ioctl(rawValue, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// Writes all bytes.
  ///
  /// - Throws: `EPIPE` when the reader has gone; SIGPIPE must be ignored for that
  ///   (`SignalInbox.ignoreClosedPipes()`), else the process ends without a word.
  package func write(_ bytes: [UInt8]) throws(SystemError) {
    let name = FilePath("/dev/fd/\(rawValue)")
    var start = 0
    while start < bytes.count {
      let count = try retrying("write", name) { () throws(Errno) in
        let result = bytes.withUnsafeBytes { buffer in
          let rest = UnsafeRawBufferPointer(rebasing: buffer[start...])
          return Glibc.write(rawValue, rest.baseAddress, rest.count)
        }
        if result < 0 { throw .current }
        return result
      }
      start += count
    }
  }

  package func write(_ text: String) throws(SystemError) {
    try write(Array(text.utf8))
  }

  /// Reads until the end, at most `countMax` bytes.
  package func readAll(countMax: Int) throws(SystemError) -> [UInt8] {
    let name = FilePath("/dev/fd/\(rawValue)")
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count < countMax {
      let count = try retrying("read", name) { () throws(Errno) in
        let result = Glibc.read(rawValue, &chunk, min(chunk.count, countMax - bytes.count))
        if result < 0 { throw .current }
        return result
      }
      if count == 0 { break }
      bytes.append(contentsOf: chunk[..<count])
    }
    return bytes
  }
}
