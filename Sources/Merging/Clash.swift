internal import LosslessJSON

/// A derived conflict in small numbers.
struct Clash {
  var id: UInt64
  var kind: ConflictKind
  var place: ConflictPlace
  var record: UInt32
  var loser: UInt32
}

/// One finding of a comparison: of two operations that did not see each other one lost.
struct Finding {
  var kind: ConflictKind
  var place: ConflictPlace
  var loser: UInt32
  var winner: UInt32
}

extension MergeState {
  /// Compares the operations of a transaction with all before it that its author had not seen.
  ///
  /// What comes out follows from each pair alone, so it is the same on every node and only grows.
  mutating func deriveClashes(ofTransaction number: UInt32) {
    let first = rows[Int(number)].firstHead
    let end = endHead(of: number)
    let unseen = firstUnseen(by: number)
    guard unseen < number else { return }
    let floor = rows[Int(unseen)].firstHead
    for head in first..<end where heads[Int(head)].kind != .void {
      var other = heads[Int(head)].previous
      while other != Head.none, other >= floor {
        let row = heads[Int(other)]
        if row.kind != .void, row.transaction != number, !contains(number, row.transaction),
          !isKnownLoss(head, other)
        {
          for finding in findings(head, other) { note(finding) }
        }
        other = row.previous
      }
    }
  }

  /// The first transaction in the order of application that an author had not seen.
  private func firstUnseen(by number: UInt32) -> UInt32 {
    var first = number
    for (branch, row) in branches.enumerated() {
      let reach = rows.reach(of: number, on: UInt32(branch))
      let place = reach < row.firstSequence ? 0 : Int(reach - row.firstSequence) + 1
      if place < row.transactions.count { first = min(first, row.transactions[place]) }
    }
    return first
  }

  /// Whether of two scalars at one path the lower rank has been found to lose already.
  ///
  /// Without this, two long runs of edits of one field cost their product in hashes.
  private func isKnownLoss(_ left: UInt32, _ right: UInt32) -> Bool {
    guard heads[Int(left)].isScalar, heads[Int(right)].isScalar,
      heads[Int(left)].path == heads[Int(right)].path,
      heads[Int(left)].incarnation == heads[Int(right)].incarnation
    else { return false }
    let lower = ranks(left, below: right) ? left : right
    return heads[Int(lower)].hasLost
  }

  private mutating func note(_ finding: Finding) {
    let lost = heads[Int(finding.loser)]
    if !lost.hasLost, lost.isScalar, finding.kind == .concurrent, hasLostAll(finding) {
      heads[Int(finding.loser)].hasLost = true
    }
    let id = clashID(finding)
    guard let known = clashNumbers[id] else {
      clashNumbers[id] = clashes.count
      clashes.append(
        Clash(
          id: id, kind: finding.kind, place: finding.place,
          record: heads[Int(finding.loser)].record, loser: finding.loser))
      return
    }
    // Several operations of one transaction can lose alike; the first of them stands for all.
    let loser = clashes[known].loser
    if heads[Int(loser)].transaction == heads[Int(finding.loser)].transaction,
      heads[Int(finding.loser)].ordinal < heads[Int(loser)].ordinal
    {
      clashes[known].loser = finding.loser
    }
  }

  /// Whether any further comparison with a scalar at the same path would find the same.
  private func hasLostAll(_ finding: Finding) -> Bool {
    let lost = heads[Int(finding.loser)]
    switch finding.place {
    case .record: return false
    // There not only the rank decides who loses.
    case .path: return !rules(ofRecord: lost.record).monotonic.contains(lost.path)
    case .group(let name): return isAlone(finding.loser, in: name)
    }
  }

  private func clashID(_ finding: Finding) -> UInt64 {
    let head = heads[Int(finding.loser)]
    let id = rows.id(head.transaction)
    return entryID(
      kind: finding.kind.rawValue, address(ofRecord: head.record), finding.place,
      of: (id.writer.node, id.hash))
  }

  /// The id of an entry about a place that an operation of this transaction wrote.
  func entryID(
    kind: String, _ address: RecordAddress, _ place: ConflictPlace,
    of transaction: (node: NodeID, hash: LineHash)
  ) -> UInt64 {
    var bytes: [UInt8] = []
    func add(_ part: some Collection<UInt8>) {
      // Length first, so that no two lists of parts give the same bytes.
      bytes += Hex.digits(UInt64(part.count))
      bytes += part
    }
    add(kind.utf8)
    add(address.document.utf8)
    add((address.collection.map { "." + $0 } ?? "").utf8)
    add(address.key.bytes)
    switch place {
    case .record: add([])
    case .path(let pointer): add([UInt8(ascii: "p")] + pointer.bytes)
    case .group(let name): add([UInt8(ascii: "g")] + Array(name.utf8))
    }
    add(Hex.digits(transaction.node.raw) + Hex.digits(transaction.hash.raw))
    return XXH3.hash128(bytes).high
  }
}
