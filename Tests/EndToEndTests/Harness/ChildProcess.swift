import FoundationEssentials
import Glibc
import Synchronization

/// A process that a test started: its output can be waited for, and it never outlives the test.
final class ChildProcess {
  /// What a process that has ended leaves.
  struct Outcome: CustomStringConvertible {
    /// The exit code; 128 + the number of the signal that ended it; -1 = it did not end in time.
    var status: Int32
    var output: [UInt8]
    var errors: [UInt8]

    /// Standard output as text.
    var stdout: String { String(decoding: output, as: UTF8.self) }
    /// Standard error as text.
    var stderr: String { String(decoding: errors, as: UTF8.self) }
    var description: String { "status \(status)\nstdout: \(stdout)\nstderr: \(stderr)" }
  }

  /// Something a test must not meet: no process, no answer in time.
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  /// Generous: reached only if something hangs.
  static let secondsMax = 60

  let id: pid_t
  private var output: Int32
  private var errors: Int32
  private var input: Int32
  private var outputBytes: [UInt8] = []
  private var errorBytes: [UInt8] = []
  private var readBytes = 0
  private var status: Int32?

  /// Starts a program.
  ///
  /// - Parameter takesInput: whether standard input is a pipe that `closeInput` closes.
  init(
    _ words: [String], in directory: String, environment: [String: String] = [:],
    takesInput: Bool = false
  ) throws {
    (id, input, output, errors) = try Self.spawning.withLock { _ in
      try Self.spawn(words, in: directory, environment: environment, takesInput: takesInput)
    }
  }

  /// Held from the making of pipes to their being closed on `exec`, so that no other child gets
  /// them and keeps them open.
  private static let spawning = Mutex(())

