import LosslessJSON
import Merging
import Records

/// One random history of a document, its programs and its readers, all from one seed.
struct History {
  /// What the judge is told of one import, and what it found.
  struct Imported {
    var findings: [Finding]
    var needlessConflicts: Int
    var doubts: Int
    /// Nil where nothing had to be decided.
    var hasRightBase: Bool?
  }

  let seed: UInt64
  let level: EvidenceLevel
  private(set) var imports: [Imported] = []
  /// A line for each thing that happened, where asked for.
  let trace: Trace?

  private var chance: Chance
  private var store: SimulatedStore
  private var watch = OpenWatch()
  private var found = FoundValues()
  private var programs: [RunningProgram] = []
  private let namesWriters: Bool
  private var ids: Int
  private let length: Int
  private let isLong: Bool

  /// - Throws: where the program itself wrote something that is no document.
  init(seed: UInt64, level: EvidenceLevel, explains: Bool = false) throws {
    self.seed = seed
    self.level = level
    trace = explains ? Trace() : nil
    var (content, chance, ids) = (Content(), Chance(seed: seed), 100)
    // Long ones go beyond what is retained.
    isLong = chance.below(60) == 0
    length = isLong ? 60 : chance.number(6...16)
    for id in 1...chance.number(2...5) {
      var item = Item(id: id)
      for field in Field.allCases
      where !Field.optional.contains(field) || chance.happens(percent: 75) {
        ids += 1
        item[field] = field.value(&chance, fresh: ids)
      }
      content.items.append(item)
    }
    store = try SimulatedStore(content, retention: Configuration.Retention())
    watch.didExport(store.lastExport)
    let cast = try ProgramCast(&chance)
    programs = cast.programs.map(RunningProgram.init)
    namesWriters = cast.namesWriters
    (self.chance, self.ids) = (chance, ids)
  }

  mutating func run() throws {
    trace?.add("history \(seed), evidence \(level.rawValue)")
    for program in programs { trace?.add("  \(program.program)") }
    try noteShown()
    for _ in 0..<length {
      store.now += UInt64(chance.number(1...(isLong ? 40_000 : 20_000))) * 1000
      let what = chance.below(100)
      if what < 30 {
        try edit()
      } else if what < 45 {
        watch.wasOpened(store.lastExport)
        trace?.add("somebody reads generation \(store.lastExport)")
      } else if what < 60 {
        try read(chance.below(programs.count))
      } else if what < 95 {
        try rewrite(chance.below(programs.count))
      } else {
        watch.toggle()
        trace?.add("the watch \(watch.isRunning ? "starts" : "stops")")
      }
    }
  }

  private mutating func noteShown() throws {
    found.add(Content(try store.shown()))
    try trace?.add("generation \(store.lastExport): \(text(Content(store.shown()).bytes()))")
  }

  private func text(_ bytes: [UInt8]) -> String {
    String(decoding: bytes.dropLast(), as: UTF8.self)
  }

  // MARK: - Edits on the node, and readers

  private mutating func edit() throws {
    var changes: [RecordChange] = []
    for _ in 0..<(chance.happens(percent: 25) ? 2 : 1) {
      guard let change = try NodeEdit.change(of: store, &chance, &ids) else { continue }
      // One change of a record at a time, so that each is what the next one sees.
      guard !changes.contains(where: { $0.place == change.place }) else { continue }
      changes.append(change)
    }
    guard !changes.isEmpty else { return }
    try store.edit(changes)
    watch.didExport(store.lastExport)
    trace?.add("the node edits \(changes.map(\.place.id?.description)) \(changes.map(\.path))")
    try noteShown()
  }

  private mutating func read(_ index: Int) throws {
    watch.wasOpened(store.lastExport)
    programs[index].read(Content(try store.shown()), generation: store.lastExport)
    trace?.add("\(programs[index].program.name) reads generation \(store.lastExport)")
  }

  // MARK: - Rewrites

  private mutating func rewrite(_ index: Int) throws {
    let program = programs[index].program
    if programs[index].base == .nothing || chance.happens(percent: program.rereads) {
      try read(index)
      // Somebody may be quicker between reading and writing.
      if chance.happens(percent: 10) { try edit() }
    }
    let seen = programs[index].versions
    let base = programs[index].base
    let lastWrite = programs[index].lastWrite
    let older = store.retained.suffix(8).map { Content($0.split) }
    let (bytes, intent) = programs[index].rewrite(&chance, ids: &ids, older: older)
    if program.writesInPlace { watch.wasOpened(store.lastExport) }
    let before = Content(try store.shown())
    let newest = store.lastExport
    let truth = number(of: base, lastWrite)
    let (evidence, unread) = evidence(truth: truth, of: program)
    let done = try store.importRewrite(
      bytes, by: writer(program), evidence: evidence, unread: unread)
    programs[index].didWrite(bytes, intent)
    watch.didImport(
      snapshot: done.snapshot, of: namesWriters ? program.name : nil, newest: newest)
    if done.snapshot != nil { watch.didExport(store.lastExport) }
    let journal = JournalLines(done)
    journal.standing.forEach { found.add($0) }
    let judged = JudgedImport(
      seen: seen, intent: intent, before: before, after: Content(try store.shown()),
      journal: journal, fills: program.fills, found: found)
    let judge = Judge(judged)
    imports.append(
      Imported(
        findings: judge.findings, needlessConflicts: judge.needlessConflicts,
        doubts: judged.journal.decisions.count { Self.doubts.contains($0.kind) },
        hasRightBase: isRight(done, truth, base)))
    journal.decisions.forEach { found.add($0) }
    explain(judged, judge, done, bytes, "\(program.name) goes on from \(base)", truth, evidence)
    try noteShown()
  }

