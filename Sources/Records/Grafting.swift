import LosslessJSON
import Merging

/// Puts back into a value that a lossy client wrote what it lost of the base's value.
struct Grafting {
  let view: PlaceView
  /// Whether something that the client does not know could not be put back.
  private(set) var hasLost = false

  init(view: PlaceView) { self.view = view }

  /// The text to be written in place of `base` where the client wrote `incoming`.
  mutating func text(
    _ incoming: JSONNode, over base: JSONNode, at place: JSONSchema.Place, path: JSONPointer
  ) -> JSONText {
    if view.isFaithful { return incoming.text }
    if view.elementLosses(base, incoming, at: place) != nil { return base.text }
    switch (base.kind, incoming.kind) {
    case (.array, .array):
      return array(incoming, base, at: place, id: view.rules.keyed[path])
    case (.object, .object):
      return object(incoming, base, at: place, path)
    default:
      if base.kind == .object, let schema = view.schema, schema.dropsMember(of: base, at: place) {
        hasLost = true
      }
      return incoming.text
    }
  }

  private mutating func object(
    _ incoming: JSONNode, _ base: JSONNode, at place: JSONSchema.Place, _ path: JSONPointer
  ) -> JSONText {
    let ours = Members(base)
    let theirs = Members(incoming)
    var edits: [JSONEdit] = []
    for (index, key) in theirs.keys.enumerated() {
      guard let position = ours.index(of: key, near: index) else { continue }
      let value = theirs.values[index]
      let text = text(
        value, over: ours.values[position], at: view.member(key, of: place),
        path: path.appending(key))
      if text != value.text { edits.append(.replace(JSONPointer([key]), with: text)) }
    }
    var before: JSONKey?
    for (position, key) in ours.keys.enumerated() {
      defer { before = key }
      guard theirs.index(of: key, near: position) == nil,
        isKept(ours.values[position], at: view.member(key, of: place))
      else { continue }
      edits.append(
        .insertMember(
          in: .root, key: key, keyText: nil, value: ours.values[position].text,
          at: before.map { .after($0) } ?? .first))
    }
    return edited(incoming.text, edits)
  }

  private func isKept(_ value: JSONNode, at place: JSONSchema.Place) -> Bool {
    place == .unknown || view.isUndeclared || view.profile.omitsNull && value.kind == .null
  }

  private func edited(_ text: JSONText, _ edits: [JSONEdit]) -> JSONText {
    guard !edits.isEmpty else { return text }
    // The text is part of a parsed document and the places were just seen, so this cannot fail.
    guard let tree = try? JSONTree(parsing: text), let bytes = try? tree.applying(edits) else {
      return text
    }
    return JSONText(unchecked: bytes)
  }

  // MARK: - Arrays

  private mutating func array(
    _ incoming: JSONNode, _ base: JSONNode, at place: JSONSchema.Place, id: JSONPointer?
  ) -> JSONText {
    let inner = view.element(of: place)
    let ours = Array(base.elements)
    let theirs = Array(incoming.elements)
    let partners = partners(ours, theirs, at: inner, id: id)
    var output: [UInt8] = []
    var copied = incoming.range.lowerBound
    let bytes = incoming.text.bytes
    for (position, element) in theirs.enumerated() {
      guard let partner = partners[position] else { continue }
      let text = text(element, over: ours[partner], at: inner, path: .root)
      output += bytes[copied..<element.range.lowerBound]
      output += text.bytes
      copied = element.range.upperBound
    }
    let left = Set(ours.indices).subtracting(partners.compactMap { $0 })
    if left.contains(where: { loses(ours[$0], at: inner) }) { hasLost = true }
    return JSONText(unchecked: output + bytes[copied..<incoming.range.upperBound])
  }

  private func loses(_ element: JSONNode, at place: JSONSchema.Place) -> Bool {
    guard element.kind == .object, let schema = view.schema else { return false }
    return schema.dropsMember(of: element, at: place)
  }

  /// For each element of the rewrite the one of the base that it is: the same to the client, or
  /// with the same id, or alone in the same gap between two such.
  private func partners(
    _ ours: [JSONNode], _ theirs: [JSONNode], at place: JSONSchema.Place, id: JSONPointer?
  ) -> [Int?] {
    var partners = [Int?](repeating: nil, count: theirs.count)
    var free = Array(ours.indices)
    func take(_ isPartner: (JSONNode, JSONNode) -> Bool) {
      for position in theirs.indices where partners[position] == nil {
        guard let found = free.firstIndex(where: { isPartner(ours[$0], theirs[position]) }) else {
          continue
        }
        partners[position] = free.remove(at: found)
      }
    }
    take { view.elementLosses($0, $1, at: place) != nil }
    if let id {
      take { left, right in
        guard let one = left.node(at: id), let other = right.node(at: id) else { return false }
        return one.hasSameValue(as: other)
      }
      return partners
    }
    pairGaps(ours, theirs, &partners)
    return partners
  }

  /// Between two neighbours that are known on both sides, as many elements left on both are edits.
  private func pairGaps(_ ours: [JSONNode], _ theirs: [JSONNode], _ partners: inout [Int?]) {
    let used = Set(partners.compactMap { $0 })
    var start = 0
    var before = -1
    while start < theirs.count {
      guard partners[start] == nil else {
        before = partners[start] ?? before
        start += 1
        continue
      }
      let end = (start..<theirs.count).first { partners[$0] != nil } ?? theirs.count
      let next = end < theirs.count ? partners[end] ?? ours.count : ours.count
      let gap = before + 1 < next ? Array(before + 1..<next) : []
      if gap.count == end - start, !gap.contains(where: used.contains) {
        for (offset, position) in gap.enumerated() where theirs[start + offset].kind == .object {
          partners[start + offset] = position
        }
      }
      start = end
    }
  }
}