  private static func spawn(
    _ words: [String], in directory: String, environment: [String: String], takesInput: Bool
  ) throws -> (pid_t, Int32, Int32, Int32) {
    let toChild = try takesInput ? Self.pipe() : (open("/dev/null", O_RDONLY | O_CLOEXEC), -1)
    let fromOutput = try Self.pipe()
    let fromErrors = try Self.pipe()
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, toChild.0, 0)
    posix_spawn_file_actions_adddup2(&actions, fromOutput.1, 1)
    posix_spawn_file_actions_adddup2(&actions, fromErrors.1, 2)
    // Threads of a test block signals, and a child would inherit that.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var id: pid_t = 0
    // `env` becomes the program, so the id is that of the program.
    let code = withPointers(["env", "-C", directory] + words) { arguments in
      withPointers(Self.environment(environment)) { variables in
        posix_spawnp(&id, "env", &actions, &attributes, arguments, variables)
      }
    }
    for descriptor in [toChild.0, fromOutput.1, fromErrors.1] { close(descriptor) }
    guard code == 0 else { throw Failure(description: "cannot start \(words): error \(code)") }
    return (id, toChild.1, fromOutput.0, fromErrors.0)
  }

  deinit {
    if status == nil {
      kill(id, SIGKILL)
      _ = reap()
    }
    for descriptor in [input, output, errors] where descriptor >= 0 { close(descriptor) }
  }

  /// Waits for the end.
  func outcome() throws -> Outcome {
    let deadline = Deadline(seconds: Self.secondsMax)
    while output >= 0 || errors >= 0 {
      guard pump(until: deadline) else {
        kill(id, SIGKILL)
        throw Failure(description: "no end in \(Self.secondsMax) s; \(soFar)")
      }
    }
    return Outcome(status: reap(), output: outputBytes, errors: errorBytes)
  }

  /// Waits for the next line of standard output that a condition holds for, and returns it.
  func line(_ what: String = "", where condition: (String) -> Bool = { _ in true }) throws -> String
  {
    let deadline = Deadline(seconds: Self.secondsMax)
    while true {
      while let end = outputBytes[readBytes...].firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: outputBytes[readBytes..<end], as: UTF8.self)
        readBytes = end + 1
        if condition(line) { return line }
      }
      guard output >= 0, pump(until: deadline) else {
        throw Failure(description: "no line \(what); \(soFar)")
      }
    }
  }

  /// Waits until standard error holds a text.
  func waitForError(_ text: String) throws {
    let deadline = Deadline(seconds: Self.secondsMax)
    while !String(decoding: errorBytes, as: UTF8.self).contains(text) {
      guard errors >= 0, pump(until: deadline) else {
        throw Failure(description: "nothing said \(text); \(soFar)")
      }
    }
  }

  func send(_ signal: Int32) { if status == nil { kill(id, signal) } }

  func closeInput() {
    if input >= 0 { close(input) }
    input = -1
  }

  private var soFar: String {
    Outcome(status: -1, output: outputBytes, errors: errorBytes).description
  }

  /// Reads what is there; false when the time is over.
  private func pump(until deadline: Deadline) -> Bool {
    var waits = [
      pollfd(fd: output, events: Int16(POLLIN), revents: 0),
      pollfd(fd: errors, events: Int16(POLLIN), revents: 0),
    ]
    guard poll(&waits, 2, deadline.millisecondsLeft) > 0 else { return deadline.isAhead }
    if waits[0].revents != 0 { Self.read(&output, &outputBytes) }
    if waits[1].revents != 0 { Self.read(&errors, &errorBytes) }
    return true
  }

  private static func read(_ descriptor: inout Int32, _ bytes: inout [UInt8]) {
    var buffer = [UInt8](repeating: 0, count: 65536)
    let count = Glibc.read(descriptor, &buffer, buffer.count)
    if count > 0 {
      bytes += buffer[..<count]
    } else if count == 0 || errno != EINTR {
      close(descriptor)
      descriptor = -1
    }
  }

  private func reap() -> Int32 {
    if let status { return status }
    var word: Int32 = 0
    while waitpid(id, &word, 0) < 0, errno == EINTR {}
    let ended = word & 0x7F == 0 ? (word >> 8) & 0xFF : 128 + (word & 0x7F)
    status = ended
    return ended
  }

  private static func pipe() throws -> (Int32, Int32) {
    var ends: [Int32] = [-1, -1]
    guard Glibc.pipe(&ends) == 0 else { throw Failure(description: "no pipe: \(errno)") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  private static func environment(_ changes: [String: String]) -> [String] {
    var variables = ProcessInfo.processInfo.environment
    for name in ["REPLICATOR_STORE", "REPLICATOR_NODE", "NO_COLOR"] { variables[name] = nil }
    variables["SWIFT_BACKTRACE"] = "enable=no"
    variables["TZ"] = "UTC"
    variables.merge(changes) { $1 }
    return variables.map { "\($0.key)=\($0.value)" }
  }

  private static func withPointers<Result>(
    _ words: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    var pointers = words.map { strdup($0) }
    pointers.append(nil)
    defer { for pointer in pointers { free(pointer) } }
    return pointers.withUnsafeBufferPointer { buffer in
      // The array ends with nil, so it is not empty.
      buffer.baseAddress.map(body) ?? Self.unreachable()
    }
  }

  private static func unreachable<Result>() -> Result { preconditionFailure("an empty array") }
}

/// A point in time after which a test gives up waiting.
struct Deadline {
  private let end: ContinuousClock.Instant

  init(seconds: Int) { end = .now + .seconds(seconds) }

  var isAhead: Bool { .now < end }

  var millisecondsLeft: Int32 {
    let left = ContinuousClock.now.duration(to: end)
    return Int32(clamping: max(0, Int(left.components.seconds) * 1000 + 1))
  }

  /// Waits until a condition holds, looking again after a moment; fails the test if it never does.
  static func wait(_ what: String, until condition: () throws -> Bool) throws {
    let deadline = Deadline(seconds: ChildProcess.secondsMax)
    while try !condition() {
      guard deadline.isAhead else {
        throw ChildProcess.Failure(description: "waited in vain until \(what)")
      }
      poll(nil, 0, 10)
    }
  }
}
