import Records
import Replication
import SystemCalls

/// Tries what the machine can do for a store and says what follows; changes nothing that stays.
package struct ExamineStore: Sendable {
  package init() {}

  package func execute(in session: StoreSession) throws(UseCaseError) -> ExaminationResponse {
    let replica = session.replica
    var bound: [BoundDocument] = []
    for document in replica.configuration.documents {
      if let place = try session.fileState(of: document).bound { bound.append(place) }
    }
    let leftovers = replica.leftovers(of: bound)
    return ExaminationResponse(
      store: session.root.string, node: session.nodeName,
      directories: replica.examineDirectories(of: bound).map { directory in
        ExaminationResponse.Directory(
          path: directory.path.string, type: directory.type, abilities: directory.abilities,
          syncNanoseconds: directory.syncNanoseconds, problem: directory.problem)
      },
      ownLeftovers: leftovers.ours.map(\.string),
      foreignLeftovers: leftovers.foreign.map(\.string), limits: Replica.limits,
      checkpoint: replica.checkpointFinding, hasReserve: replica.hasReserve,
      remarks: session.remarks)
  }
}
