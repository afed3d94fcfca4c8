import LosslessJSON
import Merging

/// One place of a document (a collection, or what lies outside) as one client sees it.
///
/// A class, since it is handed to every step of every comparison and never changes.
final class PlaceView {
  let place: MergeRules.Place
  let rules: RecordRules
  let profile: ClientProfile
  let shape: DocumentShape
  /// Nil where the client is undeclared or knows everything.
  let schema: JSONSchema?
  let isUndeclared: Bool

  init(
    _ document: Configuration.Document, collection: String?, profile: ClientProfile
  ) {
    place = MergeRules.Place(document: document.name, collection: collection)
    rules = document.rules(collection: collection)
    shape = document.shape
    self.profile = profile
    schema = profile.schema(place)
    isUndeclared = profile.isUndeclared(place)
  }

  var collection: String? { place.collection }

  /// What the client knows of a whole record.
  var root: JSONSchema.Place { schema?.root ?? .whole }

  func member(_ key: JSONKey, of place: JSONSchema.Place) -> JSONSchema.Place {
    schema?.member(key, of: place) ?? .whole
  }

  func element(of place: JSONSchema.Place) -> JSONSchema.Place {
    schema?.element(of: place) ?? .whole
  }

  /// Whether values pass the client without any damage, so that its texts can be taken as they are.
  var isFaithful: Bool {
    !isUndeclared && schema == nil && profile.numbers == .exact && profile.strings == .exact
      && !profile.omitsNull
  }

  /// Outside the collections: whether all that lies at the path is records of a collection. Members
  /// of a map that are no records lie in its frame and are compared there.
  func isCollection(_ path: JSONPointer) -> Bool {
    guard collection == nil, let found = shape.collection(at: path) else { return false }
    return found.except.isEmpty
  }

  /// Outside the collections: whether a collection lies at or below the path.
  func hasCollection(_ path: JSONPointer) -> Bool {
    collection == nil && shape.hasCollection(atOrBelow: path)
  }

  func isAlways(_ path: JSONPointer) -> Bool {
    collection != nil && !profile.always.isEmpty && profile.always.contains(path)
  }

  /// Whether a value is outside the enum at its place, where the client puts a fallback for such.
  func fallback(for value: JSONNode, at place: JSONSchema.Place) -> JSONText? {
    guard let known = schema?.enumeration(at: place), let fallback = known.fallback,
      !known.values.contains(where: { $0.hasSameValue(as: value.text) })
    else { return nil }
    return fallback
  }

  /// Whether differences at a path tell nothing about the base.
  func isIgnoredInSearch(_ path: JSONPointer) -> Bool {
    Self.covers(rules.volatile, path) || Self.covers(rules.local, path)
      || Self.covers(rules.derived, path)
  }

  static func covers(_ paths: Set<JSONPointer>, _ path: JSONPointer) -> Bool {
    !paths.isEmpty && paths.contains { path.hasPrefix($0) }
  }
}

/// What a client is known to lose when it writes a value again.
struct Losses: OptionSet {
  let rawValue: UInt8

  /// A number went through binary64, or lone surrogates became U+FFFD.
  static let rounded = Losses(rawValue: 1)
  /// A member that is null was left out.
  static let nullOmitted = Losses(rawValue: 2)
  /// Members that the client does not know, inside an element of an array.
  static let stripped = Losses(rawValue: 4)
  /// A raw value became the fallback, inside an element of an array.
  static let coerced = Losses(rawValue: 8)
}

extension PlaceView {
  /// What the client lost between two values that mean the same to it; nil where they differ.
  func losses(_ base: JSONNode, _ incoming: JSONNode, at place: JSONSchema.Place) -> Losses? {
    if base.text == incoming.text { return [] }
    switch (base.kind, incoming.kind) {
    case (.number, .number): return numberLosses(base.text, incoming.text)
    case (.number, .null):
      let isInfinite = base.text.doubleValue?.isInfinite ?? false
      return profile.numbers == .double && isInfinite ? .rounded : nil
    case (.string, .string):
      if base.text.hasSameValue(as: incoming.text) { return [] }
      return profile.strings == .replacesLoneSurrogates
        && base.text.hasSameValue(as: incoming.text, strings: .replacesLoneSurrogates)
        ? .rounded : nil
    case (.array, .array): return arrayLosses(base, incoming, at: place)
    case (.object, .object): return objectLosses(base, incoming, at: place)
    default: return base.kind == incoming.kind ? [] : nil
    }
  }

  private func numberLosses(_ base: JSONText, _ incoming: JSONText) -> Losses? {
    if base.hasSameValue(as: incoming) { return [] }
    return profile.numbers == .double && base.hasSameValue(as: incoming, numbers: .double)
      ? .rounded : nil
  }

  private func arrayLosses(
    _ base: JSONNode, _ incoming: JSONNode, at place: JSONSchema.Place
  ) -> Losses? {
    let inner = element(of: place)
    var losses: Losses = []
    var others = incoming.elements.makeIterator()
    for element in base.elements {
      guard let other = others.next(), let lost = elementLosses(element, other, at: inner) else {
        return nil
      }
      losses.formUnion(lost)
    }
    return others.next() == nil ? losses : nil
  }

  /// As `losses`, for a value inside an array: also a raw value that became the fallback.
  func elementLosses(
    _ base: JSONNode, _ incoming: JSONNode, at place: JSONSchema.Place
  ) -> Losses? {
    if let losses = losses(base, incoming, at: place) { return losses }
    guard let fallback = fallback(for: base, at: place),
      fallback.hasSameValue(as: incoming.text)
    else { return nil }
    return .coerced
  }

  private func objectLosses(
    _ base: JSONNode, _ incoming: JSONNode, at place: JSONSchema.Place
  ) -> Losses? {
    let others = incoming.countingMembers()
    var losses: Losses = []
    var found = 0
    for (key, value) in base.countingMembers() {
      let inner = member(key, of: place)
      guard let other = others[key] else {
        guard let lost = absenceLosses(value, at: inner) else { return nil }
        losses.formUnion(lost)
        continue
      }
      found += 1
      guard let lost = elementLosses(value, other, at: inner) else { return nil }
      losses.formUnion(lost)
    }
    return found == others.count ? losses : nil
  }

  /// What was lost where a member inside an element of an array is absent; nil: it was removed.
  private func absenceLosses(_ value: JSONNode, at place: JSONSchema.Place) -> Losses? {
    if place == .unknown || isUndeclared { return .stripped }
    return profile.omitsNull && value.kind == .null ? .nullOmitted : nil
  }

  /// Whether two arrays hold the same elements, in whatever order.
  func isSameSet(_ base: JSONNode, _ incoming: JSONNode, at place: JSONSchema.Place) -> Bool {
    let inner = element(of: place)
    var left = Array(base.elements)
    for element in incoming.elements {
      guard let match = left.firstIndex(where: { losses($0, element, at: inner) != nil }) else {
        // A repeated element of a set says nothing new.
        if base.elements.contains(where: { losses($0, element, at: inner) != nil }) { continue }
        return false
      }
      left.remove(at: match)
    }
    return left.allSatisfy { rest in
      incoming.elements.contains { losses(rest, $0, at: inner) != nil }
    }
  }
}
