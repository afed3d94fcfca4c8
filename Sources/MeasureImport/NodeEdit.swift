import LosslessJSON
import Merging
import Records

/// Edits by somebody on the node, who sees everything: they make generations between rewrites.
enum NodeEdit {
  static func change(
    of store: SimulatedStore, _ chance: inout Chance, _ ids: inout Int
  ) throws -> RecordChange? {
    let shown = Content(try store.shown())
    let what = chance.below(100)
    if what < 8 { return creation(&chance, &ids) }
    guard let item = chance.pick(shown.items) else { return creation(&chance, &ids) }
    let place = RecordPlace.simulated(item.id)
    if what < 14 { return shown.items.count > 1 ? .delete(place) : nil }
    guard let field = chance.pick(Field.allCases) else { return nil }
    if Field.optional.contains(field), item[field] != nil, chance.happens(percent: 10) {
      return .remove(place, field.pointer)
    }
    ids += 1
    var value = field.value(&chance, fresh: ids)
    if chance.happens(percent: 12) {
      let older = store.retained.suffix(8).compactMap { Content($0.split)[item.id]?[field] }
      value = chance.pick(older) ?? value
    }
    guard value != item[field] else { return nil }
    return .set(place, field.pointer, value, after: nil, .explicit)
  }

  private static func creation(_ chance: inout Chance, _ ids: inout Int) -> RecordChange {
    ids += 1
    var item = Item(id: ids)
    for field in Field.allCases
    where !Field.optional.contains(field) || chance.happens(percent: 70) {
      ids += 1
      item[field] = field.value(&chance, fresh: ids)
    }
    let place = RecordPlace.simulated(item.id)
    return .create(
      RecordCreation(
        collection: Content.collection, key: place.key, id: place.id, occurrence: 0,
        text: JSONText(unchecked: Array(item.text().utf8)), layout: nil, after: .start))
  }
}

extension RecordPlace {
  static func simulated(_ id: Int) -> RecordPlace {
    let text = JSONText.number(id)
    // A number is always an id.
    return RecordPlace(
      collection: Content.collection, key: RecordKey(id: text) ?? .outside, id: text)
  }
}
