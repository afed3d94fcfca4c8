/// How a person names one kept content of a document.
package enum VersionAddress: Hashable, Sendable, CustomStringConvertible {
  /// The number of an export.
  case generation(Int)
  /// The beginning of the hash of a content, in lower case.
  case content(String)

  package var description: String {
    switch self {
    case .generation(let number): "generation \(number)"
    case .content(let hash): "version \(hash)"
    }
  }

  package var isGeneration: Bool {
    if case .generation = self { true } else { false }
  }

  /// As it is typed.
  package var word: String {
    switch self {
    case .generation(let number): String(number)
    case .content(let hash): hash
    }
  }
}

extension GenerationIndex {
  /// The retained content at an address; nil where there is none, or several begin like that.
  func entry(at address: VersionAddress) -> Entry? {
    switch address {
    case .generation(let number):
      return entries.last { $0.generation == number && $0.kind == .export }
    case .content(let hash):
      let found = entries.filter { $0.hash.hasPrefix(hash) }
      return found.allSatisfy { $0.hash == found.first?.hash } ? found.last : nil
    }
  }

  /// The address of a content by its hash or the first 16 digits of that: the number of its newest
  /// export, else those digits.
  func address(ofContent hash: String) -> VersionAddress {
    let export = entries.last { $0.kind == .export && $0.hash.hasPrefix(hash) }
    return export.map { .generation($0.generation) } ?? .content(String(hash.prefix(16)))
  }

  /// The addresses of everything that is retained, oldest first, each once.
  package var addresses: [VersionAddress] {
    var seen: Set<VersionAddress> = []
    return entries.map { address(ofContent: $0.hash) }.filter { seen.insert($0).inserted }
  }
}
