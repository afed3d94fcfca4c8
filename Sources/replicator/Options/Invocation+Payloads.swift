import Replication
import UseCases

// The payloads of single commands from what was typed.

extension InitOptions {
  init(_ line: TypedLine) {
    directory = line.operands.first
    config = line.value(.config)
    sharing = line.has(.shared) ? .group(line.value(.shared)) : .owner
    isForced = line.has(.force)
  }
}

extension AddOptions {
  init(_ line: TypedLine) throws(UsageError) {
    file = line.operands[0]
    name = line.value(.name)
    clients = line.values(.client)
    at = line.value(.at)
    ids = line.values(.id)
    kind = line.value(.kind).flatMap(Kind.init(rawValue:))
    dialect = line.value(.dialect)
    isForced = line.has(.force)
    if let name, !Self.isDocumentName(name) {
      throw UsageError(
        "'\(name)' is no name for a document",
        hint: "use 1 to 64 of the signs A-Z a-z 0-9 . _ -")
    }
    for pointer in [at].compactMap({ $0 }) + ids {
      _ = try Pointer.parse(pointer)
    }
  }

  private static func isDocumentName(_ name: String) -> Bool {
    (1...64).contains(name.utf8.count)
      && name.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
          || (0x61...0x7A).contains(byte) || [0x2D, 0x2E, 0x5F].contains(byte)
      }
  }
}

extension WatchMode {
  init(_ line: TypedLine) throws(UsageError) {
    let seconds = line.value(.poll)
    if line.has(.once) {
      if seconds != nil {
        throw UsageError("'--once' and '--poll' exclude each other", in: .watch)
      }
      self = .once
    } else if let seconds {
      guard let number = Double(seconds), number >= 0.1, number <= 86_400 else {
        throw UsageError(
          "'--poll' does not take '\(seconds)'", hint: "write seconds, between 0.1 and 86400")
      }
      self = .polling(.milliseconds(Int64(number * 1000)))
    } else {
      self = .events
    }
  }
}

extension ImportOptions {
  init(_ line: TypedLine) throws(UsageError) {
    file = line.operands[0]
    guard let into = line.value(.into) else {
      throw UsageError("'import' needs '--into DOC'", in: .`import`)
    }
    document = into
    base = try line.value(.base).map { text throws(UsageError) in try Base(text) }
    client = line.value(.client)
    time = try line.value(.time).map { text throws(UsageError) in try TimePoint.rfc3339(text) }
    isDryRun = line.has(.dryRun)
  }
}

extension MergeOptions {
  init(_ line: TypedLine) {
    base = line.operands[0]
    ours = line.operands[1]
    theirs = line.operands[2]
    output = line.value(.output)
    config = line.value(.config)
    clientOfTheirs = line.value(.clientTheirs)
    switch line.value(.prefer) {
    case "theirs": preference = .theirs
    case "newest": preference = .newest
    default: preference = .ours
    }
  }
}

extension ImportOptions.Base {
  init(_ text: String) throws(UsageError) {
    if !text.utf8.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      self = .generation(try TypedLine.generation(text, "--base", in: .`import`))
    } else if text.utf8.contains(UInt8(ascii: "/")) {
      self = .file(text)
    } else {
      throw UsageError(
        "'--base' takes a generation or a file with a / in its name, not '\(text)'",
        hint: "for a file write ./\(text)")
    }
  }
}

extension VersionAddress {
  /// Digits are a generation, unless they are as many as `backups` shows of a hash.
  init(_ text: String) throws(UsageError) {
    let isNumber = text.utf8.allSatisfy { (0x30...0x39).contains($0) } && text.utf8.count < 16
    let isHash = text.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20)
    }
    if isHash, !isNumber, (4...32).contains(text.utf8.count) {
      self = .content(text.lowercased())
    } else {
      self = .generation(try TypedLine.generation(text, "VERSION", in: .rollback))
    }
  }
}

extension LogFilter {
  init(_ line: TypedLine) throws(UsageError) {
    limit = try line.count(.number, "-n", in: .log)
    document = line.value(.document)
    record = try line.value(.record).map { text throws(UsageError) in try IDPattern(text) }
    path = try line.value(.path).map { text throws(UsageError) in try Pointer.nameOrPointer(text) }
    node = line.value(.node)
    client = line.value(.client)
    kinds = try Self.kinds(line.values(.kind))
    since = try line.value(.since).map { text throws(UsageError) in try TimePoint(text) }
    until = try line.value(.until).map { text throws(UsageError) in try TimePoint(text) }
    isOpenOnly = line.has(.open)
    includesOverwrites = line.has(.all)
    isReversed = line.has(.reverse)
    isOneLine = line.has(.oneline)
    isFollowing = line.has(.follow)
    if isFollowing && isReversed {
      throw UsageError("'--follow' and '--reverse' exclude each other", in: .log)
    }
  }

  private static func kinds(_ lists: [String]) throws(UsageError) -> [String] {
    var kinds: [String] = []
    for list in lists {
      for word in list.utf8.split(separator: UInt8(ascii: ",")) {
        let kind = String(decoding: Array(word), as: UTF8.self)
        guard EntryKinds.all.contains(kind) else {
          let near = Spelling.nearest(to: kind, in: EntryKinds.all)
          let hint = near.map { "did you mean '\($0)'?" } ?? "see 'replicator man' for all kinds"
          throw UsageError("there is no kind '\(kind)'", hint: hint)
        }
        kinds.append(kind)
      }
    }
    return kinds
  }
}

extension TypedLine {
  /// The value of an option that is a generation: a positive integer.
  func generation(_ key: OptionKey, in command: CommandName) throws(UsageError) -> Int? {
    guard let text = value(key) else { return nil }
    return try Self.generation(text, "--\(key.rawValue)", in: command)
  }

  static func generation(
    _ text: String, _ typed: String, in command: CommandName
  ) throws(UsageError) -> Int {
    guard let number = Int(text), number > 0 else {
      throw UsageError("'\(typed)' takes a positive number, not '\(text)'", in: command)
    }
    return number
  }

  /// The value of an option that is a count: zero or more.
  func count(
    _ key: OptionKey, _ typed: String, in command: CommandName
  ) throws(UsageError) -> Int? {
    guard let text = value(key) else { return nil }
    guard let number = Int(text), number >= 0 else {
      throw UsageError("'\(typed)' takes a number, not '\(text)'", in: command)
    }
    return number
  }
}
