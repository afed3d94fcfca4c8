import LosslessJSON
import Merging
import Records

/// Which members each client has set or changed before, by document and collection.
package struct ClientMemory: Sendable {
  /// Who wrote where.
  private struct Source: Hashable, Sendable {
    var client: String?
    var document: String
  }

  private var written: [Source: Set<MemberPath>] = [:]
  /// Records that were created and not looked at yet: most programs are never asked about.
  private var created: [Source: [(collection: String?, text: JSONText)]] = [:]

  /// Remembers what an imported transaction wrote.
  mutating func learn(from logged: LoggedTransaction) {
    guard logged.importNote != nil else { return }
    for operation in logged.transaction.operations where operation.operationClass == .explicit {
      let collection = operation.target.collection
      let source = Source(
        client: logged.transaction.client, document: operation.target.document)
      switch operation.action {
      case .set(let path, _, _):
        written[source, default: []].insert(MemberPath(collection: collection, path: path))
      case .create(let text, _, _): created[source, default: []].append((collection, text))
      case .remove, .deleteRecord, .move: break
      }
    }
  }

  /// What the client has written in a document; nil stands for all undeclared ones.
  mutating func members(client: String?, document: String) -> Set<MemberPath> {
    let source = Source(client: client, document: document)
    for (collection, text) in created.removeValue(forKey: source) ?? [] {
      // Text of the log is JSON; what were none would tell nothing.
      guard let tree = try? JSONTree(parsing: text) else { continue }
      written[source, default: []].formUnion(MemberPath.all(of: tree.root, collection))
    }
    return written[source] ?? []
  }
}
