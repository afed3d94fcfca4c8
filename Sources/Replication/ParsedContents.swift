import LosslessJSON
import Records

/// Small retained contents that this process has parsed, the latest up to a number of bytes.
final class ParsedContents {
  /// Of larger ones what they share with each other is kept for one import only.
  static let smallBytesMax = 1 << 20
  private static let bytesMax = 64 << 20
  private var documents: [String: SplitDocument] = [:]
  /// Oldest first.
  private var names: [String] = []
  private var bytes = 0

  func document(_ name: String) -> SplitDocument? { documents[name] }

  func keep(_ document: SplitDocument, as name: String) {
    guard documents[name] == nil else { return }
    documents[name] = document
    names.append(name)
    bytes += document.bytes.count
    while bytes > Self.bytesMax, let oldest = names.first {
      names.removeFirst()
      bytes -= documents.removeValue(forKey: oldest)?.bytes.count ?? 0
    }
  }

  /// Under another configuration documents have another shape.
  func removeAll() {
    documents = [:]
    names = []
    bytes = 0
  }
}
