import LosslessJSON
import Merging
import Records

/// Which members each client has set or changed before, by document and collection.
package struct ClientMemory: Sendable {
  /// Who wrote where.
  private struct Source: Hashable, Sendable {
    var client: String
    var document: String

    init(client: String, document: String) {
      self.client = client
      self.document = document
    }

    func write(to table: inout TableWriter) {
      table.append(text: client)
      table.append(text: document)
    }

    init(from table: inout TableReader) throws(TableError) {
      client = try table.text()
      document = try table.text()
    }
  }

  private var written: [Source: Set<MemberPath>] = [:]
  /// Records that were created and not looked at yet: most programs are never asked about.
  private var created: [Source: [Creation]] = [:]

  /// Where a record was created: the operation with this ordinal in a transaction.
  private struct Creation: BitwiseCopyable, Sendable {
    var hash: LineHash
    var ordinal: Int
  }

  /// Remembers what an imported transaction wrote.
  mutating func learn(from logged: LoggedTransaction) {
    guard logged.importNote != nil, let client = logged.transaction.client else { return }
    let hash = logged.transaction.id.hash
    for (ordinal, operation) in logged.transaction.operations.enumerated()
    where operation.operationClass == .explicit {
      let collection = operation.target.collection
      let source = Source(client: client, document: operation.target.document)
      switch operation.action {
      case .set(let path, let text, _):
        for leaf in MemberPath.leaves(of: text, at: path) {
          written[source, default: []].insert(MemberPath(collection: collection, path: leaf))
        }
      case .create: created[source, default: []].append(Creation(hash: hash, ordinal: ordinal))
      case .folded(let path):
        // Only values without members are folded: the path is that of the member.
        written[source, default: []].insert(MemberPath(collection: collection, path: path))
      case .remove, .deleteRecord, .move: break
      }
    }
  }

  /// What the client has written in a document. Of one without a name nothing is known: what some
  /// other program has written says nothing of it.
  ///
  /// - Parameter state: has taken in every transaction that was learned from.
  mutating func members(
    client: String?, document: String, in state: MergeState
  ) -> Set<MemberPath> {
    guard let client else { return [] }
    let source = Source(client: client, document: document)
    for creation in created.removeValue(forKey: source) ?? [] {
      guard let operation = state.written(by: creation.hash, ordinal: creation.ordinal),
        case .create(let text, _, _) = operation.action
      else { continue }
      let collection = operation.target.collection
      for leaf in MemberPath.leaves(of: text, at: .root) {
        written[source, default: []].insert(MemberPath(collection: collection, path: leaf))
      }
    }
    return written[source] ?? []
  }
}

extension ClientMemory {
  func write(to table: inout TableWriter) {
    table.append(length: written.count)
    for (source, members) in written {
      source.write(to: &table)
      table.append(length: members.count)
      for member in members {
        table.append(optional: member.collection)
        table.append(counted: member.path.bytes[...])
      }
    }
    table.append(length: created.count)
    for (source, creations) in created {
      source.write(to: &table)
      table.append(array: creations)
    }
  }

  init(from table: inout TableReader) throws(TableError) {
    for _ in 0..<(try table.length()) {
      let source = try Source(from: &table)
      var members: Set<MemberPath> = []
      for _ in 0..<(try table.length()) {
        let collection = try table.optionalText()
        let bytes = Array(try table.countedBytes())
        do throws(JSONError) {
          members.insert(MemberPath(collection: collection, path: try JSONPointer(parsing: bytes)))
        } catch {
          throw TableError()
        }
      }
      written[source] = members
    }
    for _ in 0..<(try table.length()) {
      let source = try Source(from: &table)
      created[source] = try table.array(Creation.self)
    }
  }
}
