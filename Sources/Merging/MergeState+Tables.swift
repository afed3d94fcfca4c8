internal import LosslessJSON

/// A state as a checkpoint keeps it: its tables, and beside them the text of its operations.
///
/// What is read back shows and reports the same as a state that was made from the transactions.
extension MergeState {
  /// Whether the tables can say everything: nothing waits, and nothing is applied without its
  /// operations.
  package var fitsInTables: Bool { held.isEmpty && tails.isEmpty }

  package var operationCount: Int { heads.count }

  /// Hands out every applied transaction with its stamp.
  package func forEachStamp(_ body: (TransactionID, Stamp) -> Void) {
    for number in rows.indices { body(rows.id(UInt32(number)), rows[number].stamp) }
  }

  /// Where the operations of the checkpoint that this was read from begin in its text, and where
  /// the last one ends; nil where it was made from transactions alone.
  package var storedOffsets: [UInt64]? { operations.stored?.offsets }

  /// Writes the text of one operation after the other.
  ///
  /// - Parameter write: is given each text; it is only valid during the call.
  package func writeOperations(
    from first: Int, _ write: (_ text: borrowing TableWriter) -> Void
  ) {
    var text = TableWriter()
    for head in first..<max(first, heads.count) {
      text.removeAll()
      operation(UInt32(head)).write(to: &text)
      write(text)
    }
  }

  /// Writes everything but the text of the operations.
  ///
  /// - Precondition: `fitsInTables`.
  /// - Parameter offsets: where each operation begins in the text, and where the last one ends.
  package func writeTables(to table: inout TableWriter, offsets: [UInt64]) {
    precondition(fitsInTables && offsets.count == heads.count + 1, "a state that fits")
    table.reserve(heads.count * 64 + rows.count * 96 + records.count * 40)
    table.append(counted: rules.fingerprint[...])
    writeTransactions(to: &table)
    table.append(array: heads)
    table.append(array: offsets)
    writeFractions(to: &table)
    writeRecords(to: &table)
    table.append(length: retired.count)
    for (node, reaches) in retired {
      table.append(node)
      table.append(length: reaches.count)
      for (writer, sequence) in reaches {
        table.append(writer)
        table.append(sequence)
      }
    }
    table.append(length: clashes.count)
    for clash in clashes { clash.write(to: &table) }
  }

  private func writeTransactions(to table: inout TableWriter) {
    table.append(array: rows.writers)
    table.append(length: rows.clients.count)
    for client in rows.clients { table.append(optional: client) }
    table.append(array: rows.rows)
    table.append(array: rows.sights)
    table.append(length: branches.count)
    for branch in branches {
      table.append(branch.writer)
      table.append(branch.parent?.branch ?? Head.none)
      table.append(branch.parent?.sequence ?? 0)
      table.append(branch.firstSequence)
    }
  }

  private func writeFractions(to table: inout TableWriter) {
    var ends: [UInt32] = []
    var texts: [UInt8] = []
    ends.reserveCapacity(heads.count)
    for head in heads.indices {
      if heads[head].isPositional || heads[head].kind == .void,
        let fraction = fraction(UInt32(head))
      {
        texts.append(1)
        texts += fraction.text
      }
      ends.append(UInt32(texts.count))
    }
    table.append(array: ends)
    table.append(array: texts)
  }

  private func writeRecords(to table: inout TableWriter) {
    table.append(array: paths.parents)
    for key in paths.keys { table.append(counted: key.bytes[...]) }
    table.append(length: places.count)
    for place in places {
      table.append(text: place.place.document)
      table.append(optional: place.place.collection)
    }
    table.append(length: records.count)
    for record in records {
      table.append(record.place)
      table.append(record.last)
      table.append(record.count)
      table.append(counted: record.key.bytes[...])
    }
  }

  // MARK: - Reading

  /// Reads a state that `writeTables` wrote, and evaluates it under other rules where they differ.
  ///
  /// - Parameter source: has the text of the operations, from `offsets` on.
  /// - Throws: where the tables are none of this release.
  package init(
    tables table: inout TableReader, rules: MergeRules, source: any TextSource
  ) throws(TableError) {
    self.init(rules: rules)
    let fingerprint = Array(try table.countedBytes())
    try readTransactions(from: &table)
    heads = try table.array(Head.self)
    let offsets = try table.array(UInt64.self)
    let stored = OperationTable.Stored(
      offsets: offsets, fractionEnds: try table.array(UInt32.self),
      fractions: try table.array(UInt8.self), transactionCount: rows.count, source: source)
    guard stored.count == heads.count, offsets.count == heads.count + 1 else {
      throw TableError()
    }
    operations = OperationTable(stored: stored)
    try readRecords(from: &table)
    for _ in 0..<(try table.length()) {
      let node = try table.value(NodeID.self)
      var reaches: [WriterID: UInt64] = [:]
      for _ in 0..<(try table.length()) {
        let writer = try table.value(WriterID.self)
        reaches[writer] = try table.value(UInt64.self)
      }
      retired[node] = reaches
    }
    for number in 0..<(try table.length()) {
      let clash = try Clash(from: &table)
      clashNumbers[clash.id] = number
      clashes.append(clash)
    }
    changedPlaces = Set(places.indices.map { UInt32($0) })
    if fingerprint != rules.fingerprint { evaluateAnew() }
  }

