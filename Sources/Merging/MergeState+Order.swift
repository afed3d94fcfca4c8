extension MergeState {
  /// The shown records of a place in order; only what has changed is evaluated again.
  func orderedViews(ofPlace place: UInt32) -> [RecordView] {
    if let known = cache.orders[place] {
      if !known.stale.isEmpty { refresh(place, known.stale) }
    } else {
      cache.orders[place] = newOrder(ofPlace: place)
    }
    return cache.orders[place]?.views ?? []
  }

  private func newOrder(ofPlace place: UInt32) -> PlaceOrder {
    let fresh = places[Int(place)].records.flatMap { record in
      slots(ofRecord: record).map { (record: record, slot: $0) }
    }.sorted { precedes($0.slot, $1.slot) }
    var order = PlaceOrder()
    for item in fresh { order.append(item.slot, of: item.record) }
    return order
  }

  /// Brings the order up to date: in place where no record came, went or moved.
  private func refresh(_ place: UInt32, _ stale: Set<UInt32>) {
    guard var order = cache.orders.removeValue(forKey: place) else { return }
    order.stale = []
    var slots: [UInt32: [SlotView]] = [:]
    for record in stale { slots[record] = self.slots(ofRecord: record) }
    var indices: [UInt32: [Int]] = [:]
    for (index, record) in order.records.enumerated() where stale.contains(record) {
      indices[record, default: []].append(index)
    }
    let isInPlace = stale.allSatisfy { record in
      guard let slots = slots[record], slots.count <= 1 else { return false }
      return slots.map(\.position) == (indices[record] ?? []).map { order.positions[$0] }
    }
    if isInPlace {
      for (record, places) in indices {
        for index in places {
          if let slot = slots[record]?.first { order.views[index] = slot.view }
        }
      }
    } else {
      order = merging(order, without: stale, slots)
    }
    cache.orders[place] = order
  }

  private func merging(
    _ old: PlaceOrder, without stale: Set<UInt32>, _ slots: [UInt32: [SlotView]]
  ) -> PlaceOrder {
    let fresh = slots.flatMap { record, slots in slots.map { (record: record, slot: $0) } }
      .sorted { precedes($0.slot, $1.slot) }
    var order = PlaceOrder()
    var next = 0
    for index in old.records.indices where !stale.contains(old.records[index]) {
      let slot = old.slot(index)
      while next < fresh.count, precedes(fresh[next].slot, slot) {
        order.append(fresh[next].slot, of: fresh[next].record)
        next += 1
      }
      order.append(slot, of: old.records[index])
    }
    for item in fresh[next...] { order.append(item.slot, of: item.record) }
    return order
  }
}
