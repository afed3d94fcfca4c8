import CSystem

extension LiveFileSystem {
  package func attributes(of descriptor: Int32) throws(Errno) -> [AttributeName] {
    let list: [UInt8]
    do throws(Errno) {
      list = try filled { csystem_flistxattr(descriptor, $0.baseAddress, $0.count) }
    } catch {
      guard error == .EOPNOTSUPP || error == .ENOSYS else { throw error }
      return []
    }
    return list.split(separator: 0).map { AttributeName(bytes: Array($0)) }
  }

  package func attribute(
    _ name: AttributeName, of descriptor: Int32
  ) throws(Errno) -> [UInt8] {
    try filled { csystem_fgetxattr(descriptor, name.terminated, $0.baseAddress, $0.count) }
  }

  package func setAttribute(
    _ name: AttributeName, of descriptor: Int32, to value: [UInt8]
  ) throws(Errno) {
    try check(csystem_fsetxattr(descriptor, name.terminated, value, value.count))
  }

  package func removeAttribute(_ name: AttributeName, of descriptor: Int32) throws(Errno) {
    try check(csystem_fremovexattr(descriptor, name.terminated))
  }

  /// What a call writes into a buffer that holds the longest list and the longest value there is.
  private func filled(_ body: (UnsafeMutableBufferPointer<UInt8>) -> Int) throws(Errno) -> [UInt8] {
    var failure: Errno?
    let bytes = [UInt8](unsafeUninitializedCapacity: attributeBytesMax) { buffer, count in
      let result = body(buffer)
      if result < 0 { failure = .current }
      count = max(0, result)
    }
    if let failure { throw failure }
    return bytes
  }
}

extension AttributeName {
  fileprivate var terminated: [UInt8] { bytes + [0] }
}

/// `XATTR_LIST_MAX` and `XATTR_SIZE_MAX` of Linux.
private let attributeBytesMax = 65_536
