/// The name of a file as the kernel takes it, without normalisation.
///
/// Paths are compared by their UTF-8 bytes: two spellings of one letter are two files.
package struct FilePath: Hashable, Sendable, CustomStringConvertible {
  package let string: String

  package init(_ string: String) {
    self.string = string
  }

  package var description: String { string }

  package var isAbsolute: Bool { string.utf8.first == slash }

  /// The path one level down; an absolute `name` replaces the path.
  package func appending(_ name: String) -> FilePath {
    if name.utf8.first == slash || string.isEmpty { return FilePath(name) }
    return string.utf8.last == slash ? FilePath(string + name) : FilePath(string + "/" + name)
  }

  /// The directory that holds it: `.` for a bare name, `/` for the root.
  package var parent: FilePath {
    let parts = trimmed
    guard let cut = parts.lastIndex(of: slash) else { return FilePath(parts.isEmpty ? "/" : ".") }
    let head = parts[..<cut]
    guard let end = head.lastIndex(where: { $0 != slash }) else { return FilePath("/") }
    return FilePath(String(Substring(head[...end])))
  }

  /// The name inside its directory; empty for the root.
  package var lastComponent: String {
    let parts = trimmed
    guard let cut = parts.lastIndex(of: slash) else { return String(Substring(parts)) }
    return String(Substring(parts[parts.index(after: cut)...]))
  }

  /// The names on the way, without empty ones and `.`.
  package var components: [String] {
    string.utf8.split(separator: slash).map { String(Substring($0)) }.filter {
      !$0.utf8.elementsEqual(".".utf8)
    }
  }

  package static func == (one: FilePath, other: FilePath) -> Bool {
    one.string.utf8.elementsEqual(other.string.utf8)
  }

  package func hash(into hasher: inout Hasher) {
    for byte in string.utf8 { hasher.combine(byte) }
  }

  private var trimmed: Substring.UTF8View {
    let bytes = string.utf8
    guard let end = bytes.lastIndex(where: { $0 != slash }) else {
      return string[string.startIndex..<string.startIndex].utf8
    }
    return string[...end].utf8
  }
}

private let slash = UInt8(ascii: "/")
