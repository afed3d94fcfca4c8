internal import LosslessJSON

/// What has been evaluated since the operations it rests on came in.
///
/// A class, so that reading a state can fill it. Whoever changes a state that shares its cache
/// with a copy takes a new one first.
final class ViewCache {
  /// Per record what it shows; a record that has only its creation is not kept here.
  var slots: [UInt32: [SlotView]] = [:]
  /// Per place the shown records in their order.
  var orders: [UInt32: PlaceOrder] = [:]
  /// Per creation the incarnations it stands beside; they follow from its context alone.
  var neighbours: [UInt32: Set<UInt32>] = [:]
  /// The elements of keyed arrays; what was derived of an operation holds for good.
  var keyed: [KeyedArray.Place: KeyedArray] = [:]

  /// Groups as the authors of operations left them; they follow from what those had seen.
  var groups: [GroupOfHead: JSONText] = [:]

  /// Forgets what depends on the operations on a record.
  func forget(_ record: UInt32, place: UInt32) {
    slots[record] = nil
    if orders[place] != nil { orders[place]?.stale.insert(record) }
  }
}

/// A group in the eyes of an operation's author.
struct GroupOfHead: Hashable {
  var group: String
  var head: UInt32
}

/// One shown record with what decides its place in the list.
struct SlotView {
  var view: RecordView
  /// The operation that says where it stands.
  var position: UInt32
}

/// The shown records of a place in order, in twelve bytes each, and which of them have changed since.
struct PlaceOrder {
  /// One record in its place.
  struct Entry {
    var record: UInt32
    /// Which of the slots that its record shows.
    var slot: UInt32
    /// The operation that says where it stands.
    var position: UInt32
  }

  var entries: [Entry] = []
  var stale: Set<UInt32> = []
}
