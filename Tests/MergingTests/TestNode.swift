import LosslessJSON
import Merging

/// A node that writes transactions in tests: it numbers them and keeps what it has seen.
struct TestNode {
  let writer: WriterID
  private(set) var last: TransactionID?
  var context = Context()

  init(_ number: UInt64) {
    writer = WriterID(node: NodeID(raw: number), epoch: 0)
  }

  /// Writes operations at a time, by default having seen all that it knows, and sees its own.
  mutating func write(
    _ operations: Operation..., at time: UInt64, seeing context: Context? = nil,
    client: String? = nil, salt: UInt64 = 0
  ) -> Transaction {
    write(operations, at: time, seeing: context, client: client, salt: salt)
  }

  /// - Parameter salt: tells the lines of a copy of the node from its own of the same label.
  mutating func write(
    _ operations: [Operation], at time: UInt64, seeing context: Context? = nil,
    client: String? = nil, salt: UInt64 = 0
  ) -> Transaction {
    let sequence = (last?.sequence ?? 0) + 1
    let id = TransactionID(
      writer: writer, sequence: sequence,
      hash: LineHash(raw: writer.node.raw << 32 | salt << 16 | sequence))
    let transaction = Transaction(
      id: id, previous: last?.hash ?? .none, stamp: Stamp(milliseconds: time),
      context: context ?? self.context, client: client, operations: operations)
    last = id
    self.context.insert(id)
    return transaction
  }

  /// Sees a transaction and all that its author had seen.
  mutating func read(_ transactions: Transaction...) {
    for transaction in transactions {
      context.formUnion(transaction.context)
      context.insert(transaction.id)
    }
  }
}

/// Operations on the records of one collection, in few words.
enum On {
  static func address(_ id: String = "r") -> RecordAddress {
    RecordAddress(
      document: "hosts.json", collection: "hosts", key: .string(JSONKey(id)))
  }

  static let outside = RecordAddress(document: "hosts.json", collection: nil, key: .outside)

  static func create(
    _ text: String, id: String = "r", position: Fraction? = .first, ordinal: Int = 0
  ) -> Operation {
    Operation(
      target: address(id), id: .string(id), incarnation: .own(ordinal: ordinal),
      action: .create(json(text), position: position, layout: nil))
  }

  static func adopt(
    _ text: String, id: String = "r", position: Fraction? = .first
  ) -> Operation {
    Operation(
      target: address(id), id: .string(id), incarnation: .adopted,
      action: .create(json(text), position: position, layout: nil), operationClass: .adopted)
  }

  static func set(
    _ path: String, _ text: String, of creation: Transaction?, id: String = "r",
    after: JSONKey? = nil, ordinal: Int = 0, class rank: OperationClass = .explicit
  ) -> Operation {
    Operation(
      target: address(id), id: .string(id), incarnation: incarnation(creation, ordinal),
      action: .set(pointer(path), json(text), after: after), operationClass: rank)
  }

  static func remove(_ path: String, of creation: Transaction?, id: String = "r") -> Operation {
    Operation(
      target: address(id), id: .string(id), incarnation: incarnation(creation, 0),
      action: .remove(pointer(path)))
  }

  static func delete(id: String = "r") -> Operation {
    Operation(
      target: address(id), id: .string(id), incarnation: .adopted, action: .deleteRecord)
  }

  static func move(_ fraction: Fraction, of creation: Transaction?, id: String = "r") -> Operation {
    Operation(
      target: address(id), id: .string(id), incarnation: incarnation(creation, 0),
      action: .move(fraction))
  }

  static func json(_ text: String) -> JSONText { JSONText(unchecked: Array(text.utf8)) }

  static func pointer(_ path: String) -> JSONPointer {
    JSONPointer(path.split(separator: "/").map { JSONKey(String($0)) })
  }

  private static func incarnation(_ creation: Transaction?, _ ordinal: Int) -> Incarnation {
    creation.map { .created(by: $0.id.hash, ordinal: ordinal) } ?? .adopted
  }
}

extension MergeState {
  /// A state of some transactions, with rules for the one collection.
  init(_ transactions: [Transaction], rules: (inout RecordRules) -> Void = { _ in }) {
    var record = RecordRules()
    rules(&record)
    self.init(
      rules: MergeRules(
        places: [MergeRules.Place(document: "hosts.json", collection: "hosts"): record]))
    for transaction in transactions { apply(transaction) }
  }

  /// The texts that are shown for an id.
  func texts(_ id: String = "r") -> [String] {
    views(at: On.address(id)).map(\.text.description)
  }

  /// Every conflict as kind, place and lost value.
  var conflictLines: [String] {
    conflicts.map { conflict in
      let place =
        switch conflict.place {
        case .record: "record"
        case .path(let pointer): pointer.description
        case .group(let name): "group \(name)"
        }
      return "\(conflict.kind.rawValue) \(place) \(conflict.loser.value?.description ?? "-")"
    }.sorted()
  }
}

/// Calls `body` with a state for every order in which the transactions can arrive.
func forEachOrder(
  _ transactions: [Transaction], rules: (inout RecordRules) -> Void = { _ in },
  _ body: (MergeState) -> Void
) {
  func permute(_ rest: [Transaction], _ done: [Transaction]) {
    if rest.isEmpty { return body(MergeState(done, rules: rules)) }
    for index in rest.indices {
      var left = rest
      let next = left.remove(at: index)
      permute(left, done + [next])
    }
  }
  permute(transactions, [])
}
