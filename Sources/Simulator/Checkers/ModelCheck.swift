import LosslessJSON
import MergeModel
import Merging
import Replication
import SystemCalls
import UseCases

/// The document and the conflicts beside a model of merging that shares no code with the replicator: it reads
/// the logs itself, and evaluates them by brute force.
extension World {
  private typealias Model = BruteForceModel

  func checkModel(_ machine: Machine) throws {
    // Segments in archives are not read here, and what was set back may lie at other machines.
    guard !plan.has(.compaction), !ledger.hasLostLines else { return }
    let logs = try Carrier.allFiles(of: machine).map { path in
      (path: path, bytes: try machine.files.bytes(Carrier.nodes.appending(path)) ?? [])
    }
    guard let model = LogModel(logs, document: "hosts") else {
      marks.hit("logs that the model does not know")
      return
    }
    marks.hit("the model")
    if let unraised = model.unraised {
      throw Violation(.causality, "the stamp was not raised: \(unraised)")
    }
    try compare(try shown(on: machine), with: model)
    try compareConflicts(on: machine, with: model)
  }

  /// The members of each record as the document shows them; nil for what is there twice.
  private func shown(on machine: Machine) throws -> [[UInt8]: BruteForceModel.Value?] {
    var found: [[UInt8]: BruteForceModel.Value?] = [:]
    // What is no document was complained about before.
    let tree = try? JSONTree(parsing: try machine.workplace.bytes() ?? [])
    for record in tree?.root.member("items")?.elements.map({ $0 }) ?? [] {
      guard let id = record.member("id")?.text.bytes else { continue }
      let isTwice = found[Array(id)] != nil
      found[Array(id)] = .some(isTwice ? nil : LogModel.value(record))
    }
    return found
  }

  private func compare(
    _ shown: [[UInt8]: BruteForceModel.Value?], with model: LogModel
  ) throws {
    for (id, authors) in model.records {
      let expected = Model.view(Model.ops(authors))
      let found = shown[id]
      if case .some(nil) = found { continue }
      let value = found ?? nil
      guard value == expected else {
        throw Violation(
          .model,
          "\(String(decoding: id, as: UTF8.self)) is \(value?.json ?? "not there"), "
            + "by the model \(expected?.json ?? "not there")")
      }
    }
  }

  /// The same losers on the same places, for the kinds that follow from the logs.
  private func compareConflicts(on machine: Machine, with model: LogModel) throws {
    let outcome = machine.looking { (session) throws(ReplicationError) in
      session.replica.state.conflicts
    }
    guard let conflicts = try done(outcome, "look", machine) else { return }
    let numbers = Dictionary(uniqueKeysWithValues: model.sums.enumerated().map { ($1, $0) })
    var found: [[UInt8]: Set<BruteForceModel.Entry>] = [:]
    for conflict in conflicts
    where conflict.address.document == "hosts" && conflict.address.collection != nil {
      guard let id = conflict.recordID?.bytes,
        let loser = numbers[Hex.string(conflict.loser.transaction.hash.raw)]
      else { continue }
      var path: [String]?
      switch conflict.place {
      case .path(let pointer): path = pointer.tokens.map(\.string)
      case .group: path = Model.endpointPath
      case .record: break
      }
      found[Array(id), default: []].insert(
        Model.Entry(kind: conflict.kind, loser: loser, path: path))
    }
    // The model keys records by their ids alone.
    let duplicates = try machine.entries().filter { $0.kind == .duplicateID }.compactMap(\.record)
    for (id, authors) in model.records
    where !duplicates.contains(where: { $0.bytes.elementsEqual(id) }) {
      let expected = Model.journal(Model.ops(authors)).filter { $0.kind != .order }
      let mine = (found[id] ?? []).filter { $0.kind != .order }
      guard mine == expected else {
        throw Violation(
          .model,
          "conflicts of \(String(decoding: id, as: UTF8.self)): missing \(expected.subtracting(mine)), "
            + "not in the model \(mine.subtracting(expected))")
      }
    }
  }
}
