import LosslessJSON
package import Merging
package import Records

/// Turns the changes of a plan, or of a command, into operations of one transaction.
///
/// What an operation names is decided by what its author saw: incarnations are those of the
/// author's context, never of the present state.
package struct OperationBuilder {
  let state: MergeState
  let document: String
  /// Members that stay where they are written, by collection; nothing of them goes into the log.
  var local: [String?: Set<JSONPointer>] = [:]
  var context: Context
  /// The transaction's stamp; single operations are raised above what they cover.
  let stamp: Stamp
  package private(set) var operations: [Operation] = []
  private var orders: [String: RecordSequence] = [:]
  /// Records that had to be created again, since a deletion takes every record of its id, with the
  /// incarnation that they have now.
  private var remade: [RecordPlace: Incarnation] = [:]

  package init(state: MergeState, document: String, context: Context, stamp: Stamp) {
    self.state = state
    self.document = document
    self.context = context
    self.stamp = stamp
  }

  /// Hands over what has been built, so that further changes go into another transaction.
  mutating func takeOperations() -> [Operation] {
    defer {
      operations = []
      remade = [:]
    }
    return operations
  }

  /// Adds changes that were made together.
  ///
  /// - Parameter included: the indices of those to add; creations are numbered over all.
  package mutating func add(_ changes: [RecordChange], only included: Set<Int>? = nil) {
    let chosen = changes.indices.filter { included?.contains($0) ?? true }
    let deleted = deleteSome(chosen.map { changes[$0] })
    for index in chosen {
      switch changes[index] {
      case .set(let place, let path, let text, let after, let operationClass):
        append(place, .set(path, text, after: after), operationClass)
      case .remove(let place, let path): append(place, .remove(path))
      case .delete(let place):
        if !deleted.contains(address(of: place)) { append(place, .deleteRecord) }
      case .create, .move: break
      }
    }
    for placement in placements(of: changes, chosen) {
      switch changes[placement.index] {
      case .create(let creation): create(creation, number: placement.number)
      case .move(let place, let reference): move(place, behind: reference)
      case .set, .remove, .delete: break
      }
    }
  }

  /// Creations and moves in such an order that what another one stands behind comes before it.
  private func placements(
    of changes: [RecordChange], _ chosen: [Int]
  ) -> [(index: Int, number: Int)] {
    var numbers: [Int: Int] = [:]
    var indices: [RecordSequence.Name: Int] = [:]
    var references: [Int: RecordSequence.Name] = [:]
    let isChosen = Set(chosen)
    for (index, change) in changes.enumerated() {
      if case .create = change { numbers[index] = numbers.count }
      guard isChosen.contains(index) else { continue }
      switch change {
      case .create(let creation):
        indices[.created(numbers[index] ?? 0)] = index
        references[index] = entry(creation.after)
      case .move(let place, let reference):
        indices[entry(.base(place))] = index
        references[index] = entry(reference)
      case .set, .remove, .delete: break
      }
    }
    var result: [(index: Int, number: Int)] = []
    var done: Set<Int> = []
    for first in chosen where references[first] != nil {
      var chain: [Int] = []
      var next: Int? = first
      while let index = next, done.insert(index).inserted {
        chain.append(index)
        next = references[index].flatMap { indices[$0] }
      }
      result += chain.reversed().map { ($0, numbers[$0] ?? 0) }
    }
    return result
  }

  /// Deletes single ones of several records of one id. A deletion takes all that its author saw, so
  /// the others are created again, before anything else is said of them.
  ///
  /// - Returns: the addresses whose deletions are done.
  private mutating func deleteSome(_ changes: [RecordChange]) -> Set<RecordAddress> {
    var doomed: [RecordAddress: Set<Int>] = [:]
    var places: [RecordPlace] = []
    for case .delete(let place) in changes where !place.key.isOutside {
      if doomed[address(of: place)] == nil { places.append(place) }
      doomed[address(of: place), default: []].insert(place.occurrence)
    }
    var done: Set<RecordAddress> = []
    for place in places {
      let address = address(of: place)
      let views = shown(at: address)
      guard views.count > 1, let gone = doomed[address] else { continue }
      done.insert(address)
      append(place, .deleteRecord)
      for (occurrence, view) in views.enumerated() where !gone.contains(occurrence) {
        let incarnation = Incarnation.own(ordinal: operations.count)
        var survivor = place
        survivor.occurrence = occurrence
        survivor.id = view.id
        remade[survivor.bare] = incarnation
        raiseAndAppend(
          Operation(
            target: address, id: view.id, incarnation: incarnation,
            action: .create(view.text, position: view.fraction, layout: view.layout)))
      }
    }
    return done
  }

  private mutating func create(_ creation: RecordCreation, number: Int) {
    let address = RecordAddress(
      document: document, collection: creation.collection, key: creation.key)
    var order = order(of: creation.collection)
    let position = order.insert(
      .created(number), behind: entry(creation.after), address: address)
    orders[creation.collection] = order
    raiseAndAppend(
      Operation(
        target: address, id: creation.id, incarnation: .own(ordinal: operations.count),
        action: .create(
          BindingMembers.without(local[creation.collection] ?? [], creation.text),
          position: position, layout: creation.layout)))
  }

  private mutating func move(_ place: RecordPlace, behind reference: RecordReference) {
    guard let collection = place.collection else { return }
    var order = order(of: collection)
    // What comes to stand behind it later must find it in its new place.
    let position = order.move(entry(.base(place)), behind: entry(reference))
    orders[collection] = order
    append(place, .move(position))
  }

  private func entry(_ reference: RecordReference) -> RecordSequence.Name {
    switch reference {
    case .start: .start
    case .created(let number): .created(number)
    case .base(let place): .shown(address(of: place), shownIncarnation(of: place))
    }
  }

  private mutating func order(of collection: String) -> RecordSequence {
    orders.removeValue(forKey: collection)
      ?? RecordSequence(state.records(document: document, collection: collection))
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

  package func address(of place: RecordPlace) -> RecordAddress {
    RecordAddress(document: document, collection: place.collection, key: place.key)
  }

  /// What an operation on the record at this place must name.
  package func incarnation(of place: RecordPlace) -> Incarnation {
    if !remade.isEmpty, let incarnation = remade[place.bare] { return incarnation }
    return shownIncarnation(of: place)
  }

  /// The incarnation that the author saw as the record at this place.
  private func shownIncarnation(of place: RecordPlace) -> Incarnation {
    guard !place.key.isOutside else { return .adopted }
    let views = shown(at: address(of: place))
    return place.occurrence < views.count ? views[place.occurrence].incarnation : .adopted
  }

  /// What the author's context shows at an address, in the order of the document.
  private func shown(at address: RecordAddress) -> [RecordView] {
    state.views(at: address, seenBy: context)
  }
}
