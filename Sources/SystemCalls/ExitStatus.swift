import Glibc

/// How this process ends.
package enum ExitStatus {
  /// Ends the process; what standard streams of the C library hold is written.
  package static func end(_ code: Int32) -> Never { exit(code) }
}
