import LosslessJSON
import Merging
import Presentation
import Replication
import SystemCalls
import UseCases

/// Carries out what was meant: opens the store, asks a use case, presents its answer.
struct CommandRunner {
  let common: CommonOptions
  let output: Output
  let surroundings: Surroundings
  let directory: FilePath

  /// - Returns: with what the process ends.
  func run(_ invocation: Invocation) throws(UseCaseError) -> ExitCode {
    switch invocation {
    case .initialize(let options): return try initialize(options)
    case .add(let options): return try add(options)
    case .remove(let document, let isEverywhere):
      let request = RemoveDocument(document: document, isEverywhere: isEverywhere)
      return show(StorePresenter.answer(try request.execute(in: session())))
    case .watch(let mode): return try watch(mode)
    case .sync: return try synchronize()
    case .status: return try status()
    case .list(let document, let collection):
      let request = ListRecords(document: document, collection: collection)
      return show(RecordPresenter.answer(try request.execute(in: session())))
    case .get(let address): return try get(address)
    case .set(let address, let assignments, let basedOn):
      return try set(address, assignments, basedOn: basedOn)
    case .delete(let addresses): return try delete(addresses)
    case .import(let options): return try importRewrite(options)
    case .export(let document, let generation, let target):
      return try export(document, generation, to: target)
    case .log(let filter): return try log(filter)
    case .show(let entry): return try showEntry(entry)
    case .restore(let entry, let newID, let isDryRun):
      let request = RestoreEntry(
        entry: entry, newID: newID.map { RecordPattern($0) }, isDryRun: isDryRun)
      let session = try session()
      return show(try request.execute(in: session), session)
    case .accept(let entry):
      let session = try session()
      let response = try AcceptEntry(entry: entry).execute(in: session)
      show(response, session)
      return response.isContested ? .answer : .done
    case .dismiss(let entries):
      let session = try session()
      for response in try DismissEntries(entries: entries).execute(in: session) {
        _ = show(response, session)
      }
      return .done
    case .backups(let document): return try backups(document)
    case .rollback(let document, let version):
      let session = try session()
      let request = RollBack(document: document, version: version)
      return show(try request.execute(in: session), session)
    case .merge(let options): return try merge(options)
    case .verify(let repairs):
      var progress = ProgressLine()
      let session = try session(readsLogs: true)
      let response = try VerifyStore(repairs: repairs).execute(in: session) {
        output.progress(progress.text($0, done: $1, of: $2, at: MonotonicTime.milliseconds))
      }
      output.progress(progress.end())
      _ = show(StorePresenter.answer(response))
      return response.damage.isEmpty ? .done : .answer
    case .compact:
      return show(CompactPresenter.answer(try CompactStore().execute(in: try session())))
    case .upgrade:
      return show(StorePresenter.answer(try UpgradeStore().execute(in: try session())))
    case .doctor: return try examine()
    case .nodes(let retiring): return try nodes(retiring: retiring)
    case .completions, .man, .help, .version: return .done
    }
  }

  // MARK: - The store

  var nodeName: String {
    common.node ?? ThisProcess.environment("REPLICATOR_NODE").flatMap { $0.isEmpty ? nil : $0 }
      ?? "\(Machine.userName)@\(Machine.hostName)"
  }

  /// The store that was named; nil = the nearest one upwards.
  var storeName: String? {
    common.store ?? ThisProcess.environment("REPLICATOR_STORE").flatMap { $0.isEmpty ? nil : $0 }
  }

  /// - Parameter root: a store that is known already; nil = the one that was named.
  func session(
    readsLogs: Bool = false, at root: FilePath? = nil
  ) throws(UseCaseError) -> StoreSession {
    var surroundings = surroundings
    let opens = openCounter()
    if let opens { surroundings.system = opens.system }
    // Ending here is like being killed, which nothing that is stored minds.
    surroundings.whenUnreadable = { [output] error in
      output.complain(UseCaseError.replication(.storage(error)).complaint)
      ExitStatus.end(ExitCode.failed.rawValue)
    }
    let root = try StoreSession.find(
      named: root?.string ?? storeName, from: directory, surroundings: surroundings)
    let session = try StoreSession(
      root: root, nodeName: nodeName, surroundings: surroundings, readsLogs: readsLogs)
    session.replica.evidence = opens.map { ReadEvidence($0) }
    return session
  }

  /// Counts who opens documents; without it the content alone finds the base of a rewrite.
  private func openCounter() -> InodeOpens? {
    do throws(SystemError) { return try InodeOpens(over: surroundings.system) } catch {
      output.detail("no inotify instance for documents: \(error)")
      return nil
    }
  }

  // MARK: - Answers

  @discardableResult
  func show(_ answer: Answer) -> ExitCode {
    if output.isJSON {
      output.line(answer.json)
    } else if !output.isQuiet {
      for line in answer.lines { output.line(line) }
    }
    for remark in answer.remarks { output.note(remark) }
    return .done
  }

  /// The answer of a writing command with the entries that came of it.
  @discardableResult
  func show(_ response: WriteResponse, _ session: StoreSession) -> ExitCode {
    let entries = response.journal.map { entryView(session.shown($0)) }
    show(RecordPresenter.answer(response, entries: entries, words: words(session)))
    if !response.isDryRun { sayPutBack(entries, session) }
    return .done
  }

  /// Says of each document what a program wrote that was put back, and how it can be had all the same.
  func sayPutBack(_ entries: [EntryView], _ session: StoreSession) {
    for sentence in PutBackWords.sentences(entries, words(session)) { output.note(sentence) }
  }

  func entryView(_ entry: LogResponse.Entry) -> EntryView {
    // The configuration was checked when it was read; its pointers parse.
    let pointers = entry.secrets.compactMap { try? JSONPointer(parsing: $0) }
    let mask = common.showsSecrets ? SecretMask.off : SecretMask(pointers: pointers)
    do throws(JSONError) {
      return try EntryView(JSONText(unchecked: entry.entry.json), mask: mask, file: entry.setAside)
    } catch {
      preconditionFailure("an entry of our own making is JSON: \(error)")
    }
  }

  func words(_ session: StoreSession) -> EntryWords {
    let names = Dictionary(
      session.replica.readers.map { (Hex.string($0.key.raw), $0.value.description?.name) },
      uniquingKeysWith: { first, _ in first })
    return EntryWords(
      paint: output.paint,
      localTime: { text in Timestamp.parse(text).map { Timestamp.local($0) } ?? text },
      nodeName: { id in names[id] ?? nil })
  }

  func path(_ text: String) -> FilePath { directory.appending(text) }
}

extension RecordPattern {
  init(_ pattern: IDPattern) {
    switch pattern {
    case .plain(let bytes): self = .plain(bytes)
    case .number(let bytes): self = .number(bytes)
    case .string(let bytes): self = .string(bytes)
    case .composite(let bytes): self = .composite(bytes)
    }
  }
}
