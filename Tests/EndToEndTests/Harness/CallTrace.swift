/// The system calls that change files, as one run of a program made them, traced by strace.
struct CallTrace {
  struct Call {
    var name: String
    /// Which call of that name of its thread it is, from 1: as strace counts for an injection.
    var number: Int
    /// The arguments, descriptors with their paths, and the result.
    var text: String
  }

  static let names = [
    "openat", "write", "fallocate", "fchmod", "fchown", "ftruncate", "fsync", "fdatasync",
    "renameat", "renameat2", "linkat", "unlinkat", "mkdirat",
  ]

  let calls: [Call]
  let outcome: ChildProcess.Outcome

  /// Runs replicator in a store under strace; what it writes on the way goes beside the store.
  init(of words: [String], in store: TestStore) throws {
    let file = store.directory.path + "/trace"
    outcome = try ChildProcess(
      ["strace", "-f", "-y", "-o", file, "-e", "trace=" + Self.names.joined(separator: ",")]
        + [Places.replicator] + words,
      in: store.root, environment: ["REPLICATOR_NODE": "one"]
    ).outcome()
    var counts: [Substring: Int] = [:]
    var calls: [Call] = []
    var first: Substring?
    for line in try Files.text(file).split(separator: "\n") {
      let thread = line.prefix { $0 != " " }
      if first == nil { first = thread }
      guard thread == first, let open = line.firstIndex(of: "(") else { continue }
      let name = line[line.index(line.startIndex, offsetBy: thread.count)..<open].drop {
        $0 == " "
      }
      guard Self.names.contains(String(name)) else { continue }
      counts[name, default: 0] += 1
      calls.append(
        Call(name: String(name), number: counts[name] ?? 0, text: String(line[open...])))
    }
    self.calls = calls
  }

  /// Runs the same with a fault at one call; with `signal=KILL` the program ends before it. With
  /// paths only calls on those files count.
  static func run(
    _ words: [String], in store: TestStore, fault: String, at call: String, when: String = "1+",
    paths: [String] = []
  ) throws -> ChildProcess.Outcome {
    try ChildProcess(
      ["strace", "-f", "-o", "/dev/null", "-e", "trace=\(call)"] + paths.flatMap { ["-P", $0] }
        + ["-e", "inject=\(call):\(fault):when=\(when)", Places.replicator] + words,
      in: store.root, environment: ["REPLICATOR_NODE": "one"]
    ).outcome()
  }
}
