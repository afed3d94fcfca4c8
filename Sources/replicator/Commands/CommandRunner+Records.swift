import LosslessJSON
import Presentation
import Replication
import SystemCalls
import UseCases

extension CommandRunner {
  func get(_ address: Address) throws(UseCaseError) -> ExitCode {
    let request = GetValue(target: try reference(address))
    let response = try request.execute(in: session())
    if !output.isJSON { output.write(Array(response.value.bytes) + [UInt8(ascii: "\n")]) }
    return show(RecordPresenter.answer(response))
  }

  func set(
    _ address: Address, _ assignments: [Assignment], basedOn: Int?
  ) throws(UseCaseError) -> ExitCode {
    var fields: [SetFields.Assignment] = []
    for assignment in assignments {
      fields.append(
        SetFields.Assignment(path: assignment.path, value: try value(of: assignment)))
    }
    let request = SetFields(
      target: try reference(address), assignments: fields, basedOn: basedOn)
    let session = try session()
    return show(try request.execute(in: session), session)
  }

  private func value(of assignment: Assignment) throws(UseCaseError) -> JSONText {
    switch assignment.value {
    case .text(let bytes): return .string(String(decoding: bytes, as: UTF8.self))
    case .json(let text): return text
    case .textFile(let name):
      return .string(String(decoding: try contents(of: name), as: UTF8.self))
    case .jsonFile(let name):
      let bytes = try contents(of: name)
      do throws(JSONError) {
        return try JSONText(validating: bytes)
      } catch {
        throw .unreadableInput(path: path(name), error)
      }
    }
  }

  private func contents(of name: String) throws(UseCaseError) -> [UInt8] {
    try InputFiles(surroundings).read(path(name)).bytes
  }

  func delete(_ addresses: [Address]) throws(UseCaseError) -> ExitCode {
    var targets: [RecordReferenceRequest] = []
    for address in addresses { targets.append(try reference(address)) }
    let session = try session()
    for response in try DeleteRecords(targets: targets).execute(in: session) {
      _ = show(response, session)
    }
    return .done
  }

  func importRewrite(_ options: ImportOptions) throws(UseCaseError) -> ExitCode {
    let base: ImportRewrite.Base? =
      switch options.base {
      case nil: nil
      case .generation(let number): .generation(number)
      case .file(let name): .file(path(name))
      }
    let request = ImportRewrite(
      path: path(options.file), document: options.document, base: base, client: options.client,
      time: options.time, isDryRun: options.isDryRun)
    let session = try session()
    let response = try request.execute(in: session)
    _ = show(response, session)
    return response.isContested ? .answer : .done
  }

  func export(
    _ document: String, _ generation: Int?, to target: String?
  ) throws(UseCaseError) -> ExitCode {
    let request = ExportDocument(document: document, generation: generation)
    var response = try request.execute(in: session())
    if let target {
      try UserFile.write(response.bytes, to: path(target), surroundings)
      response.output = target
    } else if !output.isJSON {
      output.write(response.bytes)
    }
    return show(RecordPresenter.answer(response))
  }

  func backups(_ document: String) throws(UseCaseError) -> ExitCode {
    let response = try ListBackups(document: document).execute(in: try session())
    let rows = response.backups.map { backup in
      BackupsPresenter.Row(
        time: backup.time, hash: backup.hash, path: backup.path.string, bytes: backup.sizeBytes,
        address: backup.address.word, isExport: backup.address.isGeneration)
    }
    return show(
      BackupsPresenter.answer(
        document: response.document, rows, rfc3339: { Timestamp.rfc3339($0) },
        localTime: { Timestamp.local($0) }))
  }

  func reference(_ address: Address) throws(UseCaseError) -> RecordReferenceRequest {
    let place: RecordReferenceRequest.Place
    switch address.place {
    case .outside: place = .outside
    case .record(let collection, let id):
      place = .record(collection: collection, RecordPattern(id))
    case .document, .collection:
      throw .refused(
        what: "use '\(address.document)' as a record", why: "it names none",
        hint: "write \(address.document)/ID, or \(address.document):/MEMBER outside the collections"
      )
    }
    return RecordReferenceRequest(document: address.document, place: place, path: address.path)
  }
}
