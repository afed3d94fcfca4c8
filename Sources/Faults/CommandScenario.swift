import LosslessJSON
import Merging
import Records
import Replication
import Simulation
import Storage
import SystemCalls
import UseCases

/// Whole commands on a store with one document, as a person or a `watch` runs them.
struct CommandScenario: CrashScenario {
  enum Work: String, CaseIterable, Sendable {
    case initialize, set, setUnguarded, setInPlace, rewrite, conflict, group, compact
  }

  let work: Work
  var name: String { "command, \(work.rawValue)" }

  var refusals: [String: Errno] {
    switch work {
    case .setUnguarded: ["exchange": .EINVAL, "noReplace": .EINVAL]
    case .setInPlace: ["exchange": .EBUSY]
    default: [:]
    }
  }

  static let configuration = #"""
    {"format":1,"documents":{"hosts":{"file":"hosts.json",
    "collections":[{"name":"items","at":"/items","kind":"array","id":"/id"}]}}}
    """#

  /// Nothing is kept longer than it must be.
  static let forgetful = configuration.replacing(
    #""format":1,"#, with: #""format":1,"generations":{"keep":1,"days":0},"history":{"days":0},"#)

  /// The document after so many values of `port` and, perhaps, what a program made of `name`.
  static func text(port: Int, name: String = "two", first: String = "one") -> [UInt8] {
    Array(
      (#"{"items":[{"id":"a","name":"\#(first)","port":\#(port)},"#
        + #"{"id":"b","name":"\#(name)","port":2}]}"#).utf8)
  }

  func prepare(_ machine: SimulatedMachine) throws {
    let configuration = work == .compact ? Self.forgetful : Self.configuration
    try machine.write(Array(configuration.utf8), to: "given.json")
    try machine.write(Self.text(port: 0), to: SimulatedMachine.document)
    if work != .initialize { _ = try initialize(machine, machine.stranger) }
    if work == .compact {
      let session = try session(machine)
      for number in 0..<10 { try set("/port", number % 2 == 0 ? "10" : "11", in: session) }
    }
    guard work == .conflict else { return }
    try set("/name", #""mine""#, in: try session(machine))
    try machine.write(Self.text(port: 0, first: "stale"), to: "copy.json")
  }

  func run(_ machine: SimulatedMachine) throws {
    switch work {
    case .initialize:
      _ = try initialize(machine, machine.process())
      machine.disk.acknowledge("made")
    case .set, .setUnguarded, .setInPlace:
      let session = try session(machine)
      for port in 10...11 {
        try set("/port", "\(port)", in: session)
        machine.disk.acknowledge("port \(port)")
      }
    case .rewrite:
      let session = try session(machine)
      try machine.replaceDurably(Self.text(port: 0, name: "TWO"))
      machine.disk.acknowledge("name TWO")
      try settle(session)
      try set("/port", "10", in: session)
      machine.disk.acknowledge("port 10")
    case .conflict:
      let session = try session(machine)
      _ = try ImportRewrite(
        path: SimulatedMachine.root.appending("copy.json"), document: "hosts",
        base: .generation(1), client: nil, time: nil, isDryRun: false
      ).execute(in: session)
      machine.disk.acknowledge("stale")
    case .group: try commitTogether(machine)
    case .compact:
      machine.disk.acknowledge("port 11")
      // A checkpoint is written, and written again over what lies folded.
      for _ in 0..<2 { _ = try CompactStore().execute(in: try session(machine)) }
    }
  }

  func recover(_ machine: SimulatedMachine) throws {
    if work == .initialize { _ = try initialize(machine, machine.process()) }
    try settle(try session(machine))
  }

  func violation(
    _ machine: SimulatedMachine, _ acknowledged: Set<String>, isRecovered: Bool
  ) throws -> Violation? {
    guard work != .setInPlace || isRecovered else { return nil }
    let shown = try machine.bytes(SimulatedMachine.document).map {
      String(decoding: $0, as: UTF8.self)
    }
    let isAnyWhole = work == .group || work == .conflict
    guard let shown, isAnyWhole ? isWhole(shown) : version(of: shown) != nil else {
      return Violation(.unreadable, "the document is no version: \(shown ?? "none")")
    }
    guard isRecovered else { return nil }
    let session = try session(machine)
    let journaled = try session.replica.allEntries().flatMap(\.discarded)
      .compactMap(\.value?.description).joined(separator: " ")
    for word in acknowledged.sorted() where !holds(word, shown, journaled) {
      return Violation(.lostWrite, "'\(word)' was acknowledged, shown is \(shown)")
    }
    if work == .conflict, !holds("mine", shown, journaled) {
      return Violation(.lostWrite, "what was there before is neither shown nor journaled")
    }
    let list = try ListRecords(document: "hosts", collection: "items").execute(in: session)
    guard list.records.count >= 2, list.difference == nil else {
      return Violation(.lostWrite, "\(list.records.count) records, \(list.difference ?? "shown")")
    }
    let report = try VerifyStore().execute(in: session)
    if let damage = report.damage.first {
      return Violation(.unreadable, "\(damage.path): \(damage.finding)")
    }
    let others = ["given.json", "hosts.json.tmp", "copy.json"]
    let left = try machine.leftovers().filter { !others.contains($0) }
    return left.isEmpty ? nil : Violation(.leftover, "\(left)")
  }

  private func version(of text: String) -> (port: Int, name: String)? {
    [0, 10, 11].flatMap { port in ["two", "TWO"].map { (port, $0) } }
      .first { Self.text(port: $0.0, name: $0.1).elementsEqual(text.utf8) }
  }

  private func isWhole(_ text: String) -> Bool {
    // Whether it parses is all that is asked.
    (try? JSONTree(parsing: Array(text.utf8))) != nil
  }

  /// Whether a document, after recovery, or the journal has what was acknowledged with this word.
  private func holds(_ word: String, _ text: String, _ journaled: String) -> Bool {
    switch word {
    case "made": true
    case "name TWO": version(of: text)?.name == "TWO"
    case let port where port.hasPrefix("port "):
      version(of: text)?.port ?? 0 >= Int(port.dropFirst(5)) ?? Int.max
    default: "\(text) \(journaled)".contains(#""\#(word)""#)
    }
  }
}

// MARK: - The commands

extension CommandScenario {
  private func surroundings(_ machine: SimulatedMachine, _ system: any FileSystem) -> Surroundings {
    // Later than all files, so that none is too young to be believed.
    let time = machine.disk.nanoseconds / 1_000_000 + 3_600_000
    return Surroundings(
      system: system, clock: SetWallClock(milliseconds: UInt64(time)),
      entropy: SeededEntropy(seed: machine.seed), machineID: "machine-1",
      bootID: "boot-\(machine.seed)", release: "test")
  }

  private func initialize(
    _ machine: SimulatedMachine, _ system: any FileSystem
  ) throws -> InitializeResponse {
    try InitializeStore(
      root: SimulatedMachine.root,
      configuration: SimulatedMachine.root.appending("given.json"), sharing: .nobody,
      isForced: false, nodeName: "n1"
    ).execute(in: surroundings(machine, system))
  }

  private func session(_ machine: SimulatedMachine) throws -> StoreSession {
    try StoreSession(
      root: SimulatedMachine.root, nodeName: "n1",
      surroundings: surroundings(machine, machine.process()))
  }

  private func set(_ path: String, _ text: String, in session: StoreSession) throws {
    let value = try JSONText(validating: Array(text.utf8))
    let request = SetFields(
      target: RecordReferenceRequest(
        document: "hosts", place: .record(collection: nil, .plain(Array("a".utf8))), path: .root),
      assignments: [.init(path: try JSONPointer(parsing: path), value: value)], basedOn: nil)
    _ = try request.execute(in: session)
  }

  /// Rounds over all documents until nothing is left to do, as `watch --once`.
  private func settle(_ session: StoreSession) throws {
    let follow = FollowDocuments(session, .last)
    for _ in 0..<5 {
      let round = try follow.round()
      if let pending = round.pending.first { throw Pending(reason: pending.reason) }
      if round.isQuiet { return }
    }
    throw Pending(reason: "it never comes to rest")
  }

  private struct Pending: Error { let reason: String }

  /// Many threads commit at the same time; what they write shares syncs.
  private func commitTogether(_ machine: SimulatedMachine) throws {
    let replica = try Replica(
      root: SimulatedMachine.root, surroundings: surroundings(machine, machine.process()))
    let node = try replica.register(nodeNamed: "n1")
    let committer = Committer(replica, as: node)
    let failures = Guarded<[any Error]>([])
    let threads = try (0..<4).map { number in
      try Thread.start(name: "caller") {
        do {
          try create("caller-\(number)", by: committer)
          machine.disk.acknowledge("caller-\(number)")
        } catch {
          failures.withLock { $0.append(error) }
        }
      }
    }
    for thread in threads { thread.join() }
    if let failure = failures.withLock({ $0.first }) { throw failure }
  }

  private func create(_ id: String, by committer: Committer) throws {
    let text = try JSONText(validating: Array(#"{"id":"\#(id)"}"#.utf8))
    let idText = try JSONText(validating: Array(#""\#(id)""#.utf8))
    let change = RecordChange.create(
      RecordCreation(
        collection: "items", key: .string(JSONKey(id)), id: idText, occurrence: 0, text: text,
        layout: nil, after: .start))
    _ = try committer.commit { replica in
      let (stamp, context) = (replica.stampNow(), replica.state.context)
      return TransactionDraft(
        stamp: stamp, context: context,
        operations: replica.operations(
          for: [change], document: "hosts", context: context, stamp: stamp))
    }
  }
}
