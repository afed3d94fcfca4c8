package import LosslessJSON
import Merging
package import Records

/// Members that belong to one place of a document: `local` ones stay there, `derived` ones are never
/// merged. An export takes them from the file that it replaces.
///
/// Nothing of them is kept beside the documents: the file has them, and where it lacks one that its
/// writer does not know, the last export.
package struct BindingMembers {
  /// Where a program took a member away on purpose.
  struct Removal: Hashable {
    var place: RecordPlace
    var path: JSONPointer
  }

  let document: Configuration.Document
  let file: SplitDocument?
  let lastExport: SplitDocument?
  let removed: Set<Removal>
  /// What the export is to have at the document's marker; nil: no marker is written.
  var marker: JSONText?
  /// What a command writes there now.
  var written: [RecordChange] = []

  /// Whether a document has such members at all.
  package static func exist(in document: Configuration.Document) -> Bool {
    document.rules.values.contains { !$0.local.isEmpty || !$0.derived.isEmpty }
  }

  /// The text of a record, or of what lies outside, with the members of this place.
  package func text(_ text: JSONText, of place: RecordPlace) -> JSONText {
    let shown = written.reduce(kept(text, of: place)) { text, change in
      change.place.bare == place.bare ? Self.applying(change, to: text) : text
    }
    guard place.collection == nil, let path = document.marker, let marker,
      let root = Self.parsed(shown)?.root
    else { return shown }
    let like = node(of: place, in: lastExport) ?? root
    return Self.applying(Self.writing(marker, at: path, in: root, like: like), to: shown)
  }

  /// The text with the members that the file, or the last export, has at this place.
  private func kept(_ text: JSONText, of place: RecordPlace) -> JSONText {
    let rules = document.rules(collection: place.collection)
    let paths = rules.local.union(rules.derived).sorted()
    guard !paths.isEmpty else { return text }
    let (own, known) = (node(of: place, in: file), node(of: place, in: lastExport))
    guard let own = own ?? known else { return Self.without(rules.local, text) }
    // What the file has without these members, it may as well have with them, byte for byte.
    if Self.without(Set(paths), own.text) == Self.without(Set(paths), text),
      known.map({ !lacks(own, $0, paths, place) }) ?? true
    {
      return own.text
    }
    var edits: [JSONEdit] = []
    guard let root = Self.parsed(text)?.root else { return text }
    for path in paths {
      let isRemoved = removed.contains(Removal(place: place.bare, path: path))
      if let value = own.node(at: path) ?? (isRemoved ? nil : known?.node(at: path)) {
        edits += Self.writing(value.text, at: path, in: root, like: own)
      } else if rules.local.contains(path), root.node(at: path) != nil {
        edits.append(.remove(path))
      }
    }
    return Self.applying(edits, to: text)
  }

  private func lacks(
    _ own: JSONNode, _ known: JSONNode, _ paths: [JSONPointer], _ place: RecordPlace
  ) -> Bool {
    paths.contains {
      own.node(at: $0) == nil && known.node(at: $0) != nil
        && !removed.contains(Removal(place: place.bare, path: $0))
    }
  }

  private func node(of place: RecordPlace, in document: SplitDocument?) -> JSONNode? {
    guard let collection = place.collection else { return document?.frameTree.root }
    return document?.record(collection, place.key, occurrence: place.occurrence)?.node
  }

  // MARK: - Changes

  /// Divides what a command asks for: what goes into the log, and what stays at this place.
  static func divided(
    _ changes: [RecordChange], of document: Configuration.Document
  ) -> (logged: [RecordChange], here: [RecordChange]) {
    guard exist(in: document) else { return (changes, []) }
    var (logged, here): ([RecordChange], [RecordChange]) = ([], [])
    for change in changes {
      let rules = document.rules(collection: change.place.collection)
      let own = rules.local.union(rules.derived)
      if let path = change.path, own.contains(where: { path.hasPrefix($0) }) {
        here.append(change)
        continue
      }
      switch change {
      case .create(var creation):
        here += writes(of: own, in: creation.text, at: .root, change.place)
        creation.text = without(rules.local, creation.text)
        logged.append(.create(creation))
      case .set(let place, let path, let text, let after, let operationClass):
        here += writes(of: own, in: text, at: path, place)
        let inner = rules.local.compactMap { relative($0, to: path) }
        logged.append(.set(place, path, without(Set(inner), text), after: after, operationClass))
      case .remove, .delete, .move: logged.append(change)
      }
    }
    return (logged, here)
  }

  private static func writes(
    of own: Set<JSONPointer>, in text: JSONText, at path: JSONPointer, _ place: RecordPlace
  ) -> [RecordChange] {
    own.sorted().compactMap { pointer in
      guard let inner = relative(pointer, to: path), let value = parsed(text)?.root.node(at: inner)
      else { return nil }
      return .set(place, pointer, value.text, after: nil, .explicit)
    }
  }

  /// A pointer below a path as it reads from there; nil where it is not below.
  private static func relative(_ pointer: JSONPointer, to path: JSONPointer) -> JSONPointer? {
    guard pointer.hasPrefix(path), pointer.tokens.count > path.tokens.count else { return nil }
    return JSONPointer(Array(pointer.tokens.dropFirst(path.tokens.count)))
  }

  private static func applying(_ change: RecordChange, to text: JSONText) -> JSONText {
    guard let root = parsed(text)?.root else { return text }
    switch change {
    case .set(_, let path, let value, _, _):
      let (top, wrapped) = FieldWrite.topmost(path, value, in: root)
      guard let parent = top.parent, let key = top.last else { return wrapped }
      // A member that is there keeps its place, a new one comes last.
      return applying(
        [.insertMember(in: parent, key: key, keyText: nil, value: wrapped, at: .last)], to: text)
    case .remove(_, let path):
      return root.node(at: path) == nil ? text : applying([.remove(path)], to: text)
    case .create, .delete, .move: return text
    }
  }

  // MARK: - Texts

  /// A record as the log may have it: what is local to a place is not for others.
  static func without(_ paths: Set<JSONPointer>, _ text: JSONText) -> JSONText {
    guard !paths.isEmpty, let root = parsed(text)?.root else { return text }
    return applying(
      paths.sorted().filter { !$0.isRoot && root.node(at: $0) != nil }.map { .remove($0) }, to: text
    )
  }

  private static func writing(
    _ value: JSONText, at path: JSONPointer, in root: JSONNode, like own: JSONNode
  ) -> [JSONEdit] {
    if let there = root.node(at: path) {
      return there.text == value ? [] : [.replace(path, with: value)]
    }
    guard let parent = path.parent, let key = path.last, root.node(at: parent)?.kind == .object
    else { return [] }
    var before: JSONKey?
    for member in own.node(at: parent)?.members ?? root.members {
      if member.key == key { break }
      before = member.key
    }
    return [
      .insertMember(
        in: parent, key: key, keyText: nil, value: value, at: before.map { .after($0) } ?? .first)
    ]
  }

  private static func parsed(_ text: JSONText) -> JSONTree? {
    // Text of the state and of parsed files is JSON; without it there is nothing to put in.
    try? JSONTree(parsing: text)
  }

  private static func applying(_ edits: [JSONEdit], to text: JSONText) -> JSONText {
    guard !edits.isEmpty, let tree = parsed(text) else { return text }
    // A place that is not there keeps its record as it is.
    guard let bytes = try? tree.applying(edits) else { return text }
    return JSONText(unchecked: bytes)
  }
}

extension RecordPlace {
  /// The place without the spelling of its id.
  var bare: RecordPlace {
    RecordPlace(collection: collection, key: key, occurrence: occurrence)
  }
}
