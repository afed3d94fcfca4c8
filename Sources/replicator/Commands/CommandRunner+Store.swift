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
    if let at = options.at { request.at = try pointer(at) }
    for id in options.ids { request.ids.append(try pointer(id)) }
    request.kind = options.kind?.rawValue
    request.dialect = options.dialect
    request.isForced = options.isForced
    return show(StorePresenter.answer(try request.execute(in: session())))
  }

  private func pointer(_ text: String) throws(UseCaseError) -> JSONPointer {
    do throws(JSONError) { return try JSONPointer(parsing: text) } catch {
      throw .refused(
        what: "use '\(text)' as a place", why: "it is no JSON Pointer at \(error.place)",
        hint: "write '/' before each name")
    }
  }

  func synchronize() throws(UseCaseError) -> ExitCode {
    let session = try session()
    let response = try Synchronize().execute(in: session)
    let held = response.held.map { entryView($0) }
    let setAside = response.setAside.map { entryView($0) }
    let putBack = response.putBack.map { entryView($0) }
    show(StorePresenter.answer(response, held: held, setAside: setAside, putBack: putBack))
    let code = complain(of: response.pending)
    let words = words(session)
    sayPutBack(putBack, session)
    for entry in held { output.complain(ErrorSentences.held(entry, words)) }
    for entry in setAside { output.complain(ErrorSentences.setAside(entry, words)) }
    return code == .done && !(held.isEmpty && setAside.isEmpty) ? .answer : code
  }

  /// Says which documents could not be brought up to date, and with what the process ends for it.
  func complain(of pending: [PendingDocument]) -> ExitCode {
    for document in pending {
      output.complain(
        ErrorSentences.notUpToDate(
          document.path, why: document.reason, isBusy: document.isBusy, hint: document.hint))
    }
    if pending.isEmpty { return .done }
    return pending.allSatisfy(\.isBusy) ? .busy : .failed
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
        response, held: held, isVerbose: output.isVerbose, rfc3339: { Timestamp.rfc3339($0) },
        localTime: { Timestamp.local($0) }))
    return response.damage.isEmpty ? .done : .answer
  }
}
