import Merging
import Replication
import Simulation
import Storage
import SystemCalls
import UseCases

/// One machine: a disk, a clock, a document with its programs, a store with one node, and perhaps a
/// running `watch`.
final class Machine {
  static let root = FilePath("/d")
  static let control = root.appending(StoreLayout.control)

  let number: Int
  let disk: SimulatedDisk
  let clock: SimulatedClock
  let files: Files
  let workplace: Workplace
  private let entropy: SeededEntropy
  private let plan: Plan
  private var boot = 1
  /// The store as a `watch` has it open.
  private var watch: (system: FaultySystem, session: StoreSession, follow: FollowDocuments)?
  /// The store as an application has it open.
  var application: OpenApplication?
  /// What happens to the next command.
  private(set) var faults: [Fault] = []
  /// What another process of ours does in the middle of a command.
  let intruder = Guarded<(() -> Void)?>(nil)
  /// Values that such processes wrote during the command that ran last.
  var intruded: Set<Int> = []
  /// All nodes that the machine ever had; a retired one is in its list no more.
  var nodes: Set<String> = []
  /// What the running `watch` was told of last.
  var told = Told()
  /// Whether a command of ours said that it was done, since that was last asked.
  var hasSucceeded = false
  /// Whether anything went wrong with the command that ran last.
  private(set) var wasFaulted = false
  /// Whether our own process may have left half of a document there.
  var mustRecover = false
  /// Whether no file can be made beside the document.
  var isFixed: Bool
  /// And it was whole before, so that nothing is to be set aside.
  var wasWhole = false
  /// Of all calls so far.
  private(set) var trace = Trace()
  /// Values that the replicator has met here.
  var met: Set<Int> = []
  /// Those of them that are shown no more, and that it was found out why.
  var accounted: Set<Int> = []
  /// A backup of the node's own directory: file by file, and what had been met by then.
  var backup: (files: [(path: FilePath, bytes: [UInt8])], met: Set<Int>)?

  init(_ number: Int, _ plan: Plan, _ chance: inout Chance) throws {
    self.number = number
    self.plan = plan
    isFixed = plan.has(.inPlace)
    // A century apart are none; minutes are usual.
    let start = 1_796_000_000_000_000_000 + Int64(chance.below(600)) * 1_000_000_000
    disk = SimulatedDisk(nanoseconds: start)
    clock = SimulatedClock(of: disk)
    let own = plan.variant?.mistake == .sameChance ? 0 : UInt64(number)
    entropy = SeededEntropy(seed: plan.seed &+ own &* 7919)
    files = Files(disk)
    try files.system.makeDirectory(currentDirectoryDescriptor, Self.root.string, mode: 0o755)
    workplace = try Workplace(
      disk, programs: Self.programs(plan), tokens: Document.firstToken + number * 10_000,
      means: plan.has(.undeclared))
    try files.put(Array(Document.start.utf8), at: Workplace.path)
    disk.becomeDurable()
    workplace.look()
  }

  private static func programs(_ plan: Plan) -> [Program.Habits] {
    var programs: [Program.Habits] = plan.has(.undeclared) ? [[], .strips, .rounds] : [[], .old]
    if plan.has(.staleProgram) { programs.append(.keepsStale) }
    if plan.has(.sortingProgram) { programs.append(.sorts) }
    if plan.has(.holds) { programs.append(.resets) }
    return programs
  }

  var nodeName: String { "n\(number)" }

  // MARK: - Commands

  enum Outcome<Result> {
    case done(Result)
    /// It said why it did not do it.
    case failed(UseCaseError, wasFaulted: Bool)
    case died
  }

  func arm(_ faults: [Fault]) { self.faults = faults }

  /// A process opens the store, does something and ends.
  func command<Result>(
    _ body: (StoreSession) throws(UseCaseError) -> Result
  ) -> Outcome<Result> {
    let system = process()
    defer {
      keepFaults(of: system)
      end(system)
    }
    return outcome(system) { () throws(UseCaseError) in try body(try session(system)) }
  }

