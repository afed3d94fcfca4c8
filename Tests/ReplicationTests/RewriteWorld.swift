import LosslessJSON
import Merging
import Records
import Storage
import SystemCalls
import TestSupport

@testable import Replication

/// Three machines with a store each, between which logs are carried, and what was written there.
///
/// Every value that is written is a text of its own, so it can be looked for everywhere. Which
/// values the replicator has met, and who replaced them having read them, is noted here.
final class RewriteWorld {
  /// What the old program cannot write exactly and nobody means to change.
  static let big = "12345678901234567890"
  static let start =
    #"{"items":[{"id":"r1","name":"ta","note":"tb","method":"tc","big":\#(big)},"#
    + #"{"id":"r2","name":"td","note":"te"},{"id":"r3","name":"tf"},{"id":"r4","note":"tg"}]}"#

  final class Machine {
    let store: TestStore
    private(set) var process: TestProcess
    /// The segments of the node's own log as they were when a backup was made.
    private var backup: [String: [UInt8]] = [:]
    var programs: [ClientModel]
    /// What a program wrote last, and by then had replaced, until a pass meets it.
    var written: (text: String, replaced: Set<String>)?

    init(_ number: Int) throws {
      store = try TestStore(
        configuration: TestStore.configuration
          .replacing(#""documents""#, with: #""massDelete":{"minimum":1000},"documents""#)
          .replacing(#""clients":{"old":{"#, with: #""clients":{"old":{"numbers":"double","#),
        hosts: RewriteWorld.start,
        schemas: [
          "old": TestStore.oldSchema.replacing(
            #""port":{}"#, with: #""big":{},"port":{"default":22}"#)
        ], seed: UInt64(number + 1))
      store.machine = "machine-\(number)"
      process = try Self.process(store, "n\(number)")
      programs = try [false, true].map { try ClientModel(isOld: $0, reading: RewriteWorld.start) }
    }
  }

  var machines: [Machine]
  /// Whether lines of a log may be lost for good; then values that stood there alone may be, too.
  private(set) var hasLostLines = false
  /// Values that a pass has met, with the member they were written to.
  private(set) var met: [String: String] = [:]
  /// Values that somebody replaced who had read them, and whose write was met.
  private(set) var replaced: Set<String> = []
  private var count = 0

  init() throws {
    machines = try (0..<RewriteStep.nodes).map(Machine.init)
    for machine in machines {
      machine.written = (Self.start, [])
      try pass(machine)
    }
    // They begin as machines that know each other; else every value would clash with an adoption.
    try carryAll()
    for machine in machines {
      try machine.process.pass()
      try machine.save()
    }
  }

  func run(_ step: RewriteStep) throws {
    count += 1
    switch step {
    case .read(let node, let isOld):
      try machines[node].programs[isOld ? 1 : 0].read(try machines[node].store.text())
    case .write(let node, let isOld, let edit, let record, let isInPlace):
      try write(machines[node], isOld, edit, record, isInPlace)
    case .commit(let node, let record, let isNote): try commit(machines[node], record, isNote)
    case .pass(let node): try pass(machines[node])
    case .carry(let author, let from, let to):
      if from != to, author != to { try carry(author, machines[from], machines[to]) }
    case .look(let node): _ = try machines[node].store.text()
    case .clock(let node, let seconds):
      machines[node].store.clock.advance(milliseconds: UInt64(seconds) * 1000)
    case .save(let node): try machines[node].save()
    case .setBack(let node):
      if try machines[node].setBack() { hasLostLines = true }
    }
  }

  private var newValue: String { "\"t\(count)\"" }

  private func write(
    _ machine: Machine, _ isOld: Bool, _ edit: RewriteStep.Edit, _ record: Int, _ isInPlace: Bool
  ) throws {
    let number = isOld ? 1 : 0
    switch edit {
    case .add: machine.programs[number].add("\"n\(count)\"", name: newValue)
    case .delete: machine.programs[number].delete(record)
    case .sort: machine.programs[number].sort()
    case .note where isOld: machine.programs[number].set(record, "name", newValue)
    case .method where isOld: machine.programs[number].set(record, "method", "\"mosh\"")
    case .name, .note, .method, .host, .port:
      machine.programs[number].set(record, "\(edit)", newValue)
    }
    let program = machine.programs[number]
    machine.written = (program.text, program.replaced)
    guard isInPlace else { return try machine.store.write(program.text, to: "hosts.json") }
    let file = try FileDescriptor.open(
      machine.store.root.appending("hosts.json"), [.write, .truncate], system: LiveFileSystem())
    try file.write(Array(program.text.utf8))
  }

  private func commit(_ machine: Machine, _ record: Int, _ isNote: Bool) throws {
    try machine.process.replica.refresh()
    let views = machine.process.replica.state.records(document: "hosts", collection: "items")
    guard !views.isEmpty, let id = views[record % views.count].id?.description else { return }
    let path = isNote ? "/note" : "/name"
    if let old = try machine.process.value(id, path) { replaced.insert(old) }
    try machine.process.set(id, path, newValue)
    met[newValue] = isNote ? "note" : "name"
  }

  func pass(_ machine: Machine) throws {
    if let written = machine.written {
      for member in try ClientModel.records(written.text).joined()
      where member.value.hasPrefix("\"t") {
        met[member.value] = member.name
      }
      replaced.formUnion(written.replaced)
      machine.written = nil
    }
    try machine.process.pass()
  }

  func carryAll() throws {
    for author in machines.indices {
      for to in machines.indices where to != author {
        try carry(author, machines[author], machines[to])
      }
      // What a log lacks that was set back comes home from where it had been carried.
      for from in machines.indices where from != author && hasLostLines {
        try carry(author, machines[from], machines[author])
      }
    }
  }

  /// Brings the files of a node to another machine, as any carrier of files would.
  func carry(_ author: Int, _ from: Machine, _ to: Machine) throws {
    let name = Hex.string(machines[author].process.node.id.raw)
    let nodes = ".replicator/nodes"
    guard try from.store.names(in: nodes).contains(name) else { return }
    if try !to.store.names(in: nodes).contains(name) {
      let directory = try FileDescriptor.open(
        to.store.root.appending(nodes), [.read, .directory], system: LiveFileSystem())
      try directory.makeDirectory(name, mode: 0o755)
      try directory.open(name, [.read, .directory]).makeDirectory("log", mode: 0o755)
    }
    for folder in ["\(nodes)/\(name)/log", "\(nodes)/\(name)"] {
      for file in try from.store.names(in: folder)
      where file.hasSuffix(".jsonl") || file == "node.json" {
        let bytes = try from.store.bytes(of: "\(folder)/\(file)")
        let known =
          try to.store.names(in: folder).contains(file)
          ? try to.store.bytes(of: "\(folder)/\(file)") : []
        if bytes.count > known.count { try to.store.write(bytes, to: "\(folder)/\(file)") }
      }
    }
  }
}

extension RewriteWorld.Machine {
  fileprivate static func process(_ store: TestStore, _ name: String) throws -> TestProcess {
    let opens = try InodeOpens(over: store.system)
    let replica = try Replica(root: store.root, surroundings: store.surroundings(opens.system))
    replica.evidence = ReadEvidence(opens)
    return TestProcess(store, replica, try replica.register(nodeNamed: name))
  }

  private var log: String { ".replicator/nodes/\(Hex.string(process.node.id.raw))/log" }

  func save() throws {
    backup = [:]
    for file in try store.names(in: log) where file.hasSuffix(".jsonl") {
      backup[file] = try store.bytes(of: "\(log)/\(file)")
    }
  }

  /// - Returns: whether there was a backup, and it lacks anything.
  func setBack() throws -> Bool {
    guard !backup.isEmpty else { return false }
    var isOlder = false
    for file in try store.names(in: log) where file.hasSuffix(".jsonl") {
      let bytes = try store.bytes(of: "\(log)/\(file)")
      guard backup[file] != bytes else { continue }
      isOlder = true
      if let old = backup[file] {
        try store.write(old, to: "\(log)/\(file)")
      } else {
        try store.remove("\(log)/\(file)")
      }
    }
    process = try Self.process(store, process.node.name)
    return isOlder
  }
}
