/// The release of a document's form, as its member `schemaVersion` says.
///
/// It is raised only for a change that older programs must not ignore; additions leave it alone, since
/// every reader keeps what it does not know.
public struct SchemaVersion: Hashable, Comparable, Sendable {
  /// A positive number.
  public let number: Int

  /// The version with this number.
  public init(_ number: Int) { self.number = number }

  /// The version that a document without the member has.
  public static let first = SchemaVersion(1)

  /// Whether one version came before the other.
  public static func < (left: SchemaVersion, right: SchemaVersion) -> Bool {
    left.number < right.number
  }
}

extension SchemaVersion: ExpressibleByIntegerLiteral, CustomStringConvertible {
  /// The version with this number.
  public init(integerLiteral value: Int) { self.init(value) }

  /// The number.
  public var description: String { String(number) }
}
