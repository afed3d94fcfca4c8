import LosslessJSON
import Merging
import Records
import Replication
import Storage
import SystemCalls
import UseCases

/// An application that uses the library: it keeps the store open, and writes over what it read a while ago.
struct OpenApplication {
  let system: FaultySystem
  let session: StoreSession
  /// What it has read: the records, and the read token.
  var records: [(id: RecordID, text: JSONText)] = []
  var seen = Context.empty
}

extension Machine {
  func closeApplication() {
    guard let application else { return }
    self.application = nil
    end(application.system)
  }

  /// The application does something; it is started where there is none.
  func applying<Result>(
    _ body: (inout OpenApplication) throws(UseCaseError) -> Result
  ) -> Outcome<Result> {
    let system = application?.system ?? process()
    if application != nil { system.arm(takeFaults()) }
    let result = outcome(system) { () throws(UseCaseError) in
      var open: OpenApplication
      if let application {
        open = application
      } else {
        open = OpenApplication(system: system, session: try session(system))
      }
      let result = try body(&open)
      application = open
      return result
    }
    keepFaults(of: system)
    system.arm([])
    if case .done = result { return result }
    // One that failed or died is started again by whoever needs it.
    application = nil
    end(system)
    return result
  }
}

extension World {
  func act(_ action: Step.Action, by machine: Machine, _ chance: inout Chance) throws {
    if action == .open || machine.application == nil { try open(machine) }
    if action == .save, machine.application != nil { try save(machine, &chance) }
  }

  /// The application reads everything.
  private func open(_ machine: Machine) throws {
    let outcome = machine.applying { (open) throws(UseCaseError) in
      _ = try FollowDocuments(open.session, .later).round()
      open.records = try open.read()
      open.seen = open.session.replica.state.context
    }
    _ = try done(outcome, "library", machine)
    doubt(machine)
  }

  /// It changes, makes or deletes a record, having seen what it read then.
  private func save(_ machine: Machine, _ chance: inout Chance) throws {
    let (member, kind, pick) = (
      chance.pick(["name", "note", "host"]), chance.below(6), chance.below(64)
    )
    let token = machine.workplace.newToken()
    guard let records = machine.application?.records, !records.isEmpty else { return }
    let record = records[pick % records.count]
    var change = try SaveRecords.Change.edit(Self.edit(member, token))
    var (id, replaced) = (record.id, Person.value(member, of: record.text))
    if kind == 0 {
      (id, replaced) = (RecordID("n\(token)"), [])
      change = .create(RawJSON(Self.created(token)), after: .end)
    } else if kind == 1, records.count > 2 {
      (change, replaced) = (.delete, Tokens.all(in: Array(record.text.bytes)))
    }
    let request = (id: id, change: change)
    var isGone = true
    let outcome = machine.applying { (open) throws(UseCaseError) in
      // A log that could not be read just now has perhaps more.
      let isFresh = try open.isFresh && !open.system.hasFired
      try commit(request, &open)
      if case .delete = request.change, isFresh {
        isGone = try !open.read().contains { $0.id == request.id }
      }
      _ = try FollowDocuments(open.session, .later).round()
    }
    doubt(machine)
    ledger.note(token, over: replaced)
    guard try done(outcome, "library", machine) != nil else { return }
    if case .delete = change {
      guard isGone else { throw Violation(.causality, "\(id.text) was deleted and is there") }
    } else {
      machine.met.insert(token)
    }
  }

  private static func edit(_ member: String, _ token: Int) throws -> [FieldEdit] {
    let (empty, full) = (
      try JSONTree(parsing: Array("{}".utf8)),
      try JSONTree(parsing: Array(#"{"\#(member)":"t\#(token)"}"#.utf8))
    )
    return FieldEdit.edits(from: empty.root, to: full.root)
  }

  private static func created(_ token: Int) -> JSONText {
    JSONText(unchecked: Array("{\"id\":\"n\(token)\",\"name\":\"t\(token)\"}".utf8))
  }

  /// What the library does with a transaction.
  private func commit(
    _ change: (id: RecordID, change: SaveRecords.Change), _ open: inout OpenApplication
  ) throws(UseCaseError) {
    let session = open.session
    let node = try session.node()
    let request = SaveRecords(
      document: "hosts", collection: "items", changes: [change],
      seen: seen(open.seen, node.id, session))
    let document = try session.document(named: "hosts")
    let style = DocumentStyle(of: document, in: session.replica)
    let (draft, _) = try request.draft(in: session, style: style)
    do throws(ReplicationError) {
      guard !draft.operations.isEmpty else { return }
      _ = try session.replica.commit(draft, as: node)
    } catch {
      throw .replication(error)
    }
    // It goes on from what it has written.
    open.records = try open.read()
    open.seen = session.replica.state.context
  }

  private func seen(_ token: Context, _ node: NodeID, _ session: StoreSession) -> Context {
    switch plan.variant?.mistake {
    case .contextAtCommit: session.replica.state.context
    case .singlePredecessor: Context(writers: token.writers.filter { $0.key.node == node })
    default: token
    }
  }
}

extension OpenApplication {
  /// Whether it has read all that is there.
  fileprivate var isFresh: Bool {
    get throws(UseCaseError) {
      do throws(ReplicationError) {
        try session.replica.refresh()
        return seen == session.replica.state.context
      } catch {
        throw .replication(error)
      }
    }
  }

  /// The records that are there now and have an id.
  fileprivate func read() throws(UseCaseError) -> [(id: RecordID, text: JSONText)] {
    try ListRecords(document: "hosts", collection: "items").execute(in: session).records
      .compactMap { record in
        record.id.flatMap { RecordID(text: $0) }.map { (id: $0, text: record.text) }
      }
  }
}
