import Simulation
import Storage
import SystemCalls

/// The document of one machine as its plain programs and its readers see it.
final class Workplace: Sendable {
  /// A content that a program wrote.
  struct Written: Sendable {
    let bytes: [UInt8]
    /// What the program had replaced by then, having read it.
    let replaced: Set<Int>
    /// What its habits took away.
    let damaged: Set<Int>
    /// The first value that it made.
    let firstToken: Int
    /// The program waited for the disk, and nobody has touched the document since.
    var isDurable = false
  }

  struct State: Sendable {
    var programs: [Program]
    /// What a program wrote last, until the replicator has met it.
    var written: Written?
    /// What was replaced by writes that nobody has met: without power they come back.
    var replacedBefore: Set<Int> = []
    /// What was replaced by writes of which nobody knows whether the replicator has met them.
    var doubtful: Set<Int> = []
    /// A program saved during the pass that runs or ran last, or since.
    var wasMeddledWith = false
    /// A program has left no whole document there, or none at all.
    var isBroken = false {
      didSet { wasBroken = wasBroken || isBroken }
    }
    /// The same, at any time.
    private(set) var wasBroken = false
    /// What a reader saw last: file, time of its last change, size.
    var seen: [UInt64] = []
    /// What readers must not have seen.
    var complaints: [String] = []
    /// Values that programs of this machine have written so far.
    var nextToken: Int
    /// What happened, in words; nil where nobody asks.
    var story: [String]?

    mutating func tell(_ text: () -> String) {
      if story != nil { story?.append(text()) }
    }
  }

  static let path = Machine.root.appending(Document.name)

  let disk: SimulatedDisk
  let state: Guarded<State>
  private let files: Files
  private let means: Bool

  /// - Parameter means: whether what the habits of programs do counts as meant.
  init(
    _ disk: SimulatedDisk, programs: [Program.Habits], tokens: Int, means: Bool
  ) throws {
    self.disk = disk
    self.means = means
    files = Files(disk)
    let start = Array(Document.start.utf8)
    let programs = try programs.map { (habits) throws in try Program(habits, reading: start) }
    state = Guarded(State(programs: programs, nextToken: tokens))
  }

  /// A value that nobody has written yet.
  func newToken() -> Int {
    state.withLock { state in
      state.nextToken += 1
      return state.nextToken
    }
  }

  func bytes() throws -> [UInt8]? { try files.bytes(Self.path) }

  /// The replicator has perhaps met what lies there.
  func doubt() {
    state.withLock { state in
      state.doubtful.formUnion(state.written?.replaced ?? [])
      state.written?.isDurable = false
    }
  }

  /// What a program had not made durable is lost perhaps, or a part of it is there.
  ///
  /// - Returns: a whole document of which only parts were ever written.
  func losePower() -> [UInt8]? {
    // What cannot be read is lost.
    let present = try? files.bytes(Self.path)
    let (written, wasHalf) = state.withLock { ($0.written, $0.isBroken) }
    let isNamed = written.map { (try? hasName($0.bytes)) ?? false } ?? true
    let isLost = written?.isDurable == true && !isNamed
    doubt()
    state.withLock { state in
      state.doubtful.formUnion(state.replacedBefore)
      if isLost { state.complaints.append("a version that a program saved has no name any more") }
      // What lies beside the document is found by the next pass.
      if state.written?.bytes != present, written?.isDurable != true { state.written = nil }
      state.isBroken = true
      state.seen = []
    }
    look()
    return wasHalf && present.map(Document.isWhole) ?? false ? present : nil
  }

