import LosslessJSON

/// What a field of a record can hold.
///
/// A conformance of your own turns a JSON value into a type and back. It must keep what it does not
/// understand: `assertForwardCompatible` finds out whether it does.
public protocol RecordValue: Sendable {
  /// Reads a value; nil where it is of another kind. The field then shows nothing, keeps its bytes and
  /// is named among the record's `problems`.
  init?(json: RawJSON)

  /// Reads the value of a member, of several with one name the last; nil where there is none or
  /// `init(json:)` gives nil.
  ///
  /// A type of your own need not say how; those of the library take a shorter way to the same.
  static func member(_ name: StaticString, of record: RawJSON) -> Self?

  /// Reads a list; nil for another value, and where `init(json:)` gives nil for an element.
  ///
  /// A type of your own need not say how.
  static func elements(of list: RawJSON) -> [Self]?

  /// The JSON to write.
  ///
  /// - Parameter old: what stands there now, for its spelling; nil where there is nothing.
  func json(replacing old: RawJSON?) -> RawJSON
}

extension RecordValue {
  /// Reads the value of a member.
  @inlinable
  public static func member(_ name: StaticString, of record: RawJSON) -> Self? {
    guard let json = record.member(name) else { return nil }
    return Self(json: json)
  }

  /// Reads a list.
  @inlinable
  public static func elements(of list: RawJSON) -> [Self]? {
    guard var elements = list.elementReader else { return nil }
    var values: [Self] = []
    values.reserveCapacity(elements.count)
    while let element = elements.next() {
      guard let value = Self(json: element) else { return nil }
      values.append(value)
    }
    return values
  }
}

extension StaticString {
  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    withUTF8Buffer { body(UnsafeRawBufferPointer($0)) }
  }
}

extension String: RecordValue {
  /// The content of a string.
  public init?(json: RawJSON) {
    guard let string = json.string else { return nil }
    self = string
  }

  /// The content of a string.
  public static func member(_ name: StaticString, of record: RawJSON) -> String? {
    let (string, value) = name.withBytes { record.node.stringOrValue(ofMember: $0) }
    return string ?? value?.string
  }

  /// A list of nothing but strings.
  public static func elements(of list: RawJSON) -> [String]? { list.node.strings }

  /// A JSON string.
  public func json(replacing old: RawJSON?) -> RawJSON { RawJSON(self) }
}

extension Int: RecordValue {
  /// A whole number that fits; others are not rounded.
  public init?(json: RawJSON) {
    guard let int = json.int else { return nil }
    self = int
  }

  /// A whole number that fits; others are not rounded.
  public static func member(_ name: StaticString, of record: RawJSON) -> Int? {
    name.withBytes { record.node.intValue(ofMember: $0) }
  }

  /// A JSON number.
  public func json(replacing old: RawJSON?) -> RawJSON { RawJSON(self) }
}

extension Double: RecordValue {
  /// The nearest Double of a number.
  public init?(json: RawJSON) {
    guard let double = json.double else { return nil }
    self = double
  }

  /// The shortest JSON number that reads as this one; null for what JSON cannot say.
  public func json(replacing old: RawJSON?) -> RawJSON {
    if let whole = Int(exactly: self) { return RawJSON(whole) }
    // Swift's shortest spelling is JSON for every finite number.
    return (try? RawJSON(parsing: description)) ?? .null
  }
}

extension Bool: RecordValue {
  /// A boolean.
  public init?(json: RawJSON) {
    guard let bool = json.bool else { return nil }
    self = bool
  }

  /// `true` or `false`
  public func json(replacing old: RawJSON?) -> RawJSON { RawJSON(self) }
}

extension Array: RecordValue where Element: RecordValue {
  /// A list all of whose elements can be read.
  @inlinable
  public init?(json: RawJSON) {
    guard let elements = Element.elements(of: json) else { return nil }
    self = elements
  }

  /// A JSON list; an element that was there keeps its spelling.
  public func json(replacing old: RawJSON?) -> RawJSON {
    let olds = old?.elements ?? []
    return RawJSON(
      enumerated().map { index, value in
        let old = index < olds.count ? olds[index] : nil
        return value.spelling(keeping: old)
      })
  }
}

extension RawJSON {
  @usableFromInline var elementReader: ElementReader? {
    guard node.kind == .array else { return nil }
    return ElementReader(elements: node.elements.makeIterator())
  }
}

/// The elements of a list one by one; what is inlined into applications cannot name their type.
@usableFromInline struct ElementReader {
  var elements: JSONElements.Iterator
  @usableFromInline let count: Int

  init(elements: JSONElements.Iterator) {
    self.elements = elements
    count = elements.count
  }

  @usableFromInline mutating func next() -> RawJSON? {
    guard let element = elements.nextUnfolded() else { return nil }
    return RawJSON(unfolded: element)
  }
}

extension RawJSON: RecordValue {
  /// Any value, null too.
  public init?(json: RawJSON) { self = json }

  /// The value itself.
  public func json(replacing old: RawJSON?) -> RawJSON { self }
}

extension RecordValue {
  /// The JSON to write: the old bytes where they read as this very value.
  func spelling(keeping old: RawJSON?) -> RawJSON {
    if let old, let known = Self(json: old),
      known.json(replacing: nil) == json(replacing: nil)
    {
      return old
    }
    return json(replacing: old)
  }
}