  /// The running `watch` does something; it is started where there is none.
  func watching<Result>(
    _ body: (StoreSession, FollowDocuments) throws(UseCaseError) -> Result
  ) -> Outcome<Result> {
    let system = watch?.system ?? process()
    if watch != nil { system.arm(takeFaults()) }
    let result = outcome(system) { () throws(UseCaseError) in
      if watch == nil {
        let session = try session(system)
        watch = (system, session, FollowDocuments(session, .later))
      }
      guard let watch else { preconditionFailure("a watch was just made") }
      return try body(watch.session, watch.follow)
    }
    keepFaults(of: system)
    system.arm([])
    if case .done = result { return result }
    // A watch that failed or died is started again by whoever looks after it.
    watch = nil
    end(system)
    return result
  }

  var isWatching: Bool { watch != nil }

  func stopWatching() {
    guard let watch else { return }
    self.watch = nil
    end(watch.system)
  }

  func initialize(_ plan: Plan) throws {
    let path = Self.root.appending("given.json")
    try files.put(Array(Document.configuration(plan).utf8), at: path)
    try files.makeDirectories(Self.root.appending("schemas"))
    try files.put(
      Array(Document.schema(plan).utf8), at: Self.root.appending("schemas").appending("old.json"))
    let system = process()
    defer { end(system) }
    _ = try InitializeStore(
      root: Self.root, configuration: path, sharing: .nobody, isForced: false, nodeName: nodeName
    ).execute(in: surroundings(system))
  }

  /// What waits for its moment goes wrong with a later command, if nothing else does.
  func keepFaults(of system: FaultySystem) {
    if faults.isEmpty { faults = system.left }
    wasFaulted = system.hasFired
  }

  func takeFaults() -> [Fault] {
    defer { faults = [] }
    return faults
  }

  func process() -> FaultySystem {
    let (workplace, intruder, seed) = (workplace, intruder, entropy.random64())
    let (isFixed, isPointed) = (isFixed, plan.has(.rareMoments))
    return FaultySystem(disk.process(), takeFaults(), isFixed: isFixed) {
      // What is written in place can be met half written.
      if !isFixed { workplace.look() }
    } meddle: { kind in
      var chance = Chance(seed)
      // Whether the pass has met what lay there is not known, and it may come too late for this.
      workplace.doubt()
      workplace.state.withLock { $0.wasMeddledWith = true }
      if case .intrude = kind {
        intruder.withLock { $0 }?()
      } else {
        // A program that cannot write is no concern of ours.
        try? workplace.write(&chance, durably: isPointed)
      }
    }
  }

  func end(_ system: FaultySystem) {
    trace.add("\(system.trace.value)")
    system.end()
  }

  func session(_ system: FaultySystem) throws(UseCaseError) -> StoreSession {
    try StoreSession(root: Self.root, nodeName: nodeName, surroundings: surroundings(system))
  }

  private func surroundings(_ system: FaultySystem) -> Surroundings {
    var files: any FileSystem = system
    if let flaw = plan.variant?.flaw {
      files = FlawedFileSystem(inner: system, flaw: flaw, document: Document.name)
    }
    if plan.variant?.mistake == .noLocks { files = UnlockedFileSystem(inner: files) }
    return Surroundings(
      system: files, clock: clock, entropy: entropy, machineID: "machine-\(number)",
      bootID: "boot-\(boot)", release: "test")
  }

  func outcome<Result>(
    _ system: FaultySystem, _ body: () throws(UseCaseError) -> Result
  ) -> Outcome<Result> {
    do throws(UseCaseError) {
      let result = try body()
      return system.isDead ? died(system) : .done(result)
    } catch {
      return system.isDead
        ? died(system) : .failed(error, wasFaulted: system.hasFired)
    }
  }

  private func died<Result>(_ system: FaultySystem) -> Outcome<Result> {
    if system.hasLostPower { cutPower(Chance(entropy.random64())) }
    return .died
  }

  // MARK: - Power

  /// Everything that was not synchronised is there or not, each part for itself.
  func cutPower(_ chance: Chance) {
    stopWatching()
    closeApplication()
    var chance = chance
    // Of some losses all or nothing; where they come at moments that count, a part.
    let share = plan.has(.rareMoments) ? 1 + chance.below(3) : chance.below(5)
    disk.cutPower { _ in chance.below(4) < share }
    if plan.variant?.mistake != .oneBoot { boot += 1 }
    guard let mixed = workplace.losePower() else { return }
    // The end of one content behind the beginning of another, which passes for what a program wrote.
    met.formIntersection(Tokens.all(in: mixed))
  }
}
