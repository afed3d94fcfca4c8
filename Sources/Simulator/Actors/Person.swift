import LosslessJSON
import Replication
import SystemCalls
import UseCases

/// Somebody at the command line of one machine.
struct Person {
  private let world: World
  private let machine: Machine

  init(_ world: World, _ machine: Machine) {
    self.world = world
    self.machine = machine
  }

  func act(_ action: Step.Action, _ chance: inout Chance) throws {
    let unmet = machine.workplace.state.withLock { state in
      // It is perhaps itself what happens in the middle of another command.
      defer { state.wasMeddledWith = false }
      return (
        written: state.written?.firstToken, last: state.nextToken, isWithin: state.wasMeddledWith
      )
    }
    defer {
      // What a program saved during the command is perhaps what the command found there and replaced; and
      // one that could not look at first, but later, found what had been saved before.
      machine.workplace.state.withLock { state in
        let first = machine.wasFaulted ? unmet.written ?? unmet.last : unmet.last
        if state.wasMeddledWith || machine.wasFaulted {
          state.doubtful.formUnion(first...max(first, state.nextToken))
        }
        state.wasMeddledWith = state.wasMeddledWith || unmet.isWithin
      }
    }
    switch action {
    case .set: try set(&chance)
    case .delete: try delete(&chance)
    case .restore, .accept, .dismiss: try resolve(action, &chance)
    case .compact:
      _ = try world.done(
        machine.command { (session) throws(UseCaseError) in
          try CompactStore().execute(in: session)
        }, "compact", machine)
    case .retire: try retire(&chance)
    case .configure: try configure(&chance)
    default: break
    }
  }

  private static let members = ["name", "note", "host", "method"]

  /// Writes one member of a record that is there, having seen what stands there.
  private func set(_ chance: inout Chance) throws {
    let (member, pick, token) = (
      chance.pick(Self.members), chance.below(64), machine.workplace.newToken()
    )
    let isNew = chance.once(in: 6)
    var replaced: Set<Int> = []
    let outcome = machine.command { (session) throws(UseCaseError) in
      _ = try FollowDocuments(session, .last).round()
      let list = try ListRecords(document: "hosts", collection: "items").execute(in: session)
      guard !list.records.isEmpty else { return false }
      let record = list.records[pick % list.records.count]
      let id = isNew ? "\"n\(token)\"" : record.id?.description ?? ""
      if !isNew { replaced = Self.value(member, of: record.text) }
      // A text without quotes would be a number.
      let request = RecordReferenceRequest(
        document: "hosts",
        place: .record(collection: "items", .string(Array(id.utf8.dropFirst().dropLast()))),
        path: .root)
      let path = JSONPointer.root.appending(JSONKey(member))
      let value = JSONText.string(JSONKey("t\(token)"))
      _ = try SetFields(
        target: request, assignments: [.init(path: path, value: value)], basedOn: nil
      ).execute(in: session)
      return true
    }
    world.doubt(machine)
    world.ledger.note(token, over: replaced)
    world.ledger.replaced.formUnion(machine.takeIntruded())
    if try world.done(outcome, "set", machine) == true { machine.met.insert(token) }
  }

  /// The values that a write of that member replaces.
  static func value(_ member: String, of record: JSONText) -> Set<Int> {
    // The group of host and port is one value, so both are replaced.
    let names = member == "host" ? ["host", "port"] : [member]
    let root = try? JSONTree(parsing: record).root  // text of the state parses
    return names.reduce(into: []) { found, name in
      found.formUnion(Tokens.all(in: Array(root?.member(JSONKey(name))?.text.bytes ?? [])))
    }
  }

