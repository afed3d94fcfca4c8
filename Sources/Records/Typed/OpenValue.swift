package import LosslessJSON

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
  package private(set) var content: JSONKey

  /// The value that a known one stands for.
  public init(_ known: Known) { content = JSONKey(known.rawValue) }

  /// A value by its raw form, known or not.
  public init(rawValue: String) { content = JSONKey(rawValue) }

  /// The raw form.
  public var rawValue: String { content.string }

  /// The value if this release knows it.
  public var known: Known? {
    let raw = rawValue
    guard let known = Known(rawValue: raw) else { return nil }
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
    left.content == right.content
  }

  /// Hashes the raw value.
  public func hash(into hasher: inout Hasher) { hasher.combine(content) }
}

extension OpenValue: RecordValue {
  /// Any string.
  public init?(json: RawJSON) {
    guard let content = json.node.decodedString else { return nil }
    self.content = content
  }

  /// The raw value.
  public func json(replacing old: RawJSON?) -> RawJSON { RawJSON(JSONText.string(content)) }
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
