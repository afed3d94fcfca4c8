import Testing

/// The import table of the design: an arrow that is not in it is forbidden.
struct ImportTests {
  /// What each module may import, as in docs/MODULES.md.
  static let table: [String: Set<String>] = [
    "LosslessJSON": ["CBytes", "CXXHash"],
    "Merging": ["LosslessJSON", "CXXHash"],
    "Records": ["LosslessJSON", "Merging", "FoundationEssentials", "Synchronization"],
    "SystemCalls": ["CSystem", "Glibc", "Synchronization"],
    "Storage": ["SystemCalls", "CXXHash", "CZstd", "FoundationEssentials"],
    "Watching": ["SystemCalls", "CInotify"],
    "Replication": ["LosslessJSON", "Merging", "Records", "SystemCalls", "Storage"],
    "UseCases": ["LosslessJSON", "SystemCalls", "Replication", "Merging", "Records"],
    "Presentation": ["UseCases", "LosslessJSON"],
    "ReplicatorKit": [
      "LosslessJSON", "Merging", "Records", "SystemCalls", "Storage", "Watching", "Replication",
      "UseCases", "FoundationEssentials",
    ],
    "replicator": [
      "LosslessJSON", "Merging", "Records", "SystemCalls", "Storage", "Watching", "Replication",
      "UseCases", "Presentation", "ReplicatorKit",
    ],
    "Bench": [
      "LosslessJSON", "Merging", "Records", "SystemCalls", "Watching", "Replication", "UseCases",
      "FoundationEssentials",
    ],
    "Fuzz": ["LosslessJSON", "Merging", "Records", "SystemCalls"],
    "MeasureImport": ["LosslessJSON", "Merging", "Records", "SystemCalls", "Replication"],
    "Simulation": ["SystemCalls", "Storage", "Merging", "Records", "Replication"],
    "Faults": [
      "LosslessJSON", "Merging", "Records", "Replication", "Simulation", "Storage", "SystemCalls",
      "UseCases",
    ],
    "Simulator": [
      "LosslessJSON", "MergeModel", "Merging", "Records", "Replication", "Simulation", "Storage",
      "SystemCalls", "UseCases",
    ],
    // Applications of the library; a stranger could have written them.
    "Examples": ["ReplicatorKit", "HostManager", "FoundationEssentials", "Glibc"],
    // Plain programs that know nothing of replicator.
    "DemoClients": ["FoundationEssentials", "Glibc"],
  ]

  @Test func `every module imports only what the table allows`() {
    #expect(Repository.sources.count > 10, "the sources were not found")
    for file in Repository.sources {
      guard let allowed = Self.table[file.module] else {
        Issue.record("\(file): the module '\(file.module)' is not in the import table")
        continue
      }
      for (number, line) in file.lines.enumerated() {
        guard let name = Self.importedModule(line), !allowed.contains(name) else { continue }
        Issue.record(
          "\(file):\(number + 1): \(file.module) must not import \(name), only \(allowed.sorted())")
      }
    }
  }

  @Test func `imports are found in all their spellings`() {
    let lines = [
      "import Glibc", "package import Glibc", "@testable import Glibc", "import struct Glibc.stat",
      "@_exported public import Glibc", "  internal import Glibc  // why", "import Glibc.POSIX",
    ]
    for line in lines {
      #expect(Self.importedModule(line) == "Glibc", "\(line)")
    }
    for line in ["// import Glibc", "importGlibc()", "let import = 1", ""] {
      #expect(Self.importedModule(line) == nil, "\(line)")
    }
  }

  @Test func `every module of the table is a target of the manifest`() throws {
    let manifest = try Repository.text("Package.swift")
    for module in Self.table.keys where !["DemoClients", "Examples"].contains(module) {
      #expect(manifest.contains("name: \"\(module)\""), "\(module) is no target")
    }
  }

  /// The module that a line imports, if it is an import.
  static func importedModule(_ line: String) -> String? {
    var words = line.split(separator: " ").map(String.init)[...]
    let modifiers: Set<String> = ["package", "public", "internal", "private", "fileprivate"]
    while let word = words.first, word.hasPrefix("@") || modifiers.contains(word) {
      words.removeFirst()
    }
    guard words.popFirst() == "import", var name = words.popFirst() else { return nil }
    let kinds: Set<String> = [
      "struct", "class", "enum", "protocol", "func", "var", "let", "typealias",
    ]
    if kinds.contains(name), let next = words.popFirst() { name = next }
    let module = name.prefix { $0 == "_" || $0.isLetter || $0.isNumber }
    return module.isEmpty || module == "=" ? nil : String(module)
  }
}
