import LosslessJSON
import Merging
import Records

/// Which members each client has set or changed before, by document and collection.
package struct ClientMemory: Sendable {
  private struct Member: Hashable, Sendable {
    var client: String
    var document: String
    var collection: String?
    var path: JSONPointer
  }

  private var written: Set<Member> = []

  /// Remembers what an imported transaction wrote.
  mutating func learn(from logged: LoggedTransaction) {
    guard logged.importNote != nil, let client = logged.transaction.client else { return }
    for operation in logged.transaction.operations {
      guard case .set(let path, let text, _) = operation.action,
        operation.operationClass == .explicit
      else { continue }
      for leaf in MemberPath.leaves(of: text, at: path) {
        written.insert(
          Member(
            client: client, document: operation.target.document,
            collection: operation.target.collection, path: leaf))
      }
    }
  }

  /// What the client has written in a document. Of one without a name nothing is known: what some
  /// other program has written says nothing of it.
  func members(client: String?, document: String) -> Set<MemberPath> {
    guard let client else { return [] }
    var members: Set<MemberPath> = []
    for member in written where member.client == client && member.document == document {
      members.insert(MemberPath(collection: member.collection, path: member.path))
    }
    return members
  }
}
