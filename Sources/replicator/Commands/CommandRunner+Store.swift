import LosslessJSON
import Presentation
import Replication
import SystemCalls
import UseCases

extension CommandRunner {
  func initialize(_ options: InitOptions) throws(UseCaseError) -> ExitCode {
    let sharing: Replica.Sharing
    switch options.sharing {
    case .owner: sharing = .nobody
    case .group(nil): sharing = .group(nil)
    case .group(.some(let name)):
      guard let group = Machine.groupID(named: name) else {
        throw .refused(
          what: "share the store with '\(name)'", why: "there is no such group",
          hint: "use a name of /etc/group or a number")
      }
      sharing = .group(group)
    }
    let root = (options.directory ?? storeName).map { path($0) } ?? directory
    let request = InitializeStore(
      root: root, configuration: options.config.map { path($0) }, sharing: sharing,
      isForced: options.isForced, nodeName: nodeName)
    return show(StorePresenter.answer(try request.execute(in: surroundings)))
  }

  func add(_ options: AddOptions) throws(UseCaseError) -> ExitCode {
    var request = AddDocument(path: path(options.file))
    request.name = options.name
    request.clients = options.clients
    request.at = try pointer(options.at)
    request.id = try pointer(options.id)
    request.kind = options.kind?.rawValue
    request.dialect = options.dialect
    request.isForced = options.isForced
    return show(StorePresenter.answer(try request.execute(in: session())))
  }

  private func pointer(_ text: String?) throws(UseCaseError) -> JSONPointer? {
    guard let text else { return nil }
    do throws(JSONError) { return try JSONPointer(parsing: text) } catch {
      throw .unreadableValue(name: text, error)
    }
  }

  func synchronize() throws(UseCaseError) -> ExitCode {
    let response = try Synchronize().execute(in: try session())
    for pending in response.pending { output.note("not up to date: \(pending)") }
    return show(StorePresenter.answer(response))
  }

  func status() throws(UseCaseError) -> ExitCode {
    let session = try session()
    let response = try ReportStatus().execute(in: session)
    var held: [String: EntryView] = [:]
    for id in response.documents.flatMap(\.held) {
      guard let entry = try ShowEntry(entry: id).execute(in: session).entries.first else {
        continue
      }
      held[id] = entryView(entry)
    }
    show(
      StatusPresenter.answer(
        response, held: held, rfc3339: { Timestamp.rfc3339($0) },
        localTime: { Timestamp.local($0) }))
    return response.damage.isEmpty ? .done : .answer
  }
}
