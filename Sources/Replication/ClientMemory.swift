import LosslessJSON
import Merging
import Records

/// Which members each client has set or changed before, by document and collection.
package struct ClientMemory: Sendable {
  private struct Member: Hashable, Sendable {
    var client: String?
    var document: String
    var collection: String?
    var path: JSONPointer
  }

  private var written: Set<Member> = []

  /// Remembers what an imported transaction wrote.
  mutating func learn(from logged: LoggedTransaction) {
    guard logged.importNote != nil else { return }
    for operation in logged.transaction.operations {
      guard case .set(let path, _, _) = operation.action,
        operation.operationClass == .explicit
      else { continue }
      written.insert(
        Member(
          client: logged.transaction.client, document: operation.target.document,
          collection: operation.target.collection, path: path))
    }
  }

  /// What the client has written in a document; nil stands for all undeclared ones.
  func members(client: String?, document: String) -> Set<MemberPath> {
    var members: Set<MemberPath> = []
    for member in written where member.client == client && member.document == document {
      members.insert(MemberPath(collection: member.collection, path: member.path))
    }
    return members
  }
}
