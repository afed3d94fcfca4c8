import LosslessJSON
import Merging
import Records

/// Turns the changes of a plan, or of a command, into operations of one transaction.
///
/// What an operation names is decided by what its author saw: incarnations are those of the
/// author's context, never of the present state.
struct OperationBuilder {
  let state: MergeState
  let document: String
  var context: Context
  /// The transaction's stamp; single operations are raised above what they cover.
  let stamp: Stamp
  private(set) var operations: [Operation] = []
  private var creations = 0
  private var orders: [String: [Entry]] = [:]

  /// A record in the present order, for finding a place between two.
  private struct Entry {
    var address: RecordAddress
    var incarnation: Incarnation?
    var creation: Int?
    var fraction: Fraction?
  }

  init(state: MergeState, document: String, context: Context, stamp: Stamp) {
    self.state = state
    self.document = document
    self.context = context
    self.stamp = stamp
  }

  /// Hands over what has been built, so that further changes go into another transaction.
  mutating func takeOperations() -> [Operation] {
    defer { operations = [] }
    return operations
  }

  mutating func add(_ change: RecordChange) {
    switch change {
    case .create(let creation): create(creation)
    case .set(let place, let path, let text, let after, let operationClass):
      append(place, .set(path, text, after: after), operationClass)
    case .remove(let place, let path): append(place, .remove(path))
    case .delete(let place): append(place, .deleteRecord)
    case .move(let place, let reference):
      guard let collection = place.collection else { return }
      append(place, .move(fraction(behind: reference, in: collection)))
    }
  }

  private mutating func create(_ creation: RecordCreation) {
    let address = RecordAddress(
      document: document, collection: creation.collection, key: creation.key)
    let position = fraction(behind: creation.after, in: creation.collection)
    insert(
      Entry(address: address, creation: creations, fraction: position), behind: creation.after,
      in: creation.collection)
    creations += 1
    raiseAndAppend(
      Operation(
        target: address, id: creation.id, incarnation: .own(ordinal: operations.count),
        action: .create(creation.text, position: position, layout: creation.layout)))
  }

  private mutating func append(
    _ place: RecordPlace, _ action: Action, _ operationClass: OperationClass = .explicit
  ) {
    let address = address(of: place)
    raiseAndAppend(
      Operation(
        target: address, id: place.id, incarnation: incarnation(of: place), action: action,
        operationClass: operationClass))
  }

  private mutating func raiseAndAppend(_ operation: Operation) {
    var operation = operation
    let raised = state.raisedStamp(for: operation, context: context, base: stamp)
    if raised != stamp { operation.raisedStamp = raised }
    operations.append(operation)
  }

  func address(of place: RecordPlace) -> RecordAddress {
    RecordAddress(document: document, collection: place.collection, key: place.key)
  }

  /// The incarnation that the author saw as the record at this place.
  func incarnation(of place: RecordPlace) -> Incarnation {
    guard !place.key.isOutside else { return .adopted }
    let views = shown(at: address(of: place))
    return place.occurrence < views.count ? views[place.occurrence].incarnation : .adopted
  }

  /// What the author's context shows at an address, in the order of the document.
  private func shown(at address: RecordAddress) -> [RecordView] {
    let views = state.views(at: address, seenBy: context)
    guard views.count > 1, let collection = address.collection else { return views }
    return state.records(document: document, collection: collection, seenBy: context)
      .filter { $0.address == address }
  }

  // MARK: - Places in a list

  private mutating func fraction(
    behind reference: RecordReference, in collection: String
  ) -> Fraction {
    let entries = order(of: collection)
    let index = index(of: reference, in: entries)
    let low = index < 0 ? nil : entries[index].fraction
    // Neighbours that two nodes put at one place share a fraction; the next free one is behind.
    let high = entries.dropFirst(index + 1).first { entry in
      guard let fraction = entry.fraction else { return false }
      return low.map { fraction > $0 } ?? true
    }
    return Fraction.between(low, high?.fraction)
  }

  private mutating func insert(
    _ entry: Entry, behind reference: RecordReference, in collection: String
  ) {
    var entries = order(of: collection)
    entries.insert(entry, at: index(of: reference, in: entries) + 1)
    orders[collection] = entries
  }

  private func index(of reference: RecordReference, in entries: [Entry]) -> Int {
    switch reference {
    case .start: return -1
    case .created(let number):
      return entries.firstIndex { $0.creation == number } ?? entries.count - 1
    case .base(let place):
      let address = address(of: place)
      let incarnation = incarnation(of: place)
      return entries.firstIndex { $0.address == address && $0.incarnation == incarnation }
        ?? entries.firstIndex { $0.address == address } ?? entries.count - 1
    }
  }

  private mutating func order(of collection: String) -> [Entry] {
    if let known = orders[collection] { return known }
    let entries = state.records(document: document, collection: collection).map { view in
      Entry(
        address: view.address, incarnation: view.incarnation, creation: nil,
        fraction: view.fraction)
    }
    orders[collection] = entries
    return entries
  }
}
