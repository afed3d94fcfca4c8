package import Replication
import Storage
import SystemCalls
package import UseCases
package import Watching

/// Which directories tell that there may be work.
package enum WatchedPlaces {
  /// Logs of all nodes, the places that are bound, and the documents of this node.
  package static func all(
    of session: StoreSession, node: LocalNodes.Node
  ) throws(UseCaseError) -> [WatchedDirectory] {
    var places = logs(of: session)
    do throws(ReplicationError) {
      for path in try session.replica.bindingDirectories() {
        places.append(
          WatchedDirectory(
            id: DirectoryID(places.count), path: path,
            interest: .exactly([FilePath(StoreLayout.bindingFileName)])))
      }
      var names: [FilePath: Set<FilePath>] = [:]
      for document in try session.replica.boundDocuments(of: node.id) {
        for place in session.replica.watchedPlaces(of: document) {
          names[place.directory, default: []].insert(FilePath(place.name))
        }
      }
      for (directory, files) in names.sorted(by: { $0.key.string < $1.key.string }) {
        places.append(
          WatchedDirectory(
            id: DirectoryID(places.count), path: directory, interest: .exactly(files)))
      }
    } catch {
      throw .replication(error)
    }
    return places
  }

  /// Logs and journals of all nodes.
  package static func history(of session: StoreSession) -> [WatchedDirectory] { logs(of: session) }

  private static func logs(of session: StoreSession) -> [WatchedDirectory] {
    let store = session.replica.store
    var places: [WatchedDirectory] = []
    func add(_ name: String, only file: String? = nil, reportsAppends: Bool = false) {
      places.append(
        WatchedDirectory(
          id: DirectoryID(places.count), path: store.path(name),
          interest: file.map { .exactly([FilePath($0)]) } ?? .everything,
          reportsAppends: reportsAppends))
    }
    add(StoreLayout.nodes)
    for id in session.replica.nodeDirectories {
      add(StoreLayout.node(id), only: FilePath(StoreLayout.nodeFile(id)).lastComponent)
      add(StoreLayout.log(id), reportsAppends: true)
      add(StoreLayout.journal(id), reportsAppends: true)
    }
    return places
  }
}