  /// Whether a file has that content where the document, what is made of it, or a backup lies.
  private func hasName(_ bytes: [UInt8]) throws -> Bool {
    let bindings = Machine.control.appending(StoreLayout.bindings)
    for binding in try files.names(bindings) {
      let intent = Machine.control.appending(StoreLayout.inPlace(binding)).appending("intent")
      // Old and new version stand there while the document is written in place.
      if let both = try files.bytes(intent), both.contains(bytes) { return true }
    }
    let backups = try files.names(bindings).map {
      Machine.control.appending(StoreLayout.backups($0))
    }
    for directory in [Self.path.parent] + backups {
      for name in try files.names(directory)
      where try files.bytes(directory.appending(name)) == bytes { return true }
    }
    return false
  }

  /// A pass has met what was written last.
  func meet() -> Written? {
    state.withLock { state in
      defer { state.written = nil }
      return state.written
    }
  }

  // MARK: - Programs

  /// A program reads the document again, if it can.
  func read(_ chance: inout Chance) throws {
    let number = chance.below(64)
    try read(program: number)
  }

  private func read(program number: Int) throws {
    guard let bytes = try bytes(), Document.isWhole(bytes) else { return }
    try state.withLock { state in
      // What stands there may be by a program whose write nobody has met yet. What it did to values
      // that it does not know then passes for what its reader means: nobody can tell.
      let unmet = state.written.flatMap { $0.bytes == bytes ? $0 : nil }
      let inherited = unmet.map { $0.replaced.union($0.damaged) } ?? []
      try state.programs[number % state.programs.count].read(
        bytes, inheriting: inherited)
    }
  }

  /// A program changes its copy and saves it.
  ///
  /// - Parameter durably: it waits for the disk.
  func write(_ chance: inout Chance, durably: Bool = false) throws {
    let number = chance.below(64)
    let habits = state.withLock { $0.programs[number % $0.programs.count].habits }
    let rereads = habits.contains(.keepsStale) ? chance.once(in: 8) : !chance.once(in: 4)
    if rereads { try read(program: number) }
    let edits = (0...chance.below(3)).map { _ in
      (edit: chance.pick(Program.Edit.allCases), record: chance.below(8), token: newToken())
    }
    let resets = habits.contains(.resets) && chance.once(in: 4)
    let way = durably ? .durably : Saving.allCases[chance.below(Saving.allCases.count)]
    let means = means
    let written = state.withLock { state in
      var program = state.programs[number % state.programs.count]
      for edit in edits { program.edit(edit.edit, record: edit.record, token: edit.token) }
      if resets { program.reset() }
      if means { program.meanHabits() }
      state.programs[number % state.programs.count] = program
      state.tell {
        "\(program.habits), rereads \(rereads): \(edits): "
          + String(decoding: program.bytes, as: UTF8.self)
      }
      return Written(
        bytes: program.bytes, replaced: program.replaced, damaged: program.damaged,
        firstToken: edits.first?.token ?? state.nextToken, isDurable: way == .durably)
    }
    let isWhole = try way.save(written.bytes, at: Self.path, files, &chance)
    state.withLock { state in
      // Half a document becomes a whole one where a loss of power leaves the end of the one before.
      state.replacedBefore.formUnion((isWhole ? state.written : written)?.replaced ?? [])
      state.written = isWhole ? written : nil
      state.isBroken = !isWhole
    }
  }

  // MARK: - Readers

  /// Somebody reads the document, whatever is going on: it must be whole, but where a program left it
  /// otherwise.
  func look() {
    let status = files.status(Self.path)
    let seen = status.map {
      [$0.inode, UInt64(bitPattern: $0.changedNanoseconds), $0.sizeBytes]
    }
    guard state.withLock({ $0.seen != seen ?? [0] }) else { return }
    // A file that cannot be read has no document.
    let bytes = try? files.bytes(Self.path)
    let isWhole = bytes.map(Document.isWhole) ?? false
    state.withLock { state in
      state.seen = seen ?? [0]
      if isWhole { state.isBroken = false }
      if !isWhole, !state.isBroken {
        state.isBroken = true
        let text = bytes.map { String(decoding: $0, as: UTF8.self) } ?? "none"
        state.complaints.append("a reader found no whole document: \(text)")
      }
    }
  }
}
