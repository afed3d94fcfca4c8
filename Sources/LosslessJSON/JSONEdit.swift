/// One change of a document; see `JSONTree.applying`.
package enum JSONEdit: Sendable, Hashable {
  /// Puts another value at a place that exists.
  case replace(JSONPointer, with: JSONText)
  /// Takes a member, with all its duplicates, or an element away.
  case remove(JSONPointer)
  /// Adds a member to an object; where the object has the name, its last value is replaced.
  ///
  /// `keyText` is the spelling of the name with quotes, nil for the shortest.
  case insertMember(
    in: JSONPointer, key: JSONKey, keyText: JSONText?, value: JSONText, at: MemberPosition)
  /// Adds an element to an array.
  case insertElement(in: JSONPointer, value: JSONText, at: ElementPosition)

  /// Where a new member goes, behind what earlier edits of the list have put there.
  package enum MemberPosition: Sendable, Hashable {
    case first
    case last
    /// Behind the last member of this name, or where the first one was if all are removed; at the
    /// end if there never was one.
    case after(JSONKey)
  }

  /// Where a new element goes, behind what earlier edits of the list have put there.
  package enum ElementPosition: Sendable, Hashable {
    case first
    case last
    /// Behind the element that had this index before all edits; at the end if there is none.
    case after(Int)
  }
}

/// Why a list of edits could not be applied; the document is as it was.
package enum JSONEditError: Error, Hashable, Sendable {
  /// The pointer leads nowhere.
  case noSuchPlace(JSONPointer)
  /// A member was to go into something that is no object.
  case notAnObject(JSONPointer)
  /// An element was to go into something that is no array.
  case notAnArray(JSONPointer)
  /// The whole document cannot be removed.
  case cannotRemoveRoot
  /// The value that an earlier edit put at the pointer is no JSON text.
  case malformedText(JSONPointer)
}

extension JSONEdit {
  /// The same edit with a value that has no line ends.
  var onOneLine: JSONEdit {
    switch self {
    case .remove: self
    case .replace(let pointer, let text): .replace(pointer, with: text.onOneLine)
    case .insertMember(let pointer, let key, let keyText, let value, let position):
      .insertMember(
        in: pointer, key: key, keyText: keyText, value: value.onOneLine, at: position)
    case .insertElement(let pointer, let value, let position):
      .insertElement(in: pointer, value: value.onOneLine, at: position)
    }
  }
}
