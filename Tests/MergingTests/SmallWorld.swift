import LosslessJSON
import Merging

@testable import MergeModel

/// A world of a few transactions on one record, for the engine and for the model.
struct SmallWorld {
  typealias Model = BruteForceModel

  enum Act {
    case create([String: Model.Value])
    case adopt([String: Model.Value])
    case set([String], Model.Value)
    case remove(String)
    case fill(String)
    case delete
    case tag(String)
    case untag(String)
    /// Nil takes the element away.
    case element(Int, p: String?)
    case move(String)
  }

  static let rules: RecordRules = {
    var rules = RecordRules()
    rules.sets = [On.pointer("/tags")]
    rules.groups = ["endpoint": Model.endpoint.map { On.pointer("/" + $0) }]
    rules.keyed = [On.pointer("/list"): On.pointer("/id")]
    return rules
  }()

  static let address = RecordAddress(
    document: "hosts.json", collection: "hosts", key: .string("r"))

  var authors: [Model.Author] = []
  var transactions: [Transaction] = []
  /// What each author meant to have when he had written; nil is no record.
  var intents: [Model.Value?] = []

  func ops(_ seen: Set<Int>) -> [Model.Op] {
    Model.ops(authors.filter { seen.contains($0.number) })
  }

  /// Lets a node write, having seen some transactions; nil where the act makes no sense for it.
  func adding(_ act: Act, node: Int, seen: Set<Int>, wall: UInt64) -> SmallWorld? {
    let number = authors.count
    let known = ops(seen)
    let record = Model.view(known)
    let incarnation = Model.choose(known).shown.first ?? nil
    guard
      let (write, intent) = Self.write(
        act, number: number, record: record, incarnation: incarnation, known)
    else { return nil }
    if case .adopt = act, !seen.isEmpty { return nil }
    var stamp = wall
    for op in known {
      let isCovered =
        write.kind != .set || op.path.starts(with: write.path) || write.path.starts(with: op.root)
        || op.isOfEndpoint && write.path.count == 1 && Model.endpoint.contains(write.path[0])
      if isCovered, op.rank[1] >= stamp { stamp = op.rank[1] + 1 }
    }
    var world = self
    world.authors.append(
      Model.Author(number: number, node: node, seen: seen, stamp: stamp, write: write))
    world.intents.append(intent)
    world.transactions.append(transaction(number, node, seen, stamp, write))
    return world
  }

