import FoundationEssentials

/// Programs that work all the while.
enum Loops {
  /// Reads, adds one record under its own key, replaces the file; again and again.
  static func append(_ words: [String]) async throws {
    let arguments = try Arguments(
      words, arity: ["--prefix": 1, "--count": 1, "--rate": 1, "--collection": 1])
    let path = try arguments.first("the file")
    let prefix = arguments.value("--prefix") ?? "r"
    let count = try arguments.number("--count", default: 100)
    let rate = try arguments.number("--rate", default: 0)
    let collection = (arguments.value("--collection") ?? "/items")
      .split(separator: "/").map(String.init)
    let clock = ContinuousClock()
    let start = clock.now
    for number in 0..<count {
      if rate > 0 {
        try await clock.sleep(until: start + .milliseconds(1000 * number / rate))
      }
      var document = try Files.load(JSONValue.self, from: path)
      let key = "\(prefix)-\(number)"
      let record: [String: JSONValue] = [
        "id": .string(key), "name": .string("Record \(key)"),
        "hostname": .string("\(key).example.org"),
      ]
      try document.add(record, key: key, at: collection[...])
      try Files.save(document, to: path, .byRename)
    }
    print("\(prefix): added \(count) records to \(path)")
  }

  /// Opens and parses files until another file appears.
  static func read(_ words: [String]) async throws {
    let arguments = try Arguments(words, arity: ["--until": 1])
    let end = arguments.value("--until")
    guard let end, !arguments.plain.isEmpty else {
      throw ClientError("write read-loop FILE… --until FILE")
    }
    var reads = 0
    var failures: [String] = []
    while !FileManager.default.fileExists(atPath: end), failures.count < 20 {
      for path in arguments.plain {
        do {
          _ = try Files.load(JSONValue.self, from: path)
        } catch {
          failures.append("\(path): \(error)")
        }
        reads += 1
      }
      try await Task.sleep(for: .milliseconds(2))
    }
    print("readers: \(reads) reads, \(failures.count) missing or unparseable")
    for failure in failures { print("  \(failure)") }
    if reads == 0 { throw ClientError("nothing was read") }
    if !failures.isEmpty { throw ClientError("a reader met a missing or unparseable file") }
  }

  /// Rewrites the whole file again and again, alternately in place and by rename.
  static func rewrite(_ words: [String]) async throws {
    let arguments = try Arguments(
      words,
      arity: [
        "--client": 1, "--kind": 1, "--count": 1, "--field": 1, "--value": 1, "--pause": 1,
      ])
    let kind = arguments.value("--kind") ?? "hosts"
    switch (kind, arguments.value("--client")) {
    case ("hosts", "old"): try await rewrite(OldHost.self, arguments)
    case ("hosts", "new"): try await rewrite(NewHost.self, arguments)
    case ("library", "old"): try await rewrite(OldBook.self, arguments)
    case ("library", "new"): try await rewrite(NewBook.self, arguments)
    default: throw ClientError("write --client old|new and --kind hosts|library")
    }
  }

  private static func rewrite<Record: DemoRecord>(
    _ type: Record.Type, _ arguments: Arguments
  ) async throws {
    let path = try arguments.first("the file")
    let count = try arguments.number("--count", default: 100)
    let pause = try arguments.number("--pause", default: 20)
    let field = arguments.value("--field") ?? "name"
    let client = arguments.value("--client") ?? ""
    // Every '%' of the value is the number of the rewrite.
    let value = arguments.value("--value") ?? "\(client) %"
    for number in 0..<count {
      // Another program may be in the middle of writing in place: a person would press reload.
      var document = try await Files.loadPatiently(Document<Record>.self, from: path)
      guard !document.items.isEmpty else { throw ClientError("'\(path)' has no records") }
      let index = number % document.items.count
      if let replaced = text(of: field, in: document.items[index]) {
        print("replaced \(replaced)")
      }
      try document.items[index].set(
        field,
        value.split(separator: "%", omittingEmptySubsequences: false)
          .joined(separator: "\(number)"))
      try Files.save(document, to: path, number.isMultiple(of: 2) ? .inPlace : .byRename)
      try await Task.sleep(for: .milliseconds(pause))
    }
    print("\(Record.program): rewrote \(path) \(count) times")
  }

  /// What the program shows of a member that is a text.
  private static func text(of field: String, in record: some DemoRecord) -> String? {
    Mirror(reflecting: record).children.first { $0.label == field }?.value as? String
  }
}
