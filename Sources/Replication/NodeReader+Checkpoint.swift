import LosslessJSON
import Merging
import Storage

/// Where the reader of a node's log stands, as a checkpoint keeps it.
extension NodeReader {
  /// Whether tables can say where it stands: between two transactions, with nothing to report but
  /// what is found again at every look.
  var fitsInTables: Bool {
    description != nil && damage.isEmpty && unknownType == nil && arrived.isEmpty
      && !reader.passesOver && !decoders.values.contains(where: \.hasParts)
      // Its lines are not among the positions, and nobody knows how long it stays.
      && copies.isEmpty
      && problems.allSatisfy { problem in
        switch problem {
        case .unknownFile, .notRegular: true
        case .rewritten, .lineTooLong, .tooManySegments, .unreadable, .vanished: false
        }
      }
  }

  func write(to table: inout TableWriter) {
    table.append(tornCount)
    table.append(transactionCount)
    // A carrier may bring other bytes there.
    table.append(length: unreadable.count)
    for place in unreadable {
      table.append(place.segment.epoch ?? 0)
      table.append(place.segment.number)
      table.append(place.offset)
      table.append(place.count)
      table.append(place.hash)
    }
    let positions = reader.positions
    table.append(length: positions.count)
    for position in positions {
      table.append(position.segment.epoch ?? 0)
      table.append(position.segment.number)
      table.append(position.offset)
      table.append(counted: position.tail[...])
      table.append(position.stamp != nil)
      if let stamp = position.stamp { table.append(stamp) }
    }
    let folded = reader.foldedSegments
    table.append(length: folded.count)
    for (segment, stamp) in folded {
      table.append(segment.epoch ?? 0)
      table.append(segment.number)
      table.append(stamp)
    }
    table.append(length: headers.count)
    for (name, header) in headers {
      table.append(name.epoch ?? 0)
      table.append(name.number)
      header.write(to: &table)
    }
    table.append(length: decoders.count)
    for (epoch, decoder) in decoders {
      table.append(epoch)
      table.append(decoder.lastLine)
      table.append(decoder.tail.sequence)
      table.append(decoder.tail.hash)
      decoder.tail.knowledge.write(to: &table)
    }
  }

  /// - Throws: where the log is not as it was, or cannot be looked at.
  /// - Returns: whether finding that out cost more than a look.
  func resume(from table: inout TableReader) throws(TableError) -> Bool {
    tornCount = try table.value(Int.self)
    transactionCount = try table.value(Int.self)
    for _ in 0..<(try table.length()) {
      unreadable.append(
        (
          segment: try SegmentName(from: &table), offset: try table.value(UInt64.self),
          count: try table.value(Int.self), hash: try table.value(UInt64.self)
        ))
    }
    var positions: [SegmentPosition] = []
    for _ in 0..<(try table.length()) {
      let segment = try SegmentName(from: &table)
      let offset = try table.value(UInt64.self)
      let tail = Array(try table.countedBytes())
      let stamp = try table.value(Bool.self) ? try table.value(FileStamp.self) : nil
      positions.append(
        SegmentPosition(segment: segment, offset: offset, tail: tail, stamp: stamp))
    }
    var folded: [SegmentName: FileStamp] = [:]
    for _ in 0..<(try table.length()) {
      let segment = try SegmentName(from: &table)
      folded[segment] = try table.value(FileStamp.self)
    }
    for _ in 0..<(try table.length()) {
      let segment = try SegmentName(from: &table)
      headers[segment] = try SegmentHeader(from: &table)
    }
    for _ in 0..<(try table.length()) {
      let epoch = try table.value(UInt32.self)
      let lastLine = try table.value(LineHash.self)
      var tail = LogEncoder.Tail()
      tail.sequence = try table.value(UInt64.self)
      tail.hash = try table.value(LineHash.self)
      tail.knowledge = try Context(from: &table)
      decoders[epoch] = LogDecoder(
        writer: WriterID(node: id, epoch: epoch), tail: tail, lastLine: lastLine)
    }
    var reader = SegmentReader(
      store, directory: StoreLayout.log(Hex.string(id.raw)), epochs: true, from: positions,
      folded: folded, foldedDirectory: self.reader.foldedDirectory)
    let isCostly: Bool?
    do throws(StorageError) { isCostly = try reader.findPositions() } catch { isCostly = nil }
    guard let isCostly else { throw TableError() }
    self.reader = reader
    let isRepaired: Bool
    do throws(StorageError) { isRepaired = try self.isRepaired() } catch { throw TableError() }
    guard !isRepaired else { throw TableError() }
    return isCostly
  }
}

extension SegmentName {
  fileprivate init(from table: inout TableReader) throws(TableError) {
    let epoch = try table.value(UInt32.self)
    self.init(epoch: epoch, number: try table.value(UInt32.self))
  }
}

extension SegmentHeader {
  fileprivate func write(to table: inout TableWriter) {
    table.append(format)
    table.append(writer)
    table.append(number)
    table.append(text: machine)
    table.append(text: boot)
    table.append(created)
  }

  fileprivate init(from table: inout TableReader) throws(TableError) {
    let format = try table.value(Int.self)
    let writer = try table.value(WriterID.self)
    let number = try table.value(UInt32.self)
    let machine = try table.text()
    let boot = try table.text()
    self.init(
      format: format, writer: writer, number: number, machine: machine, boot: boot,
      created: try table.value(UInt64.self))
  }
}

extension Context {
  fileprivate func write(to table: inout TableWriter) {
    table.append(
      array: writers.map { writer, reach in
        TransactionID(writer: writer, sequence: reach.sequence, hash: reach.hash)
      })
    table.append(array: Array(singles))
  }

  fileprivate init(from table: inout TableReader) throws(TableError) {
    var writers: [WriterID: Reach] = [:]
    for last in try table.array(TransactionID.self) {
      writers[last.writer] = Reach(sequence: last.sequence, hash: last.hash)
    }
    self.init(writers: writers, singles: Set(try table.array(TransactionID.self)))
  }
}
