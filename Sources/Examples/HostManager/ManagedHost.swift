package import ReplicatorKit

/// A host record of some release of the program.
package protocol ManagedHost: ForwardCompatibleRecord {
  /// What the release calls itself.
  static var program: String { get }
  /// The fields that a person can set, by the names of their members.
  static var settable: [SettableField<Self>] { get }
}

/// A field and how text becomes a value of it.
package struct SettableField<Host: ManagedHost>: Sendable {
  package let name: String
  package let set: @Sendable (inout Host, String) -> Void
  /// The text of a value that the loop writes with a number.
  package let sample: @Sendable (Int) -> String

  package init(
    _ name: String, sample: @escaping @Sendable (Int) -> String,
    set: @escaping @Sendable (inout Host, String) -> Void
  ) {
    self.name = name
    self.sample = sample
    self.set = set
  }
}