  private static func write(
    _ act: Act, number: Int, record: Model.Value?, incarnation: Int?, _ known: [Model.Op]
  ) -> (Model.Write, Model.Value?)? {
    func set(_ path: [String], _ value: Model.Value?, _ rank: Int = 2) -> Model.Write {
      Model.Write(
        kind: .set, incarnation: incarnation, path: path, value: value, rankClass: rank)
    }
    switch act {
    case .create(let members):
      guard record == nil else { return nil }
      return (
        Model.Write(
          kind: .create, incarnation: number, path: [], value: .object(members), rankClass: 2),
        .object(members)
      )
    case .adopt(let members):
      return (
        Model.Write(
          kind: .create, incarnation: nil, path: [], value: .object(members), rankClass: 1),
        .object(members)
      )
    case .delete:
      guard record != nil else { return nil }
      return (
        Model.Write(kind: .delete, incarnation: nil, path: [], value: nil, rankClass: 2), nil
      )
    case .set(let path, let value):
      guard var record else { return nil }
      // Where the author sees no object on the way, he writes one at that place.
      var path = path
      var value = value
      for depth in 1..<max(1, path.count) {
        if case .object = record.at(Array(path.prefix(depth))) { continue }
        for key in path.dropFirst(depth).reversed() { value = .object([key: value]) }
        path = Array(path.prefix(depth))
        break
      }
      record.put(value, path[...])
      return (set(path, value), record)
    case .tag(let tag):
      guard let record else { return nil }
      let tags = record.elements(at: ["tags"]) ?? []
      guard !tags.contains(.scalar(tag)) else { return nil }
      return Self.write(
        .set(["tags"], .sorted(tags + [.scalar(tag)])), number: number, record: record,
        incarnation: incarnation, known)
    case .untag(let tag):
      guard let record, let tags = record.elements(at: ["tags"]), tags.contains(.scalar(tag))
      else { return nil }
      return Self.write(
        .set(["tags"], .array(tags.filter { $0 != .scalar(tag) })), number: number,
        record: record, incarnation: incarnation, known)
    case .element(let id, let p):
      guard let record else { return nil }
      var elements = Model.elementsByID(record.elements(at: ["list"]) ?? [])
      guard p != nil || elements["\(id)"] != nil else { return nil }
      elements["\(id)"] = p.map { .object(["id": .scalar("\(id)"), "p": .scalar($0)]) }
      return Self.write(
        .set(["list"], .sorted(elements.values)), number: number, record: record,
        incarnation: incarnation, known)
    case .move(let place):
      guard let record, Model.place(known) != place else { return nil }
      return (
        Model.Write(
          kind: .move, incarnation: incarnation, path: [], value: .scalar(place), rankClass: 2),
        record
      )
    case .remove(let key):
      guard var record, record.at([key]) != nil else { return nil }
      record.put(nil, [key])
      return (set([key], nil), record)
    case .fill(let key):
      guard var record, record.at([key]) == nil else { return nil }
      let shown = Model.choose(known).shown
      let isExplicit = known.contains {
        $0.path.first == key && $0.rankClass == 2 && shown.contains($0.incarnation)
      }
      guard !isExplicit else { return nil }
      record.put(.scalar("\"default\""), [key])
      return (set([key], .scalar("\"default\""), 0), record)
    }
  }

  // MARK: - For the engine

  private func transaction(
    _ number: Int, _ node: Int, _ seen: Set<Int>, _ stamp: UInt64, _ write: Model.Write
  ) -> Transaction {
    let writer = WriterID(node: NodeID(raw: UInt64(node)), epoch: 0)
    let own = authors.filter { $0.node == node }
    let previous = own.last.map { transactions[$0.number].id.hash } ?? .none
    var context = Context()
    for earlier in seen.sorted() { context.insert(transactions[earlier].id) }
    let value = write.value.map { JSONText(unchecked: Array($0.json.utf8)) }
    let action: Action =
      switch write.kind {
      case .create: .create(value ?? .null, position: .first, layout: nil)
      case .delete: .deleteRecord
      case .move: .move(Fraction(text: Array((write.value?.json ?? "").utf8)))
      case .set:
        if let value {
          .set(JSONPointer(write.path.map { JSONKey($0) }), value, after: nil)
        } else {
          .remove(JSONPointer(write.path.map { JSONKey($0) }))
        }
      }
    let incarnation: Incarnation =
      switch write.incarnation {
      case nil: .adopted
      case number: .own(ordinal: 0)
      case .some(let creator): .created(by: transactions[creator].id.hash, ordinal: 0)
      }
    return Transaction(
      id: TransactionID(
        writer: writer, sequence: UInt64(own.count + 1), hash: LineHash(raw: UInt64(number + 1))),
      previous: previous, stamp: Stamp(raw: stamp), context: context, client: nil,
      operations: [
        Operation(
          target: Self.address, id: .string("r"), incarnation: incarnation, action: action,
          operationClass: OperationClass(rawValue: UInt8(write.rankClass)) ?? .explicit)
      ])
  }

  /// The causally closed sets of its transactions.
  var closedSets: [Set<Int>] {
    (0..<(1 << authors.count)).map { mask in
      Set(authors.indices.filter { mask >> $0 & 1 == 1 })
    }.filter { set in set.allSatisfy { authors[$0].seen.isSubset(of: set) } }
  }
}
