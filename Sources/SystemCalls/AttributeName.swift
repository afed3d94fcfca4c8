/// The name of an extended attribute, such as `user.origin`; any bytes but NUL.
package struct AttributeName: Hashable, Sendable, CustomStringConvertible {
  package let bytes: [UInt8]

  package init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  package init(_ text: StaticString) {
    bytes = text.withUTF8Buffer { Array($0) }
  }

  /// The access list (ACL) of a file.
  package static let accessList = AttributeName("system.posix_acl_access")

  package var description: String { String(decoding: bytes, as: UTF8.self) }
}
