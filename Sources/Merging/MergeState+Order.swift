extension MergeState {
  /// The shown records of a place in order; only what has changed is evaluated again.
  func orderedViews(ofPlace place: UInt32) -> RecordViews {
    if let known = cache.orders[place] {
      if !known.stale.isEmpty { refresh(place, known.stale) }
    } else {
      cache.orders[place] = PlaceOrder(entries: sorted(places[Int(place)].records))
    }
    return RecordViews(self, cache.orders[place]?.entries ?? [])
  }

  /// What some records show, in order.
  private func sorted(_ records: some Sequence<UInt32>) -> [PlaceOrder.Entry] {
    var entries: [(entry: PlaceOrder.Entry, fraction: Fraction?)] = []
    for record in records {
      for (slot, position) in positions(ofRecord: record).enumerated() {
        entries.append(
          (
            PlaceOrder.Entry(record: record, slot: UInt32(slot), position: position),
            fraction(position)
          ))
      }
    }
    entries.sort { precedes(($0.fraction, $0.entry.position), ($1.fraction, $1.entry.position)) }
    return entries.map(\.entry)
  }

  /// The operations that say where the slots of a record stand.
  private func positions(ofRecord record: UInt32) -> [UInt32] {
    let last = records[Int(record)].last
    if isSole(last, of: record) { return [last] }
    return slots(ofRecord: record).map(\.position)
  }

  /// Brings the order up to date: in place where no record came, went or moved.
  private func refresh(_ place: UInt32, _ stale: Set<UInt32>) {
    guard var order = cache.orders.removeValue(forKey: place) else { return }
    order.stale = []
    var known: [UInt32: [UInt32]] = [:]
    for entry in order.entries where stale.contains(entry.record) {
      known[entry.record, default: []].append(entry.position)
    }
    let isInPlace = stale.allSatisfy { record in
      let positions = positions(ofRecord: record)
      return positions.count <= 1 && positions == known[record] ?? []
    }
    if !isInPlace { order.entries = merging(order.entries, without: stale) }
    cache.orders[place] = order
  }

  private func merging(
    _ old: [PlaceOrder.Entry], without stale: Set<UInt32>
  ) -> [PlaceOrder.Entry] {
    let fresh = sorted(stale)
    var entries: [PlaceOrder.Entry] = []
    entries.reserveCapacity(old.count + fresh.count)
    var next = 0
    for entry in old where !stale.contains(entry.record) {
      while next < fresh.count, precedes(fresh[next], entry) {
        entries.append(fresh[next])
        next += 1
      }
      entries.append(entry)
    }
    return entries + fresh[next...]
  }

  private func precedes(_ left: PlaceOrder.Entry, _ right: PlaceOrder.Entry) -> Bool {
    precedes((fraction(left.position), left.position), (fraction(right.position), right.position))
  }
}