  private func delete(_ chance: inout Chance) throws {
    let pick = chance.below(64)
    var replaced: Set<Int> = []
    let outcome = machine.command { (session) throws(UseCaseError) in
      _ = try FollowDocuments(session, .last).round()
      let list = try ListRecords(document: "hosts", collection: "items").execute(in: session)
      guard list.records.count > 2 else { return }
      let record = list.records[pick % list.records.count]
      replaced = Tokens.all(in: Array(record.text.bytes))
      let id = (record.id?.description ?? "").utf8.dropFirst().dropLast()
      _ = try DeleteRecords(targets: [
        RecordReferenceRequest(
          document: "hosts", place: .record(collection: "items", .string(Array(id))), path: .root)
      ]).execute(in: session)
    }
    world.doubt(machine)
    world.ledger.replaced.formUnion(replaced.union(machine.takeIntruded()))
    _ = try world.done(outcome, "delete", machine)
  }

  /// Restores, accepts or dismisses any entry.
  private func resolve(_ action: Step.Action, _ chance: inout Chance) throws {
    let pick = chance.below(1 << 20)
    var replaced: Set<Int> = []
    var restored: Set<Int> = []
    let outcome = machine.command { (session) throws(UseCaseError) in
      let entries: [JournalEntry]
      do throws(ReplicationError) {
        entries = try session.replica.allEntries()
      } catch {
        throw .replication(error)
      }
      guard !entries.isEmpty else { return }
      let entry = entries[pick % entries.count]
      let name = Hex.string(entry.id)
      // Whoever restores replaces what he sees there.
      _ = try FollowDocuments(session, .last).round()
      let list = try ListRecords(document: "hosts", collection: "items").execute(in: session)
      replaced = list.records.filter { $0.id == entry.record || entry.record == nil }
        .reduce(into: []) { $0.formUnion(Tokens.all(in: Array($1.text.bytes))) }
      // What is no record; a document that cannot be read shows nothing to him either.
      if entry.record == nil, let shown = try? machine.workplace.bytes() {
        replaced.formUnion(Tokens.all(in: shown))
      }
      switch action {
      case .restore:
        let response = try RestoreEntry(entry: name, newID: nil, isDryRun: false)
          .execute(in: session)
        // What was shown before a write of ours failed is no matter of the restored value.
        guard response.pendingExport == nil, entry.document == "hosts" else { return }
        restored = Tokens.all(in: Array(entry.discarded.last?.value?.bytes ?? []))
      case .accept: _ = try AcceptEntry(entry: name).execute(in: session)
      default: _ = try DismissEntries(entries: [name]).execute(in: session)
      }
    }
    world.doubt(machine)
    // One that died may have been carried out before.
    if case .failed = outcome {} else { world.ledger.replaced.formUnion(replaced) }
    world.ledger.replaced.formUnion(machine.takeIntruded())
    if try world.done(outcome, action.rawValue, machine) != nil {
      let shown = Tokens.all(in: try machine.workplace.bytes() ?? [])
      guard restored.isSubset(of: shown) else {
        throw Violation(.conservation, "restored and not shown: \(restored.subtracting(shown))")
      }
    }
  }

  private func retire(_ chance: inout Chance) throws {
    let others = world.machines.filter { $0 !== machine }
    guard !others.isEmpty else { return }
    let name = chance.pick(others).nodeName
    _ = try world.done(
      machine.command { (session) throws(UseCaseError) in
        try RetireNode(name: name).execute(in: session)
      }, "retire", machine)
  }

  /// Edits the configuration file: how many generations are kept.
  private func configure(_ chance: inout Chance) throws {
    let path = Machine.control.appending("config.json")
    guard let bytes = try machine.files.bytes(path) else { return }
    let text = String(decoding: bytes, as: UTF8.self)
    let keep = [4, 8, 32][chance.below(3)]
    let start = #"{"format":1,"#
    guard text.hasPrefix(start) else { return }
    let rest = text.dropFirst(start.count)
    let body = rest.hasPrefix(#""backups""#) ? rest.drop { $0 != "}" }.dropFirst(2) : rest
    try machine.files.put(Array((start + #""backups":{"keep":\#(keep)},"# + body).utf8), at: path)
  }
}
