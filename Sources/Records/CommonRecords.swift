import LosslessJSON
import Merging

/// Finds the records that a document has in common with another one, while its bytes come in.
///
/// What is left when whole records are cut out of a list is a document with that list: it alone is
/// kept and parsed.
package final class CommonRecords {
  /// Records that were cut out.
  struct Cut {
    /// Where, in what is left.
    var offset: Int
    /// In the table of the other document.
    var records: Range<Int>
  }

  private let other: SplitDocument
  private let old: ArraySlice<UInt8>
  /// The records that are never cut out, in order.
  private let special: [Int]
  /// The records of the collections that may be cut out, in the order of the document.
  private var lists: [Range<Int>]
  /// So much may be left; with more the documents have too little in common.
  private let restMax: Int
  private let windowMax: Int

  /// The bytes that came and are not done with, and where they begin in the document.
  private var window: [UInt8] = []
  private var windowStart = 0
  /// From here on both documents are compared.
  private var newAt = 0
  private var oldAt = 0
  /// Up to here the document is in what is left, or cut out.
  private var doneAt = 0
  private var rest: [UInt8] = []
  private var cuts: [Cut] = []
  private var isHopeless = false
  /// After so many differences, and so many large ones, the rest is no longer compared.
  private var searchesLeft = 10_000
  private var farSearchesLeft = 50

  /// How far behind a difference one of the next records is looked for, and how many of them.
  static let nearBytes = 1 << 16
  private static let nearRecords = 16
  /// Fewer records than this are not worth a cut.
  private static let cutMin = 4

  /// Nil where the other document has nothing to share, or shares records itself.
  ///
  /// - Parameters:
  ///   - kept: how many records at the beginning of a collection are never cut out: its layout is that
  ///     of the first ones.
  ///   - windowMax: how many bytes are collected before they are looked at.
  ///   - restMax: with more bytes left the documents have too little in common; nil: half of the other.
  package init?(
    of other: SplitDocument, keeping kept: Int = 65, windowMax: Int = 1 << 21, restMax: Int? = nil
  ) {
    guard other.isWhole else { return nil }
    self.other = other
    old = other.bytes
    oldAt = old.startIndex
    special = other.table.special
    self.restMax = restMax ?? old.count / 2
    self.windowMax = windowMax
    // The last ones stay as well: the layout of what follows them is theirs.
    lists = other.table.ranges.filter { $0.count > kept + Self.cutMin + 2 }
      .map { $0.lowerBound + kept..<$0.upperBound - 2 }
      .sorted { other.table.start($0.lowerBound) < other.table.start($1.lowerBound) }
    if lists.isEmpty { return nil }
  }

  /// Takes the next bytes of the document.
  package func take(_ piece: UnsafeRawBufferPointer) {
    guard !isHopeless else { return }
    window += piece
    guard window.count > windowMax else { return }
    compare(isLast: false)
    forget()
  }

  /// The document, when all of its bytes have come; nil where it has too little in common.
  package func document() -> SplitDocument? {
    compare(isLast: true)
    keep(upTo: windowEnd)
    // What was no document of the shape is refused by whoever parses all of it.
    guard !isHopeless, rest.count <= restMax, !cuts.isEmpty,
      let own = try? SplitDocument(bytes: rest, shape: other.shape)
    else { return nil }
    return SplitDocument(own, with: cuts, from: other)
  }

  // MARK: - Comparing

  private func start(_ record: Int) -> Int { other.table.start(record) }

  private var windowEnd: Int { windowStart + window.count }

  private func compare(isLast: Bool) {
    while let list = lists.first, !isHopeless {
      // A list inside of another one begins before that one ends.
      guard !list.isEmpty, start(list.lowerBound) >= oldAt,
        start(list.lowerBound) + newAt - oldAt >= doneAt
      else {
        lists.removeFirst()
        continue
      }
      let end = oldAt + commonPrefix()
      let behind =
        list.first(behind: list.lowerBound - 1) { start($0 + 1) > end } ?? list.upperBound
      cutPlain(list.lowerBound..<behind)
      lists[0] = behind..<list.upperBound
      let isEqual = newAt + end - oldAt == windowEnd
      if start(behind) <= end {
        newAt += start(behind) - oldAt
        oldAt = start(behind)
      }
      guard behind < list.upperBound else { continue }
      // What is not complete yet, or too little to find the next records in, is looked at again.
      if !isLast, isEqual || windowEnd - newAt < windowMax / 2 { return }
      if let found = meet(behind..<list.upperBound) {
        lists[0] = found..<list.upperBound
      } else {
        lists.removeFirst()
      }
    }
  }

  private func commonPrefix() -> Int {
    window.withUnsafeBytes { new in
      old.withUnsafeBytes { old in
        RawBytes.commonPrefix(
          UnsafeRawBufferPointer(rebasing: new[(newAt - windowStart)...]),
          UnsafeRawBufferPointer(rebasing: old[(oldAt - self.old.startIndex)...]))
      }
    }
  }

  /// Goes on behind a difference, with the first of these records that both have there.
  private func meet(_ records: Range<Int>) -> Int? {
    let from = min(windowEnd, newAt + max(0, start(records.lowerBound) - oldAt))
    let near = from..<min(windowEnd, from + Self.nearBytes)
    guard searchesLeft > 0 else { return nil }
    searchesLeft -= 1
    // Mostly one record was changed; then the next one follows soon.
    for record in Array(records.dropFirst().prefix(Self.nearRecords)) + [records.lowerBound]
    where isThere(record, in: near) {
      return record
    }
    guard farSearchesLeft > 0 else { return nil }
    farSearchesLeft -= 1
    // Many new ones before the next of the old ones, or many old ones gone.
    for record in records.prefix(2) where isThere(record, in: from..<windowEnd) { return record }
    var record = records.lowerBound
    while let next = records.first(behind: record, { start($0) >= start(record) + near.count / 2 })
    {
      record = next
      guard isThere(record, in: near) else { continue }
      // Some of those before it may be there as well.
      let back = commonSuffix(from..<newAt, start(records.lowerBound)..<oldAt)
      let first =
        records.first(behind: records.lowerBound - 1) { start($0) >= oldAt - back } ?? record
      newAt -= oldAt - start(first)
      oldAt = start(first)
      return first
    }
    return nil
  }

  /// Whether a record is in a part of the document with the text behind it; then it is the place from
  /// which both documents are compared.
  private func isThere(_ record: Int, in part: Range<Int>) -> Bool {
    guard special.endOfRun({ $0 < record }) == special.endOfRun({ $0 <= record }) else {
      return false
    }
    let offset = window.withUnsafeBytes { new in
      old[start(record)..<start(record + 1)].withUnsafeBytes { unit in
        RawBytes.firstOffset(
          of: unit,
          in: UnsafeRawBufferPointer(
            rebasing: new[part.lowerBound - windowStart..<part.upperBound - windowStart]))
      }
    }
    guard let offset else { return false }
    newAt = part.lowerBound + offset
    oldAt = start(record)
    return true
  }

  private func commonSuffix(_ new: Range<Int>, _ old: Range<Int>) -> Int {
    window[new.lowerBound - windowStart..<new.upperBound - windowStart].withUnsafeBytes { new in
      self.old[old].withUnsafeBytes { RawBytes.commonSuffix(new, $0) }
    }
  }

  // MARK: - Cutting

  /// Cuts out those of the records that have the text around them that all have, and a key of their
  /// own.
  private func cutPlain(_ records: Range<Int>) {
    var first = records.lowerBound
    var place = special.endOfRun { $0 < records.lowerBound }
    while place < special.count, special[place] < records.upperBound {
      cut(first..<max(first, special[place]))
      first = special[place] + 1
      place += 1
    }
    cut(first..<max(first, records.upperBound))
  }

  private func cut(_ records: Range<Int>) {
    guard !records.isEmpty else { return }
    let shift = newAt - oldAt
    if let last = cuts.last, last.records.upperBound == records.lowerBound,
      doneAt == start(records.lowerBound) + shift
    {
      cuts[cuts.count - 1].records = last.records.lowerBound..<records.upperBound
    } else {
      // The first one stays as a sign that the list is the right one.
      guard records.count > Self.cutMin else { return }
      keep(upTo: start(records.lowerBound + 1) + shift)
      cuts.append(Cut(offset: rest.count, records: records.lowerBound + 1..<records.upperBound))
    }
    doneAt = start(records.upperBound) + shift
  }

  private func keep(upTo end: Int) {
    guard end > doneAt else { return }
    rest += window[doneAt - windowStart..<end - windowStart]
    doneAt = end
    if rest.count > restMax { isHopeless = true }
  }

  /// Lets go of what will not be looked at again.
  private func forget() {
    let end = lists.isEmpty || isHopeless ? windowEnd : newAt
    keep(upTo: end)
    window.removeFirst(end - windowStart)
    windowStart = end
    newAt = max(newAt, end)
  }
}

extension Range<Int> {
  /// The first number above another one for which a condition holds; it holds for all behind it.
  fileprivate func first(behind number: Int, _ holds: (Int) -> Bool) -> Int? {
    var (low, high) = (number + 1, upperBound)
    while low < high {
      let middle = (low + high) / 2
      if holds(middle) { high = middle } else { low = middle + 1 }
    }
    return low < upperBound ? low : nil
  }
}
