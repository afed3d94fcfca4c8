import LosslessJSON
import Merging
import Records

/// Which members each client has set or changed before, by document and collection.
package struct ClientMemory: Sendable {
  /// Who wrote where.
  private struct Source: Hashable, Sendable {
    var client: String
    var document: String
  }

  private var written: [Source: Set<MemberPath>] = [:]
  /// Records that were created and not looked at yet: most programs are never asked about.
  private var created: [Source: [(collection: String?, text: JSONText)]] = [:]

  /// Remembers what an imported transaction wrote.
  mutating func learn(from logged: LoggedTransaction) {
    guard logged.importNote != nil, let client = logged.transaction.client else { return }
    for operation in logged.transaction.operations where operation.operationClass == .explicit {
      let collection = operation.target.collection
      let source = Source(client: client, document: operation.target.document)
      switch operation.action {
      case .set(let path, let text, _):
        for leaf in MemberPath.leaves(of: text, at: path) {
          written[source, default: []].insert(MemberPath(collection: collection, path: leaf))
        }
      case .create(let text, _, _): created[source, default: []].append((collection, text))
      case .remove, .deleteRecord, .move: break
      }
    }
  }

  /// What the client has written in a document. Of one without a name nothing is known: what some
  /// other program has written says nothing of it.
  mutating func members(client: String?, document: String) -> Set<MemberPath> {
    guard let client else { return [] }
    let source = Source(client: client, document: document)
    for (collection, text) in created.removeValue(forKey: source) ?? [] {
      for leaf in MemberPath.leaves(of: text, at: .root) {
        written[source, default: []].insert(MemberPath(collection: collection, path: leaf))
      }
    }
    return written[source] ?? []
  }
}
