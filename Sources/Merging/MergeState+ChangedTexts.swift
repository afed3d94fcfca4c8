package import LosslessJSON

extension MergeState {
  /// What a record showed and shows.
  package struct ChangedText: Equatable, Sendable {
    package var old: JSONText
    package var new: JSONText

    package init(old: JSONText, new: JSONText) {
      self.old = old
      self.new = new
    }
  }

  /// The records of a document that show another text than a context does, where nothing else of the
  /// document has changed since: no record came, went, moved or has another layout.
  ///
  /// Nil where that is not so, where more records than `countMax` were written, where something else
  /// than records decides what is shown, and where `fixed` was written.
  /// - Parameter fixed: a document that must not have changed.
  /// - Complexity: the transactions, by number, and an evaluation of each of those records.
  package func changedTexts(
    of document: String, since context: Context, countMax: Int, fixed: String
  ) -> [ChangedText]? {
    let sight = resolve(context)
    guard retired.isEmpty, tails.isEmpty, self.context(of: sight) == context else { return nil }
    var written: Set<UInt32> = []
    for number in rows.indices where !contains(sight, UInt32(number)) {
      for head in rows[number].firstHead..<endHead(of: UInt32(number)) {
        let record = heads[Int(head)].record
        let place = places[Int(records[Int(record)].place)].place
        if place.document == fixed { return nil }
        guard place.document == document else { continue }
        written.insert(record)
        if place.collection == nil || written.count > countMax { return nil }
      }
    }
    var changed: [ChangedText] = []
    for record in written {
      let (then, now) = (slots(ofRecord: record, seenBy: sight), slots(ofRecord: record))
      guard then.count == now.count, then.count <= 1 else { return nil }
      guard let old = then.first, let new = now.first else { continue }
      guard old.position == new.position, old.view.id == new.view.id,
        old.view.layout == new.view.layout
      else { return nil }
      if old.view.text != new.view.text {
        changed.append(ChangedText(old: old.view.text, new: new.view.text))
      }
    }
    return changed
  }
}
