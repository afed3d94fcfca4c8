/// One applied transaction in small numbers.
///
/// It has no pointers, so that a checkpoint keeps it as it lies in memory.
struct TransactionRow: BitwiseCopyable {
  var hash: LineHash
  /// The line before it in the chain of its writer.
  var previous: LineHash
  var stamp: Stamp
  /// The sequence as its writer gave it; `sequence` is the same, cut to 32 bits.
  var label: UInt64
  /// Where in the table of sights what its author had seen begins.
  var sightStart: Int
  var reachCount: UInt32
  var singlesCount: UInt32
  var writer: UInt32
  var sequence: UInt32
  var branch: UInt32
  var firstHead: UInt32
  /// The program that rewrote a document; 0 is none.
  var client: UInt32
}

/// The applied transactions in the order of application: rows, and tables of what they name.
///
/// Rows and what authors had seen are never changed again.
struct TransactionTable {
  private(set) var rows: [TransactionRow] = []
  /// What the authors had seen: of each per branch the last sequence, then single transactions.
  private(set) var sights: [UInt32] = []
  private(set) var writers: [WriterID] = []
  private(set) var clients: [String?] = [nil]
  private var writerNumbers: [WriterID: UInt32] = [:]
  private var clientNumbers: [[UInt8]: UInt32] = [:]

  init() {}

  init(rows: [TransactionRow], sights: [UInt32], writers: [WriterID], clients: [String?]) {
    self.rows = rows
    self.sights = sights
    for writer in writers { _ = number(of: writer) }
    for client in clients { _ = number(ofClient: client) }
  }

  var count: Int { rows.count }
  var indices: Range<Int> { rows.indices }

  subscript(number: Int) -> TransactionRow { rows[number] }

  mutating func append(
    _ transaction: Transaction, sight: Sight, branch: UInt32, firstHead: Int
  ) {
    append(
      TransactionRow(
        hash: transaction.id.hash, previous: transaction.previous, stamp: transaction.stamp,
        label: transaction.id.sequence, sightStart: 0, reachCount: 0, singlesCount: 0,
        writer: number(of: transaction.id.writer),
        sequence: UInt32(clamping: transaction.id.sequence), branch: branch,
        firstHead: UInt32(firstHead), client: number(ofClient: transaction.client)),
      sight: sight)
  }

  /// Adds a row of another table, with its writer and its client.
  mutating func append(
    _ number: UInt32, of other: TransactionTable, sight: Sight, firstHead: Int
  ) {
    var row = other.rows[Int(number)]
    row.writer = self.number(of: other.writers[Int(row.writer)])
    row.client = self.number(ofClient: other.clients[Int(row.client)])
    row.firstHead = UInt32(firstHead)
    append(row, sight: sight)
  }

  private mutating func append(_ row: TransactionRow, sight: Sight) {
    var row = row
    row.sightStart = sights.count
    row.reachCount = UInt32(sight.reach.count)
    row.singlesCount = UInt32(sight.singles.count)
    sights += sight.reach
    sights += sight.singles
    rows.append(row)
  }

  private mutating func number(of writer: WriterID) -> UInt32 {
    if let number = writerNumbers[writer] { return number }
    let number = UInt32(writers.count)
    writers.append(writer)
    writerNumbers[writer] = number
    return number
  }

  private mutating func number(ofClient client: String?) -> UInt32 {
    guard let client else { return 0 }
    // By bytes: equality of String is that of normalised text.
    let bytes = Array(client.utf8)
    if let number = clientNumbers[bytes] { return number }
    let number = UInt32(clients.count)
    clients.append(client)
    clientNumbers[bytes] = number
    return number
  }

  // MARK: - Reading

  func writer(_ number: UInt32) -> WriterID { writers[Int(rows[Int(number)].writer)] }

  func client(_ number: UInt32) -> String? { clients[Int(rows[Int(number)].client)] }

  func id(_ number: UInt32) -> TransactionID {
    TransactionID(
      writer: writer(number), sequence: rows[Int(number)].label, hash: rows[Int(number)].hash)
  }

  /// How far the author of a transaction had seen a branch.
  func reach(of number: UInt32, on branch: UInt32) -> UInt32 {
    let row = rows[Int(number)]
    return branch < row.reachCount ? sights[row.sightStart + Int(branch)] : 0
  }

  /// Whether the author of one transaction had seen another.
  func contains(_ number: UInt32, _ earlier: UInt32) -> Bool {
    let row = rows[Int(number)]
    let other = rows[Int(earlier)]
    if other.sequence
      <= (other.branch < row.reachCount
        ? sights[row.sightStart + Int(other.branch)] : 0)
    {
      return true
    }
    return row.singlesCount > 0 && sight(number).holdsSingle(earlier)
  }

  func sight(_ number: UInt32) -> Sight {
    let row = rows[Int(number)]
    let middle = row.sightStart + Int(row.reachCount)
    return Sight(
      reach: Array(sights[row.sightStart..<middle]),
      singles: Array(sights[middle..<middle + Int(row.singlesCount)]))
  }

  /// The order of transactions where class and stamp are equal: author, label, hash.
  func precedes(_ left: UInt32, _ right: UInt32) -> Bool {
    let one = id(left)
    let other = id(right)
    if one.writer.node != other.writer.node { return one.writer.node < other.writer.node }
    if rows[Int(left)].client != rows[Int(right)].client {
      // No client and one without a name are the same here.
      let name = Array((client(left) ?? "").utf8)
      let otherName = Array((client(right) ?? "").utf8)
      if name != otherName { return name.lexicographicallyPrecedes(otherName) }
    }
    return (one.writer.epoch, one.sequence, one.hash)
      < (other.writer.epoch, other.sequence, other.hash)
  }
}
