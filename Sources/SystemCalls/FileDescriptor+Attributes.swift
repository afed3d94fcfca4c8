/// Extended attributes of an open file, the access list among them.
extension FileDescriptor {
  /// The names of all attributes; none where the file system knows no attributes.
  package func attributes() throws(SystemError) -> [AttributeName] {
    try retrying("flistxattr", path) { () throws(Errno) in try system.attributes(of: raw) }
  }

  package func attribute(_ name: AttributeName) throws(SystemError) -> [UInt8] {
    try retrying("fgetxattr", path) { () throws(Errno) in try system.attribute(name, of: raw) }
  }

  package func setAttribute(
    _ name: AttributeName, to value: [UInt8]
  ) throws(SystemError) {
    try retrying("fsetxattr", path) { () throws(Errno) in
      try system.setAttribute(name, of: raw, to: value)
    }
  }

  package func removeAttribute(_ name: AttributeName) throws(SystemError) {
    try retrying("fremovexattr", path) { () throws(Errno) in
      try system.removeAttribute(name, of: raw)
    }
  }
}
