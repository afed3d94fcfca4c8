import ReplicatorKit

/// A host manager without a screen: the same program for every release, which brings its record type.
package enum HostManager<Host: ManagedHost> {
  /// - Returns: the exit code.
  package static func run(_ words: [String]) async -> Int32 {
    if words.isEmpty || words.contains("--help") {
      Terminal.say(HostCommand.usage(Host.program, fields: Host.settable.map(\.name)))
      return words.isEmpty ? 64 : 0
    }
    do {
      let command = try HostCommand(words)
      switch command.place {
      case .store(let directory, let node):
        let store = try await Store.open(at: directory, node: node)
        let hosts = try await store.collection("hosts", of: Host.self)
        try await run(command.action, on: hosts)
        await store.close()
      case .file(let path): try await run(command.action, on: HostFile<Host>(path: path))
      }
      return 0
    } catch let error as Misuse {
      Terminal.complain("\(Host.program): \(error.why)")
      return 64
    } catch {
      Terminal.complain("\(Host.program): \(error)")
      return 1
    }
  }

  // MARK: - Through the library

  private static func run(
    _ action: HostCommand.Action, on hosts: Store.Collection<Host>
  ) async throws {
    switch action {
    case .list: show(try await hosts.read().records)
    case .set(let id, let fields):
      try await hosts.transaction { try change(&$0, RecordID(id), fields) }
    case .remove(let id): try await hosts.transaction { $0[RecordID(id)] = nil }
    case .conflicts:
      for entry in try await hosts.conflicts() {
        let words = [
          entry.id, entry.kind, entry.record?.description ?? "-", entry.path ?? "-",
          entry.kept?.value?.text ?? "-", entry.discarded.first?.value?.text ?? "-",
        ]
        Terminal.say(words.joined(separator: " "))
      }
    case .watch(let count): try await watch(hosts, count)
    case .loop(let plan):
      try await loop(plan, ids: { try await hosts.read().records.map(\.id) }) { id, fields in
        try await hosts.transaction { try change(&$0, id, fields) }
      }
    }
  }

  private static func watch(_ hosts: Store.Collection<Host>, _ count: Int?) async throws {
    var left = count ?? .max
    for await state in hosts.changes where left > 0 {
      Terminal.say("\(state)")
      left -= 1
      if left == 0 { return }
    }
  }

  // MARK: - Through the plain file

  private static func run(_ action: HostCommand.Action, on file: HostFile<Host>) async throws {
    switch action {
    case .list: show(try file.load().records)
    case .set(let id, let fields):
      try file.change { try change(&$0, RecordID(id), fields) }
    case .remove(let id): try file.change { $0[RecordID(id)] = nil }
    case .conflicts, .watch: throw Misuse("a plain file has no history; name a store")
    case .loop(let plan):
      try await loop(plan, ids: { try file.load().records.map(\.id) }) { id, fields in
        try file.change { try change(&$0, id, fields) }
      }
    }
  }

  // MARK: - What both do

  private static func change(
    _ records: inout RecordList<Host>, _ id: RecordID, _ fields: [(name: String, text: String)]
  ) throws {
    var host = records[id] ?? Host()
    for (name, text) in fields {
      guard let field = Host.settable.first(where: { $0.name == name }) else {
        throw Misuse("\(Host.program) has no field '\(name)'")
      }
      field.set(&host, text)
    }
    records[id] = host
  }

  private static func show(_ records: RecordList<Host>) {
    for (id, host) in records {
      Terminal.say("\(id) \(host.raw.text.split(separator: "\n").joined())")
    }
    for raw in records.opaque { Terminal.say("? \(raw.text)") }
  }

  /// Writes one field of one host at a time, and says so once it is acknowledged.
  private static func loop(
    _ plan: LoopPlan, ids: () async throws -> [RecordID],
    write: (RecordID, [(name: String, text: String)]) async throws -> Void
  ) async throws {
    var plan = plan
    let end = plan.seconds.map { ContinuousClock.now + .seconds($0) }
    var known = try await ids()
    var number = 0
    while number < plan.count, end.map({ ContinuousClock.now < $0 }) ?? true {
      if number % 50 == 0, number > 0 { known = try await ids() }
      guard !known.isEmpty else { throw Misuse("there is no host to write; add some") }
      let id = known[plan.below(known.count)]
      let field = Host.settable[plan.below(Host.settable.count)]
      let text = field.sample(number)
      try await write(id, [(field.name, text)])
      Terminal.say("wrote \(id) \(field.name) \(text)")
      number += 1
      if plan.pauseMilliseconds > 0 {
        try await Task.sleep(for: .milliseconds(plan.pauseMilliseconds))
      }
    }
  }
}
