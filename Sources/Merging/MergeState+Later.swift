package import LosslessJSON

extension MergeState {
  /// Whether the record that lost to another one (`create-create`) was written by an author whom none
  /// of these transactions had seen.
  package func hasLoserEdits(_ conflict: Conflict, notSeenBy answers: [TransactionID]) -> Bool {
    guard conflict.kind == .createCreate, case .record = conflict.place,
      let record = recordNumber(at: conflict.address),
      let lost = numbersByHash[conflict.loser.transaction.hash],
      let creation = history(record).first(where: {
        heads[Int($0)].transaction == lost && heads[Int($0)].kind == .create
      })
    else { return false }
    let seen = answers.compactMap { numbersByHash[$0.hash] }
    return history(record).contains { head in
      let row = heads[Int(head)]
      return row.incarnation == heads[Int(creation)].incarnation && row.isWrite
        && !seen.contains { $0 == row.transaction || contains($0, row.transaction) }
    }
  }

  /// Whether somebody who had seen a transaction has written a place of a record since.
  ///
  /// A write of the record as a whole, its deletion and one above or below the place count.
  package func wasWritten(
    at address: RecordAddress, path pointer: JSONPointer?, after id: TransactionID
  ) -> Bool {
    guard let record = recordNumber(at: address), let earlier = numbersByHash[id.hash] else {
      return false
    }
    return history(record).contains { head in
      let row = heads[Int(head)]
      guard row.transaction != earlier, contains(row.transaction, earlier) else { return false }
      switch row.kind {
      case .deleteRecord: return true
      case .create: return row.incarnation != Head.adopted
      case .set, .remove:
        guard let pointer else { return true }
        let own = paths.pointer(row.path)
        return own.hasPrefix(pointer) || pointer.hasPrefix(own)
      case .move, .void: return false
      }
    }
  }
}
