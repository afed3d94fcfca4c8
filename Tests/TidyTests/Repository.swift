import FoundationEssentials

/// The files of this repository as the tidy tests see them.
enum Repository {
  /// A text file with its lines.
  struct SourceFile: Sendable, CustomStringConvertible {
    /// Relative to the root: `Sources/Records/Codec.swift`.
    let path: String
    let lines: [String]

    var description: String { path }

    /// The folder below Sources or Tests.
    var module: String { path.split(separator: "/").dropFirst().first.map(String.init) ?? "" }
  }

  static let root: URL =
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  static let sources: [SourceFile] = swiftFiles(below: "Sources")
  static let tests: [SourceFile] = swiftFiles(below: "Tests")

  static func text(_ path: String) throws -> String {
    String(decoding: try Data(contentsOf: root.appending(path: path)), as: UTF8.self)
  }

  /// Regular files below a folder, relative to that folder, sorted.
  static func files(below folder: String) -> [String] {
    let start = root.appending(path: folder).path
    guard let names = try? FileManager.default.subpathsOfDirectory(atPath: start) else {
      return []  // the tests check that there are files
    }
    return names.filter { name in
      var isDirectory = false
      return FileManager.default.fileExists(atPath: start + "/" + name, isDirectory: &isDirectory)
        && !isDirectory
    }.sorted()
  }

  private static func swiftFiles(below folder: String) -> [SourceFile] {
    files(below: folder).filter { $0.hasSuffix(".swift") }.compactMap { name in
      let path = folder + "/" + name
      // A file that vanishes while the tests run is no fault of the text in it.
      guard let text = try? text(path) else { return nil }
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      return SourceFile(path: path, lines: lines.last == "" ? lines.dropLast() : lines)
    }
  }
}
