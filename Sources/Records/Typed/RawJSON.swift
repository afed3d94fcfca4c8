package import LosslessJSON

/// One JSON value, byte for byte as it stands in its document.
///
/// Number spellings, escapes, the order of members and members of one name are all kept. Equality is
/// that of the bytes; see `hasSameValue(as:)`. A value keeps the text that it was read from in memory.
public struct RawJSON: Sendable {
  /// What a value is.
  public enum Kind: String, Sendable, CaseIterable {
    /// Members with names.
    case object
    /// Elements in an order.
    case array
    /// Text.
    case string
    /// A number of any size.
    case number
    /// `true` or `false`.
    case boolean
    /// `null`, which is a value: an absent member is something else.
    case null
  }

  package let node: JSONNode

  package init(_ node: consuming JSONNode) {
    self.init(unfolded: node.isFolded ? node.unfolded : node)
  }

  /// - Precondition: all that is in it is at hand.
  init(unfolded node: consuming JSONNode) { self.node = node }

  /// Takes text that is known to be one valid value; other text becomes null.
  package init(_ text: JSONText) {
    // Only text that was never valid fails.
    let tree = (try? JSONTree(parsing: text)) ?? Self.nullTree
    self.init(tree.root)
  }

  /// Reads one value, with white space around it.
  ///
  /// - Throws: `notJSON` with the place of the first error.
  public init(parsing bytes: some Sequence<UInt8>) throws(RecordError) {
    do throws(JSONError) {
      let tree = try JSONTree(parsing: Array(bytes))
      self.init(tree.root)
    } catch {
      throw .notJSON(offset: error.offset, line: error.line, column: error.column)
    }
  }

  /// Reads one value, with white space around it.
  ///
  /// - Throws: `notJSON` with the place of the first error.
  public init(parsing text: String) throws(RecordError) { try self.init(parsing: text.utf8) }

  /// A string.
  public init(_ string: String) { self.init(JSONText.string(string)) }

  /// A whole number.
  public init(_ number: Int) { self.init(JSONText.number(number)) }

  /// A boolean.
  public init(_ value: Bool) { self.init(JSONText.bool(value)) }

  /// A list.
  public init(_ elements: [RawJSON]) {
    var bytes = [UInt8(ascii: "[")]
    for (index, element) in elements.enumerated() {
      if index > 0 { bytes += ", ".utf8 }
      bytes += element.node.text.bytes
    }
    self.init(JSONText(unchecked: bytes + [UInt8(ascii: "]")]))
  }

  /// `null`
  public static let null = RawJSON(JSONText.null)

  /// `{}`
  public static let emptyObject = RawJSON(JSONText.emptyObject)

  private static let nullTree: JSONTree = {
    do { return try JSONTree(parsing: JSONText.null) } catch {
      preconditionFailure("null is JSON: \(error)")
    }
  }()

  /// The text of the value, without white space around it.
  public var text: String { node.text.description }

  /// The text of the value as UTF-8.
  public var bytes: [UInt8] { Array(node.text.bytes) }

  /// What the value is.
  public var kind: Kind {
    switch node.kind {
    case .object: .object
    case .array: .array
    case .string: .string
    case .number: .number
    case .true, .false: .boolean
    case .null: .null
    }
  }

  /// The content of a string, nil for any other value; a lone surrogate is shown as U+FFFD.
  public var string: String? { node.string }

  /// A number that is whole and fits, however it is spelt (`1.0`, `1e3`); else nil. Never rounded.
  public var int: Int? { node.intValue }

  /// The nearest Double of a number that has one; nil beyond its range and for other values.
  public var double: Double? { node.text.doubleValue.flatMap { $0.isFinite ? $0 : nil } }

  /// A boolean, nil for any other value.
  public var bool: Bool? { node.text.boolValue }

  /// The elements of a list, nil for any other value.
  public var elements: [RawJSON]? { node.kind == .array ? node.elements.map { RawJSON($0) } : nil }

  /// The names of an object's members in their order, each once; empty for any other value.
  public var memberNames: [String] {
    var seen: Set<JSONKey> = []
    return node.members.map(\.key).filter { seen.insert($0).inserted }.map(\.string)
  }

  /// Whether both mean the same: numbers by exact value, members in any order.
  public func hasSameValue(as other: RawJSON) -> Bool { node.hasSameValue(as: other.node) }

  /// The member of an object, of several with one name the last; nil sets none.
  ///
  /// Writing changes this member only: all other bytes stay. A value that is no object has no members,
  /// and writing one to it does nothing.
  public subscript(member name: String) -> RawJSON? {
    get {
      var name = name
      return name.withUTF8 { member(named: UnsafeRawBufferPointer($0)) }
    }
    set { self[JSONKey(name)] = newValue }
  }

  func member(named name: UnsafeRawBufferPointer) -> RawJSON? {
    guard let found = node.unfoldedMember(named: name) else { return nil }
    return RawJSON(unfolded: found)
  }

  package subscript(_ key: JSONKey) -> RawJSON? {
    get { key.bytes.withUnsafeBytes { member(named: $0) } }
    set {
      guard node.kind == .object else { return }
      let place = JSONPointer([key])
      let edit: JSONEdit
      if let newValue {
        edit =
          node.member(key) == nil
          ? .insertMember(
            in: .root, key: key, keyText: nil, value: newValue.node.text, at: .last)
          : .replace(place, with: newValue.node.text)
      } else {
        guard node.member(key) != nil else { return }
        edit = .remove(place)
      }
      do {
        let bytes = try JSONTree(parsing: node.text).applying([edit])
        self = RawJSON(JSONText(unchecked: bytes))
      } catch {
        preconditionFailure("a member of an object could not be written: \(error)")
      }
    }
  }
}

extension RawJSON: Hashable {
  /// Whether the bytes are the same.
  public static func == (left: RawJSON, right: RawJSON) -> Bool {
    left.node.text == right.node.text
  }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) { hasher.combine(node.text) }
}

extension RawJSON: CustomStringConvertible {
  /// The text of the value.
  public var description: String { text }
}
