internal import CSystem
import Glibc

/// What the machine and the user are called.
package enum Machine {
  /// The id of this boot; another one after every restart of the kernel.
  package static var bootID: String {
    smallText("/proc/sys/kernel/random/boot_id") ?? "no-boot-id"
  }

  /// The id of this installation; the host's name where no such file exists (some containers).
  package static var machineID: String {
    for path in ["/etc/machine-id", "/var/lib/dbus/machine-id"] {
      if let text = smallText(path), !text.isEmpty, text != "uninitialized" { return text }
    }
    return "host-\(hostName)"
  }

  package static var hostName: String {
    var bytes = [CChar](repeating: 0, count: 256)
    guard gethostname(&bytes, bytes.count - 1) == 0 else { return "localhost" }
    let name = text(bytes)
    return name.isEmpty ? "localhost" : name
  }

  /// The name of the effective user, from `/etc/passwd`; the number where it has no line there.
  package static var userName: String {
    let id = geteuid()
    let lines = fileBytes("/etc/passwd", countMax: 1 << 20) ?? []
    for line in lines.split(separator: UInt8(ascii: "\n")) {
      let fields = line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
      guard fields.count > 2, fields[2].elementsEqual(String(id).utf8) else { continue }
      return String(decoding: fields[0], as: UTF8.self)
    }
    return String(id)
  }

  /// The number of a group of `/etc/group`, or the number itself when `name` is one.
  package static func groupID(named name: String) -> UInt32? {
    if let number = UInt32(name) { return number }
    let lines = fileBytes("/etc/group", countMax: 1 << 20) ?? []
    for line in lines.split(separator: UInt8(ascii: "\n")) {
      let fields = line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
      guard fields.count > 2, fields[0].elementsEqual(name.utf8) else { continue }
      return UInt32(String(decoding: fields[2], as: UTF8.self))
    }
    return nil
  }
}

/// The running process and what it was given.
package enum ThisProcess {
  package static var id: Int32 { getpid() }
  package static var effectiveUser: UInt32 { geteuid() }

  /// The value of an environment variable, or nil.
  package static func environment(_ name: String) -> String? {
    guard let value = getenv(name) else { return nil }
    return String(cString: value)
  }

  package static func currentDirectory() throws(SystemError) -> FilePath {
    var bytes = [CChar](repeating: 0, count: pathBytesMax)
    guard getcwd(&bytes, bytes.count) != nil else {
      throw SystemError(call: "getcwd", path: FilePath("."), errno: .current)
    }
    return FilePath(text(bytes))
  }

  /// The file creation mask, read from /proc since umask(2) would change it for all threads.
  package static var umask: UInt32 {
    guard let field = statusField("Umask:") else { return 0o022 }
    return UInt32(field, radix: 8) ?? 0o022
  }

  /// Gives large blocks of memory back to the system as soon as they are free.
  ///
  /// Left to itself the C library keeps what large documents needed for a moment.
  package static func returnFreedBlocks() { csystem_return_blocks(1 << 18) }

  /// Bytes of memory that are resident, nil where /proc is not mounted.
  package static var residentBytes: UInt64? { memory("VmRSS:") }

  /// The most bytes of memory that were resident at any time, nil where /proc is not mounted.
  package static var residentPeakBytes: UInt64? { memory("VmHWM:") }

  private static func memory(_ name: String) -> UInt64? {
    guard let number = statusField(name)?.split(separator: " ").first else { return nil }
    return UInt64(number).map { $0 * 1024 }
  }

  private static func statusField(_ name: String) -> String? {
    guard let bytes = fileBytes("/proc/self/status", countMax: 1 << 16) else { return nil }
    for line in bytes.split(separator: UInt8(ascii: "\n")) where line.starts(with: name.utf8) {
      let value = line.dropFirst(name.utf8.count)
      let blanks = [UInt8(ascii: " "), UInt8(ascii: "\t")]
      return String(decoding: value.drop(while: { blanks.contains($0) }), as: UTF8.self)
    }
    return nil
  }
}

private func smallText(_ path: String) -> String? {
  guard let bytes = fileBytes(path, countMax: 4096) else { return nil }
  // Ids have 36 characters; what else stands there must not fill the lines that name it.
  return String(decoding: bytes.prefix { $0 > UInt8(ascii: " ") }.prefix(64), as: UTF8.self)
}

private func fileBytes(_ path: String, countMax: Int) -> [UInt8]? {
  do throws(SystemError) {
    let system = LiveFileSystem()
    let file = try FileDescriptor.open(FilePath(path), .read, system: system)
    return try file.read(at: 0, count: countMax)
  } catch {
    // Each caller has an answer for a file that is missing or may not be read.
    return nil
  }
}

private func text(_ bytes: [CChar]) -> String {
  String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
