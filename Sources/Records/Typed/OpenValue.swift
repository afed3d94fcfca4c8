import LosslessJSON

/// A value of a list that later releases may extend: the raw value is kept, the known one is a view.
///
/// Reading never replaces anything. What to show for a raw value that this release does not know is
/// decided where it is shown; only `set` or a new value overwrite it.
/// ```swift
/// let method = host.connectionMethod?.known(or: .ssh)   // for a label
/// host.connectionMethod = OpenValue(.mosh)              // a deliberate edit
/// ```
public struct OpenValue<Known: RawRepresentable & Sendable>: Sendable
where Known.RawValue == String {
  /// As it stands in the document, code unit by code unit.
  private enum Content: Sendable {
    case text(String)
    /// With half a surrogate pair, which a `String` cannot hold.
    case other(JSONKey)
  }

  private var content: Content

  /// The value that a known one stands for.
  public init(_ known: Known) { content = .text(known.rawValue) }

  /// A value by its raw form, known or not.
  public init(rawValue: String) { content = .text(rawValue) }

  /// The raw form; half a surrogate pair is shown as U+FFFD.
  public var rawValue: String {
    switch content {
    case .text(let text): text
    case .other(let key): key.string
    }
  }

  private var key: JSONKey {
    switch content {
    case .text(let text): JSONKey(text)
    case .other(let key): key
    }
  }

  /// The value if this release knows it.
  public var known: Known? {
    guard case .text(let raw) = content, let known = Known(rawValue: raw) else { return nil }
    // Swift compares strings by characters, JSON by code units: another spelling of an accent is
    // another value.
    let name = known.rawValue
    return name == raw && !name.utf8.elementsEqual(raw.utf8) ? nil : known
  }

  /// What to show: the value if this release knows it, else the fallback. Nothing is changed.
  public func known(or fallback: Known) -> Known { known ?? fallback }

  /// Replaces the raw value.
  public mutating func set(_ known: Known) { self = OpenValue(known) }
}

extension OpenValue: Hashable {
  /// Whether the raw values have the same code units.
  public static func == (left: OpenValue, right: OpenValue) -> Bool {
    if case .text(let left) = left.content, case .text(let right) = right.content {
      return left.utf8.elementsEqual(right.utf8)
    }
    return left.key == right.key
  }

  /// Hashes the raw value.
  public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

extension OpenValue: RecordValue {
  /// Any string.
  public init?(json: RawJSON) {
    if let text = json.node.unescapedString {
      content = .text(text)
    } else {
      guard let key = json.node.decodedString else { return nil }
      content = key.hasLoneSurrogate ? .other(key) : .text(key.string)
    }
  }

  /// Any string.
  public static func member(_ name: StaticString, of record: RawJSON) -> OpenValue? {
    let (string, value) = name.withBytes { record.node.stringOrValue(ofMember: $0) }
    if let string { return OpenValue(rawValue: string) }
    guard let value else { return nil }
    return OpenValue(json: RawJSON(unfolded: value))
  }

  /// The raw value.
  public func json(replacing old: RawJSON?) -> RawJSON { RawJSON(JSONText.string(key)) }
}

extension OpenValue: Codable {
  /// Any string.
  public init(from decoder: any Decoder) throws {
    self.init(rawValue: try decoder.singleValueContainer().decode(String.self))
  }

  /// The raw value.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }
}

extension OpenValue: CustomStringConvertible {
  /// The raw value.
  public var description: String { rawValue }
}
