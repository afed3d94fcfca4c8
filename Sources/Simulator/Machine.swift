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
  private var boot = 1
  /// The store as a `watch` has it open.
  private var watch: (system: FaultySystem, session: StoreSession, follow: FollowDocuments)?
  /// What happens to the next command.
  private(set) var fault: Fault?
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
    // A century apart are none; minutes are usual.
    let start = 1_796_000_000_000_000_000 + Int64(chance.below(600)) * 1_000_000_000
    disk = SimulatedDisk(nanoseconds: start)
    clock = SimulatedClock(of: disk)
    entropy = SeededEntropy(seed: plan.seed &+ UInt64(number) &* 7919)
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

  func arm(_ fault: Fault?) { self.fault = fault }

  /// A process opens the store, does something and ends.
  func command<Result>(
    _ body: (StoreSession) throws(UseCaseError) -> Result
  ) -> Outcome<Result> {
    let system = process()
    defer { end(system) }
    return outcome(system) { () throws(UseCaseError) in try body(try session(system)) }
  }

  /// The running `watch` does something; it is started where there is none.
  func watching<Result>(
    _ body: (StoreSession, FollowDocuments) throws(UseCaseError) -> Result
  ) -> Outcome<Result> {
    let system = watch?.system ?? process()
    if watch != nil { system.arm(takeFault()) }
    let result = outcome(system) { () throws(UseCaseError) in
      if watch == nil {
        let session = try session(system)
        watch = (system, session, FollowDocuments(session, .later))
      }
      guard let watch else { preconditionFailure("a watch was just made") }
      return try body(watch.session, watch.follow)
    }
    system.arm(nil)
    if case .done = result { return result }
    // A watch that failed or died is started again by whoever looks after it.
    watch = nil
    end(system)
    return result
  }

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
      Array(Document.schema.utf8), at: Self.root.appending("schemas").appending("old.json"))
    let system = process()
    defer { end(system) }
    _ = try InitializeStore(
      root: Self.root, configuration: path, sharing: .nobody, isForced: false, nodeName: nodeName
    ).execute(in: surroundings(system))
  }

  private func takeFault() -> Fault? {
    defer { fault = nil }
    return fault
  }

  private func process() -> FaultySystem {
    let (workplace, seed) = (workplace, entropy.random64())
    return FaultySystem(disk.process(), takeFault()) {
      workplace.look()
    } meddle: {
      var chance = Chance(seed)
      // A program that cannot write is no concern of ours.
      try? workplace.write(&chance)
    }
  }

  private func end(_ system: FaultySystem) {
    trace.add("\(system.trace.value)")
    system.end()
  }

  private func session(_ system: FaultySystem) throws(UseCaseError) -> StoreSession {
    try StoreSession(root: Self.root, nodeName: nodeName, surroundings: surroundings(system))
  }

  private func surroundings(_ system: FaultySystem) -> Surroundings {
    Surroundings(
      system: system, clock: clock, entropy: entropy, machineID: "machine-\(number)",
      bootID: "boot-\(boot)", release: "test")
  }

  private func outcome<Result>(
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
    var chance = chance
    let share = chance.below(5)
    disk.cutPower { _ in chance.below(4) < share }
    boot += 1
    workplace.losePower()
  }
}