  private func explain(
    _ judged: JudgedImport, _ judge: Judge, _ done: SimulatedStore.Import, _ bytes: [UInt8],
    _ writer: String, _ truth: Int?, _ evidence: ImportEvidence
  ) {
    guard let trace else { return }
    let opened = evidence.opened.map { "\($0.sorted())" } ?? "unknown"
    trace.add("\(writer), content \(truth.map(String.init) ?? "not retained any more")")
    trace.add("  it writes \(text(bytes))")
    trace.add("  it meant: \(judged.intent)")
    trace.add(
      "  evidence: \(evidence.readModifyWrite.map { "read \($0)" } ?? "no proof") "
        + "(\(evidence.proof)), opened \(opened)")
    trace.add(
      "  plan: \(done.plan.outcome), base \(done.base.map(String.init) ?? "none"), "
        + "as \(done.plan.client ?? "undeclared")")
    for line in done.plan.changeLines { trace.add("    \(line)") }
    for line in judged.journal.all { trace.add("  journal: \(line)") }
    for finding in judge.findings {
      trace.add("  \(finding.isError ? "ERROR" : "note"): \(finding)")
    }
  }

  private static let doubts: Set<String> = ["revert-ambiguous", "stale-partial", "stale"]

  /// The retained content that the program really went on from.
  private func number(of base: RunningProgram.Base, _ lastWrite: [UInt8]) -> Int? {
    switch base {
    case .nothing: return nil
    case .export(let number): return store.retained.contains { $0.number == number } ? number : nil
    case .own:
      let snapshots = store.retained.filter { $0.kind != .export }
      if let own = snapshots.last(where: { $0.split.bytes.elementsEqual(lastWrite) }) {
        return own.number
      }
      // Where the write said nothing new it is not retained, but what it was equal to is.
      guard let split = try? SplitDocument(bytes: lastWrite, shape: Content.shape) else {
        return nil  // Bytes that a simulated program wrote are a document.
      }
      return store.retained.last { $0.split.hasSameContent(as: split) }?.number
    }
  }

  private func isRight(
    _ done: SimulatedStore.Import, _ truth: Int?, _ base: RunningProgram.Base
  ) -> Bool? {
    guard done.plan.outcome != .nothing || done.base != nil, let taken = done.base else {
      return nil
    }
    guard let truth else { return false }
    if taken == truth { return true }
    let contents = store.retained
    guard let one = contents.first(where: { $0.number == taken }),
      let other = contents.first(where: { $0.number == truth })
    else { return false }
    return one.split.hasSameContent(as: other.split)
  }

  private func writer(_ program: Program) -> ImportRequest.Writer {
    if namesWriters {
      return .named(program.profile ?? .undeclared(name: program.name))
    }
    return .oneOf(
      programs.compactMap(\.program.profile).sorted {
        !$0.understandsEverything && $1.understandsEverything
      })
  }

  private func evidence(
    truth: Int?, of program: Program
  ) -> (evidence: ImportEvidence, unread: Set<Int>) {
    var evidence = ImportEvidence()
    switch level {
    case .content: return (evidence, [])
    case .newest:
      evidence.named = store.lastExport
      return (evidence, [])
    case .exact:
      // A content that is not retained any more is named all the same.
      evidence.readModifyWrite = truth ?? -1
      return (evidence, [])
    case .opened, .readModifyWrite: break
    }
    let unread = watch.unread
    let exports = store.retained.filter { $0.kind == .export }.map(\.number)
    let readable = Set(exports).subtracting(unread)
    if readable.count < exports.count { evidence.opened = readable }
    guard level == .readModifyWrite else { return (evidence, unread) }
    if namesWriters, let own = watch.ownWrite(of: program.name) {
      evidence.readModifyWrite = own
    } else if watch.recent.count == 1, let sole = watch.recent.first, readable.contains(sole) {
      evidence.readModifyWrite = sole
      evidence.proof = .opens
    }
    return (evidence, unread)
  }
}
