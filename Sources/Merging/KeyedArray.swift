internal import LosslessJSON

/// The elements of one keyed array of a record, as records of a small state beside the large one.
///
/// What a write of the array did to its elements is derived once, relative to what its author saw;
/// from there on the rules for records hold. The number of a transaction here follows the order in
/// which the large state applied them, so a context means the same in both.
final class KeyedArray {
  struct Place: Hashable {
    var record: UInt32
    var path: UInt32
  }

  let rule: FieldRules.Keyed
  private(set) var elements = MergeState()
  /// For each operation on the record what it did to elements.
  private(set) var derived: [UInt32: [UInt32]] = [:]
  /// For each operation on an element the one it comes from.
  private(set) var origins: [UInt32] = []
  /// The operations on the record that left an array which merges.
  var arrays: Set<UInt32> = []
  private var numbers: [UInt32: UInt32] = [:]
  /// The last operation on the record that was looked at.
  var last: UInt32?
  /// Whether operations are being taken in: then those an author saw are all here.
  var isDeriving = false

  init(rule: FieldRules.Keyed) {
    self.rule = rule
    let place = MergeRules.Place(document: "", collection: "")
    elements.places = [
      PlaceRow(
        place: place, rules: FieldRules(RecordRules(), paths: &elements.paths))
    ]
  }

  /// Adds what an operation of the large state did to one element.
  func append(
    _ action: Action, to key: RecordKey, incarnation: UInt32, from head: UInt32,
    in state: MergeState
  ) {
    let origin = state.heads[Int(head)]
    let transaction = number(of: origin.transaction, in: state)
    let record = elementNumber(key)
    let number = UInt32(elements.heads.count)
    var row = Head(
      stamp: origin.stamp, transaction: transaction,
      ordinal: UInt32(elements.operations.count(of: transaction)),
      record: record, incarnation: incarnation, path: PathTable.root,
      previous: elements.records[Int(record)].last, kind: .void,
      operationClass: origin.operationClass, isScalar: false)
    switch action {
    case .create:
      row.kind = .create
      if incarnation != Head.adopted {
        row.incarnation = number
        // An element never stands beside another of its id.
        elements.cache.neighbours[number] = []
      }
    case .set(let pointer, let value, after: _):
      row.kind = .set
      row.path = elements.paths.intern(pointer)
      row.isScalar = !value.kind.isContainer
    case .remove(let pointer):
      row.kind = .remove
      row.path = elements.paths.intern(pointer)
    case .deleteRecord: row.kind = .deleteRecord
    case .move, .folded: break
    }
    elements.operations.append(
      Operation(
        target: elements.address(ofRecord: record), id: nil, incarnation: .adopted,
        action: action, operationClass: origin.operationClass),
      to: transaction)
    elements.heads.append(row)
    elements.records[Int(record)].last = number
    elements.records[Int(record)].count += 1
    origins.append(head)
    derived[head, default: []].append(number)
  }

  private func number(of transaction: UInt32, in state: MergeState) -> UInt32 {
    if let known = numbers[transaction] { return known }
    let sight = state.rows.sight(transaction)
    let number = UInt32(elements.rows.count)
    elements.rows.append(
      transaction, of: state.rows,
      sight: Sight(
        reach: sight.reach, singles: sight.singles.compactMap { numbers[$0] }.sorted()),
      firstHead: elements.heads.count)
    elements.operations.append([])
    numbers[transaction] = number
    return number
  }

  private func elementNumber(_ key: RecordKey) -> UInt32 {
    if let number = number(of: key) { return number }
    let number = UInt32(elements.records.count)
    elements.records.append(RecordRow(key: key, place: 0, last: Head.none, count: 0))
    elements.places[0].numbers[key] = number
    return number
  }

  // MARK: - Reading

  func key(_ element: UInt32) -> RecordKey { elements.records[Int(element)].key }

  func number(of key: RecordKey) -> UInt32? { elements.places[0].numbers[key] }

  /// What some operations of the large state leave of an element.
  func slot(_ element: UInt32, _ included: Set<UInt32>) -> (slot: RecordSlot?, history: [UInt32]) {
    let history = elements.history(element).filter { included.contains(origins[Int($0)]) }
    let slot = history.isEmpty ? nil : elements.choose(history, record: element).shown.first
    return (slot, history)
  }

  /// The text of an element from some operations of the large state; nil where it is not there.
  ///
  /// An element whose creation is not among them is as the array shows it, unless it was deleted.
  func text(_ key: RecordKey, _ included: Set<UInt32>, shown: JSONText) -> JSONText? {
    guard let element = number(of: key) else { return shown }
    let (slot, history) = slot(element, included)
    if let slot { return elements.view(of: slot, history, record: element)?.view.text ?? shown }
    let isDeleted = history.contains { elements.heads[Int($0)].kind == .deleteRecord }
    return isDeleted ? nil : shown
  }

  /// Whether an operation wrote an element explicitly, so that its deletion by others loses.
  func revivesElement(_ head: UInt32) -> Bool {
    (derived[head] ?? []).contains { elements.revives($0) }
  }
}
