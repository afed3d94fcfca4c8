/// What a host manager is asked to do, as typed.
struct HostCommand {
  enum Action {
    case list
    case set(id: String, fields: [(name: String, text: String)])
    case remove(id: String)
    case watch(count: Int?)
    case conflicts
    case loop(LoopPlan)
  }

  /// A store, or with `--file` the plain file of a program that knows of nobody else.
  enum Place {
    case store(directory: String, node: String?)
    case file(String)
  }

  var place: Place
  var action: Action

  /// - Throws: `Misuse` with what is wrong.
  init(_ words: [String]) throws {
    var options: [String: String] = [:]
    var plain: [String] = []
    var rest = words[...]
    while let word = rest.popFirst() {
      guard word.hasPrefix("--") else {
        plain.append(word)
        continue
      }
      guard Self.options.contains(word) else { throw Misuse("there is no option '\(word)'") }
      guard let value = rest.popFirst() else { throw Misuse("'\(word)' needs a value") }
      options[word] = value
    }
    if let file = options["--file"] {
      place = .file(file)
    } else {
      guard !plain.isEmpty else { throw Misuse("name the store, or a file with --file") }
      place = .store(directory: plain.removeFirst(), node: options["--node"])
    }
    action = try Self.action(plain, options)
  }

  private static let options: Set = [
    "--file", "--node", "--count", "--seconds", "--seed", "--pause",
  ]

  private static func action(_ plain: [String], _ options: [String: String]) throws -> Action {
    func number(_ name: String) throws -> Int? {
      guard let text = options[name] else { return nil }
      guard let number = Int(text), number >= 0 else { throw Misuse("'\(text)' is no number") }
      return number
    }
    switch (plain.first, plain.count) {
    case ("list", 1): return .list
    case ("conflicts", 1): return .conflicts
    case ("watch", 1): return .watch(count: try number("--count"))
    case ("remove", 2): return .remove(id: plain[1])
    case ("add", 2...), ("set", 3...):
      return .set(id: plain[1], fields: try plain[2...].map { try assignment($0) })
    case ("loop", 1):
      var plan = LoopPlan(seed: UInt64(try number("--seed") ?? 1))
      plan.count = try number("--count") ?? .max
      plan.seconds = try number("--seconds")
      plan.pauseMilliseconds = try number("--pause") ?? 0
      if plan.count == .max, plan.seconds == nil { throw Misuse("say --count or --seconds") }
      return .loop(plan)
    default: throw Misuse("say list, add, set, remove, watch, conflicts or loop")
    }
  }

  private static func assignment(_ word: String) throws -> (name: String, text: String) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { throw Misuse("write NAME=VALUE, not '\(word)'") }
    return (String(parts[0]), String(parts[1]))
  }

  /// What every release answers to `--help`.
  static func usage(_ program: String, fields: [String]) -> String {
    """
    usage: \(program) STORE [--node NAME] COMMAND
           \(program) --file FILE COMMAND

    The document is 'hosts' of the store, or a plain file with the same content.

      list                        a line with its JSON for each host
      add ID [NAME=VALUE]…        makes a host if there is none, and sets fields
      set ID NAME=VALUE…          the same
      remove ID
      watch [--count N]           a line for each state of the list, N at most (store only)
      conflicts                   open conflicts (store only)
      loop --count N | --seconds N [--seed N] [--pause MILLISECONDS]
                                  writes one field of one host again and again; chance comes from the
                                  seed alone. Prints 'wrote ID FIELD VALUE' after each write that is
                                  acknowledged

    Fields: \(fields.joined(separator: ", ")); lists are written with commas.
    Ends with 0 when all was done, 1 when something failed, 64 when it was asked wrongly.
    """
  }
}

/// The command line was not understood.
struct Misuse: Error {
  let why: String

  init(_ why: String) { self.why = why }
}

/// Writes for a while.
struct LoopPlan {
  var count = Int.max
  var seconds: Int?
  var pauseMilliseconds = 0
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// The next number below a limit: SplitMix64, so that a seed says everything.
  mutating func below(_ limit: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int((mixed ^ (mixed >> 31)) % UInt64(limit))
  }
}