  private mutating func readTransactions(from table: inout TableReader) throws(TableError) {
    let writers = try table.array(WriterID.self)
    var clients: [String?] = []
    for _ in 0..<(try table.length()) { clients.append(try table.optionalText()) }
    let rows = try table.array(TransactionRow.self)
    self.rows = TransactionTable(
      rows: rows, sights: try table.array(UInt32.self), writers: writers, clients: clients)
    for number in 0..<(try table.length()) {
      let writer = try table.value(WriterID.self)
      let parent = try table.value(UInt32.self)
      let sequence = try table.value(UInt32.self)
      branches.append(
        BranchRow(
          writer: writer, parent: parent == Head.none ? nil : (parent, sequence),
          firstSequence: try table.value(UInt32.self), transactions: []))
      branchesByWriter[writer, default: []].append(UInt32(number))
    }
    numbersByHash = HashIndex(rows)
    var lists = [[UInt32]](repeating: [], count: branches.count)
    for number in rows.indices {
      guard lists.indices.contains(Int(rows[number].branch)) else { throw TableError() }
      lists[Int(rows[number].branch)].append(UInt32(number))
    }
    for branch in lists.indices { branches[branch].transactions = lists[branch] }
  }

  private mutating func readRecords(from table: inout TableReader) throws(TableError) {
    let parents = try table.array(UInt32.self)
    for number in parents.indices {
      let key = JSONKey(uncheckedWTF8: Array(try table.countedBytes()))
      guard number > 0 else { continue }
      guard parents[number] < number,
        paths.intern(key, below: parents[number]) == UInt32(number)
      else { throw TableError() }
    }
    for number in 0..<(try table.length()) {
      let place = MergeRules.Place(
        document: try table.text(), collection: try table.optionalText())
      let rules = FieldRules(
        rules.rules(document: place.document, collection: place.collection), paths: &paths)
      places.append(PlaceRow(place: place, rules: rules))
      placeNumbers[place] = UInt32(number)
    }
    let count = try table.length()
    records.reserveCapacity(count)
    if places.count == 1 { places[0].numbers.reserveCapacity(count) }
    for number in 0..<count {
      let place = try table.value(UInt32.self)
      let last = try table.value(UInt32.self)
      let operations = try table.value(UInt32.self)
      let key = RecordKey(stored: try table.countedBytes())
      guard places.indices.contains(Int(place)) else { throw TableError() }
      records.append(RecordRow(key: key, place: place, last: last, count: operations))
      places[Int(place)].numbers[key] = UInt32(number)
      places[Int(place)].records.append(UInt32(number))
    }
  }
}

extension Clash {
  private static let recordPlace: UInt8 = 0
  private static let pathPlace: UInt8 = 1
  private static let groupPlace: UInt8 = 2

  fileprivate func write(to table: inout TableWriter) {
    table.append(id)
    table.append(text: kind.rawValue)
    switch place {
    case .record: table.append(Self.recordPlace)
    case .path(let pointer):
      table.append(Self.pathPlace)
      table.append(counted: pointer.bytes[...])
    case .group(let name):
      table.append(Self.groupPlace)
      table.append(text: name)
    }
    table.append(record)
    table.append(loser)
  }

  fileprivate init(from table: inout TableReader) throws(TableError) {
    id = try table.value(UInt64.self)
    guard let kind = ConflictKind(rawValue: try table.text()) else { throw TableError() }
    self.kind = kind
    switch try table.value(UInt8.self) {
    case Self.recordPlace: place = .record
    case Self.pathPlace:
      let bytes = Array(try table.countedBytes())
      do throws(JSONError) {
        place = .path(try JSONPointer(parsing: bytes))
      } catch {
        throw TableError()
      }
    case Self.groupPlace: place = .group(try table.text())
    default: throw TableError()
    }
    record = try table.value(UInt32.self)
    loser = try table.value(UInt32.self)
  }
}

extension MergeRules {
  /// Bytes that are the same exactly for equal rules.
  var fingerprint: [UInt8] {
    var table = TableWriter()
    let named = places.filter { $0.value != RecordRules() }
    for (place, rules) in named.sorted(by: { Self.precedes($0.key, $1.key) }) {
      table.append(text: place.document)
      table.append(optional: place.collection)
      let groups = rules.groups.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      table.append(length: groups.count)
      for (name, members) in groups {
        table.append(text: name)
        table.append(pointers: members)
      }
      let keyed = rules.keyed.sorted { $0.key < $1.key }
      table.append(pointers: keyed.flatMap { [$0.key, $0.value] })
      for set in [rules.sets, rules.volatile, rules.local, rules.derived, rules.monotonic] {
        table.append(pointers: set.sorted())
      }
    }
    return table.bytes
  }

  private static func precedes(_ left: Place, _ right: Place) -> Bool {
    if !left.document.utf8.elementsEqual(right.document.utf8) {
      return left.document.utf8.lexicographicallyPrecedes(right.document.utf8)
    }
    guard let one = left.collection, let other = right.collection else {
      return left.collection == nil && right.collection != nil
    }
    return one.utf8.lexicographicallyPrecedes(other.utf8)
  }
}

extension TableWriter {
  fileprivate mutating func append(pointers: [JSONPointer]) {
    append(length: pointers.count)
    for pointer in pointers { append(counted: pointer.bytes[...]) }
  }
}

extension MergeState {
  /// How the tables lie in memory; another layout is another format.
  package static var tablesLayout: String {
    "\(MemoryLayout<Head>.stride) \(MemoryLayout<TransactionRow>.stride) "
      + "\(MemoryLayout<TransactionID>.stride)"
  }
}
