import LosslessJSON
import Merging
import Records
import Replication
package import SystemCalls

/// Merges a whole rewritten document: a conflict copy, a backup, another machine's file.
package struct ImportRewrite: Sendable {
  package enum Base: Sendable {
    case generation(Int)
    case file(FilePath)
  }

  package var path: FilePath
  package var document: String
  package var base: Base?
  package var client: String?
  /// When it was written, milliseconds since 1970; nil = the file's mtime.
  package var time: UInt64?
  package var isDryRun: Bool

  package init(
    path: FilePath, document: String, base: Base?, client: String?, time: UInt64?, isDryRun: Bool
  ) {
    self.path = path
    self.document = document
    self.base = base
    self.client = client
    self.time = time
    self.isDryRun = isDryRun
  }

  package func execute(in session: StoreSession) throws(UseCaseError) -> WriteResponse {
    let document = try session.document(named: document)
    let files = InputFiles(session.replica.surroundings)
    let (bytes, modified) = try files.read(path)
    try check(bytes, path, document)
    let input = FileImport(
      bytes: bytes, time: time ?? modified, base: try readBase(document, files),
      client: try profile(session), isDryRun: isDryRun)
    let bound = try session.bound(document)
    let node = try session.node()
    let result: (done: PassReport.Import?, report: PassReport)
    do throws(ReplicationError) {
      result = try session.replica.importFile(input, into: bound, as: node)
    } catch {
      if case .unknownGeneration(let number) = error {
        _ = try session.context(basedOn: number, at: bound)
      }
      throw .replication(error)
    }
    var response = session.response(of: result.done, result.report, in: bound)
    response.isDryRun = isDryRun
    return response
  }

  private func check(
    _ bytes: [UInt8], _ path: FilePath, _ document: Configuration.Document
  ) throws(UseCaseError) {
    do throws(JSONError) {
      _ = try SplitDocument(bytes: bytes, shape: document.shape)
    } catch {
      throw .unreadableInput(path: path, error)
    }
  }

  private func readBase(
    _ document: Configuration.Document, _ files: InputFiles
  ) throws(UseCaseError) -> FileImport.Base? {
    switch base {
    case nil: return nil
    case .generation(let number): return .generation(number)
    case .file(let path):
      let bytes = try files.read(path).bytes
      try check(bytes, path, document)
      return .file(bytes)
    }
  }

  private func profile(_ session: StoreSession) throws(UseCaseError) -> ClientProfile? {
    guard let client else { return nil }
    guard let profile = session.replica.configuration.client(named: client) else {
      throw .unknownClient(client, known: session.replica.configuration.clients.map(\.name))
    }
    return profile
  }
}

extension StoreSession {
  /// What came of one rewrite that a person had taken in: of what came beside it, such as conflicts
  /// of earlier writes that this node met now, the log speaks.
  func response(
    of done: PassReport.Import?, _ report: PassReport, in document: BoundDocument
  ) -> WriteResponse {
    var response = WriteResponse(
      document: document.name, changed: done?.changed.map { ChangedPlace($0) } ?? [],
      journal: done?.entries ?? report.putBack)
    let transactions = Set(done?.transactions ?? [])
    let known = Set(response.journal.map(\.id))
    response.journal += report.entries.filter { entry in
      !known.contains(entry.id) && replica.isConflict(entry, of: transactions)
    }
    response.isRewrite = true
    response.generation = report.generation
    response.pendingExport = report.pendingExport?.reason
    response.backupProblem = report.backupProblem
    return response
  }
}

extension WriteResponse {
  /// True if conflicts or a hold came of it: the exit code of `import` and of `accept` of a held
  /// rewrite is 1 then.
  package var isContested: Bool {
    isRewrite
      && journal.contains { entry in
        switch entry.kind {
        case .concurrent, .deleteEdit, .createCreate, .typeChange, .bulkDeleteHeld: true
        default: false
        }
      }
  }
}
