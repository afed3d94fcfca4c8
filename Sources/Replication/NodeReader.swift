import LosslessJSON
package import Merging
package import Storage
package import SystemCalls

/// Reads one node's log: what it says, where it is damaged, where its chain stands.
package final class NodeReader: LogFollower {
  /// A stretch of a log that is not as its writer made it.
  package struct Damage: Equatable, Sendable {
    package var path: FilePath
    package var segment: SegmentName
    package var offset: UInt64
    package var finding: String
  }

  package let id: NodeID
  package internal(set) var description: NodeDescription? {
    didSet {
      // Looking for what is not there would cost every look a call.
      let hasFolded = description?.requires.contains(NodeDescription.foldedFeature) ?? false
      reader.foldedDirectory = hasFolded ? StoreLayout.snapshot(Hex.string(id.raw)) : nil
    }
  }
  /// What node.json looked like when the description was read.
  var descriptionStamp: FileStamp?
  package internal(set) var damage: [Damage] = []
  /// Damaged lines beyond those, of a log that a stranger has filled with them.
  package private(set) var furtherDamage = 0
  /// Fragments that a crash left and a writer fenced; they were never acknowledged.
  package internal(set) var tornCount = 0
  package internal(set) var headers: [SegmentName: SegmentHeader] = [:]
  package internal(set) var transactionCount = 0
  /// A type of line of a newer release that must not be passed over: the log is read no further.
  package private(set) var unknownType: String?
  /// Problems of files that are no damage of lines: foreign names, devices, unreadable segments.
  package private(set) var problems: Set<SegmentProblem> = []
  package var reader: SegmentReader
  let store: StoreDirectory
  /// Transactions that were read and are not taken into the state yet.
  private(set) var arrived: [LoggedTransaction] = []
  private var wasRewritten = false
  /// Where bytes stand that are no line: damaged or torn, as they were read.
  var unreadable: [(segment: SegmentName, offset: UInt64, count: Int, hash: UInt64)] = []
  var decoders: [UInt32: LogDecoder] = [:]
  /// What reads the other versions of segments that sync engines keep, by their names: further lines of
  /// this node, perhaps with numbers that are taken.
  private(set) var copies: [String: NodeReader] = [:]
  private let copy: String?

  init(id: NodeID, store: StoreDirectory, copy: String? = nil) {
    self.id = id
    self.store = store
    self.copy = copy
    reader = SegmentReader(
      store, directory: StoreLayout.log(Hex.string(id.raw)), epochs: true, copy: copy)
  }

  /// Where the chain of an epoch stands; a fresh tail for one that has not begun.
  func tail(epoch: UInt32) -> LogEncoder.Tail { decoders[epoch]?.tail ?? LogEncoder.Tail() }

  /// The newest segment of all, with its header.
  var newestSegment: (name: SegmentName, header: SegmentHeader)? {
    headers.max { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// Everything that has been read since the last call, in the order of the log.
  ///
  /// - Returns: the transactions, and whether a file turned out to be another than before.
  func takeArrived() -> (new: [LoggedTransaction], wasRewritten: Bool) {
    defer { (arrived, wasRewritten) = ([], false) }
    return (arrived, wasRewritten)
  }

  package func catchUp() throws(StorageError) {
    guard unknownType == nil else { return }
    // A file that changes under every look is taken as it comes in the end.
    var startsLeft = 3
    var hasMore = true
    while hasMore {
      let arrival = try reader.read()
      hasMore = arrival.hasMore
      if arrival.isRewritten || arrival.startsOver, startsLeft > 0 {
        // Another file under an old name: contexts are differences, so all is read anew.
        problems.formUnion(arrival.problems)
        startOver(isRewritten: arrival.isRewritten)
        startsLeft -= 1
        hasMore = true
      } else if startsLeft > 0, try isRepaired(arrival.replaced) {
        startOver(isRewritten: false)
        startsLeft -= 1
        hasMore = true
      } else {
        take(arrival)
      }
    }
    try readCopies()
  }

  /// Contexts are differences to the lines before, so a copy is read with a decoder of its own. What it
  /// has in common with the log is read twice and counts once.
  private func readCopies() throws(StorageError) {
    copies = copies.filter { reader.copies.contains($0.key) }
    for name in reader.copies.sorted().prefix(copiesMax) {
      let copy = copies[name] ?? NodeReader(id: id, store: store, copy: name)
      copies[name] = copy
      copy.reader.foldedDirectory = reader.foldedDirectory
      try copy.catchUp()
      arrived += copy.takeArrived().new
      if let type = copy.unknownType { unknownType = type }
    }
  }

  /// Whether a carrier has put other bytes where some could not be read.
  ///
  /// - Parameter replaced: the segments that are to be looked at; nil = all.
  func isRepaired(_ replaced: Set<SegmentName>? = nil) throws(StorageError) -> Bool {
    for place in unreadable where replaced?.contains(place.segment) ?? true {
      let bytes = try reader.bytes(at: place.offset, count: place.count, of: place.segment)
      if bytes.map({ XXH3.hash64($0) != place.hash }) ?? false { return true }
    }
    return false
  }

  package func take(_ arrival: Arrival) {
    problems.formUnion(arrival.problems)
    let before = arrived.count
    for batch in arrival.batches {
      for range in batch.lines where unknownType == nil {
        decode(batch.bytes[range], at: range, of: batch)
      }
    }
    transactionCount += arrived.count - before
  }

  private func startOver(isRewritten: Bool) {
    reader = SegmentReader(
      store, directory: StoreLayout.log(Hex.string(id.raw)), epochs: true,
      foldedDirectory: reader.foldedDirectory, copy: copy)
    copies = [:]
    decoders = [:]
    damage = []
    unreadable = []
    furtherDamage = 0
    tornCount = 0
    transactionCount = 0
    arrived = []
    if isRewritten { wasRewritten = true }
  }

  private func decode(
    _ line: ArraySlice<UInt8>, at range: Range<Int>, of batch: LineBatch
  ) {
    guard let epoch = batch.segment.epoch else { return }
    let writer = WriterID(node: id, epoch: epoch)
    // Taken out while it works: a copy beside it would double the operations of large parts.
    var decoder = decoders.removeValue(forKey: epoch) ?? LogDecoder(writer: writer)
    do throws(FormatError) {
      switch try decoder.decode(line) {
      case .header(let header):
        guard header.writer == writer, batch.segment.number == header.number else {
          throw FormatError("a header of this node, epoch and segment")
        }
        guard header.format <= NodeDescription.currentFormat else {
          unknownType = "format \(header.format)"
          break
        }
        headers[batch.segment] = header
      case .transaction(let logged): arrived.append(logged)
      case .unknown(let type): unknownType = type
      case .nothing: break
      }
    } catch {
      note(error, line, offset: batch.offset + UInt64(range.lowerBound), of: batch.segment)
    }
    decoders[epoch] = decoder
  }

  /// A fragment that does not end as a sealed line is what a crash leaves and a writer fences. A
  /// line that ends like one was whole once, so something in it was changed: that is damage.
  private func note(
    _ error: FormatError, _ line: ArraySlice<UInt8>, offset: UInt64, of segment: SegmentName
  ) {
    if unreadable.count < damageMax {
      unreadable.append((segment, offset, line.count, XXH3.hash64(line)))
    }
    guard line.first == UInt8(ascii: "{"), line.last == UInt8(ascii: "}") else {
      tornCount += 1
      return
    }
    guard damage.count < damageMax else {
      furtherDamage += 1
      return
    }
    let path = store.path(StoreLayout.log(Hex.string(id.raw))).appending(segment.fileName)
    damage.append(
      Damage(
        path: path, segment: segment, offset: offset,
        finding: "a line that lacks \(error.expected)"))
  }
}

private let damageMax = 1000
/// A stranger may put any number of files there.
private let copiesMax = 100

extension Arrival {
  fileprivate var isRewritten: Bool {
    problems.contains { if case .rewritten = $0 { true } else { false } }
  }
}
