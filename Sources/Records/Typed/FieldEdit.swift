package import LosslessJSON

/// A field in which an edited record differs from what it was.
package struct FieldEdit: Equatable, Sendable {
  package var path: JSONPointer
  /// Nil: the member is gone.
  package var value: JSONText?
  /// For a new member the one before it.
  package var after: JSONKey?

  /// Goes into objects that both have, and takes everything else as a whole. Members of the same bytes
  /// are the same.
  package static func edits(from base: JSONNode, to edited: JSONNode) -> [FieldEdit] {
    var edits: [FieldEdit] = []
    walk(base, edited, .root, &edits)
    return edits
  }

  /// Calls itself once a level, of which the parser admits so many.
  private static func walk(
    _ base: JSONNode, _ edited: JSONNode, _ path: JSONPointer, _ edits: inout [FieldEdit]
  ) {
    guard base.text != edited.text else { return }
    guard base.kind == .object, edited.kind == .object else {
      edits.append(FieldEdit(path: path, value: edited.text))
      return
    }
    let (old, new) = (base.countingMembers(), edited.countingMembers())
    var before: JSONKey?
    var done: Set<JSONKey> = []
    for key in edited.members.map(\.key) where done.insert(key).inserted {
      guard let value = new[key] else { continue }
      if let known = old[key] {
        walk(known, value, path.appending(key), &edits)
      } else {
        edits.append(FieldEdit(path: path.appending(key), value: value.text, after: before))
      }
      before = key
    }
    for key in base.members.map(\.key) where new[key] == nil && done.insert(key).inserted {
      edits.append(FieldEdit(path: path.appending(key), value: nil))
    }
  }

  /// The text of a record after an edit: of what was not edited the bytes, the rest laid out as the
  /// document is.
  static func text(
    of edited: JSONNode, from base: JSONNode, style: DocumentStyle,
    in collection: DocumentShape.Collection
  ) -> JSONText {
    let edits = edits(from: base, to: edited)
    if edits.isEmpty { return base.text }
    // A value that became another one as a whole has no parts to keep.
    guard edits != [FieldEdit(path: .root, value: edited.text)],
      let tree = try? JSONTree(parsing: base.text)
    else { return style.printed(edited.text, in: collection) }
    let depth = style.depth(of: collection)
    let applied = edits.map { edit -> JSONEdit in
      guard let value = edit.value else { return .remove(edit.path) }
      let text = style.laidOut(value, at: edit.path, in: tree.root, depth: depth)
      guard tree.node(at: edit.path) == nil, let parent = edit.path.parent, let key = edit.path.last
      else { return .replace(edit.path, with: text) }
      return .insertMember(
        in: parent, key: key, keyText: nil, value: text,
        at: edit.after.map { .after($0) } ?? .first)
    }
    do { return JSONText(unchecked: try tree.applying(applied)) } catch {
      preconditionFailure("an edit has no place in the record that it was found in: \(error)")
    }
  }
}
