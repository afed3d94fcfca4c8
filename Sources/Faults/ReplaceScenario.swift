import Simulation
import Storage
import SystemCalls

/// A document is replaced again and again, its older versions become backups and the oldest go.
struct ReplaceScenario: CrashScenario {
  /// How the document gets new bytes, by what the file system can do.
  enum Way: String, CaseIterable, Sendable {
    case exchange, create, withoutExchange, withoutLinks, movedBackups, copiedBackups
    case inPlace, inPlaceShorter

    var refusals: [String: Errno] {
      switch self {
      case .exchange, .create: [:]
      case .withoutExchange: ["exchange": .EINVAL, "noReplace": .EINVAL]
      case .withoutLinks: ["exchange": .EINVAL, "noReplace": .EINVAL, "link": .EPERM]
      case .movedBackups: ["link": .EPERM]
      case .copiedBackups: ["link": .EXDEV]
      case .inPlace, .inPlaceShorter: ["exchange": .EBUSY]
      }
    }

    var isInPlace: Bool {
      // Without links and exchange nothing else is left for a document that is there.
      self == .inPlace || self == .inPlaceShorter || self == .withoutLinks
    }
  }

  let way: Way
  var name: String { "replace, \(way.rawValue)" }
  var refusals: [String: Errno] { way.refusals }

  private static let last = 3
  private static let kept = 2

  private func text(_ version: Int) -> [UInt8] {
    let size = way == .inPlaceShorter ? 1400 - 300 * version : 500 + 300 * version
    let line = Array("version \(version) of the document\n".utf8)
    return Array((0..<size).map { line[$0 % line.count] })
  }

  func prepare(_ machine: SimulatedMachine) throws {
    let store = try machine.makeStore()
    try store.makeDirectories(StoreLayout.backups(bindingID))
    if way != .create { try machine.write(text(0), to: SimulatedMachine.document) }
  }

  private var place: DocumentPlace {
    DocumentPlace(realPath: SimulatedMachine.root.appending(SimulatedMachine.document))
  }
  private var bindingID: String { place.bindingID }

  func run(_ machine: SimulatedMachine) throws {
    let session = try Session(machine, place)
    for version in 1...Self.last {
      try session.whileLocked {
        try session.clearUp()
        let outcome = try session.replace(with: text(version), milliseconds: UInt64(version))
        switch outcome {
        case .created, .replaced: machine.disk.acknowledge("\(version)")
        case .displacedUnseen(_, let displaced):
          // Only a flaw makes it so; it goes on as it would with a program's version.
          _ = try session.files.keep(displaced, in: session.kept, milliseconds: 1_796_000_000_050)
          machine.disk.acknowledge("\(version)")
        default: throw Unexpected(outcome: outcome)
        }
        _ = try session.kept.store.pruneBackups(of: bindingID, keep: Self.kept) { _ in true }
      }
    }
  }

  func recover(_ machine: SimulatedMachine) throws {
    let session = try Session(machine, place)
    try session.whileLocked { try session.clearUp() }
  }

  func violation(
    _ machine: SimulatedMachine, _ acknowledged: Set<String>, isRecovered: Bool
  ) throws -> Violation? {
    if way.isInPlace, !isRecovered { return nil }
    let shown = try machine.bytes(SimulatedMachine.document)
    let newest = acknowledged.compactMap { Int($0) }.max() ?? (way == .create ? -1 : 0)
    guard let shown else {
      let isAllowed = way == .create && newest < 0
      return isAllowed ? nil : Violation(.unreadable, "there is no document")
    }
    guard let version = (0...Self.last).first(where: { text($0) == shown }) else {
      return Violation(.unreadable, "the document is no version: \(shown.count) bytes")
    }
    if version < newest {
      return Violation(.lostWrite, "version \(newest) was acknowledged, \(version) is there")
    }
    guard isRecovered else { return nil }
    let session = try Session(machine, place)
    let first = way == .create ? 1 : 0
    let backups = try session.backups()
    for older in max(first, version - Self.kept)..<max(first, version)
    where !backups.contains(text(older)) {
      return Violation(.nameless, "version \(older) is gone, \(version) is there")
    }
    let left = try machine.leftovers() + session.leftovers()
    return left.isEmpty ? nil : Violation(.leftover, "\(left)")
  }
}

/// The outcome of a replacement that this scenario does not have.
struct Unexpected: Error {
  let outcome: ReplaceOutcome
}

/// A process of ours with a document and what the store keeps of it.
struct Session {
  let files: FileStore
  let place: DocumentPlace
  let kept: BindingFiles
  private let lock: LockFile

  init(_ machine: SimulatedMachine, _ place: DocumentPlace, system: (any FileSystem)? = nil) throws
  {
    let system = system ?? machine.process()
    self.place = place
    files = FileStore(system: system, entropy: SeededEntropy(seed: machine.seed &+ 100))
    kept = BindingFiles(try machine.store(system), id: place.bindingID)
    lock = LockFile(kept.store, StoreLayout.bindingLock(place.bindingID))
  }

  /// Nobody else is alive, so a lock that is held is stuck.
  func whileLocked(_ body: () throws -> Void) throws {
    try lock.lock(waitingMilliseconds: 0)
    try body()
    try lock.unlock()
  }

  func replace(with bytes: [UInt8], milliseconds: UInt64) throws -> ReplaceOutcome {
    let content = try files.read(place, probingWriters: true)
    return try files.replace(
      place, with: bytes, expecting: content.map(ExpectedVersion.init), keeping: kept,
      milliseconds: 1_796_000_000_000 + milliseconds)
  }

  /// What a pass begins with.
  func clearUp() throws {
    if let found = try files.interruptedWrite(of: place, in: kept) {
      try files.complete(found, of: place, in: kept, milliseconds: 1_796_000_000_100)
    }
    for name in [StoreLayout.backups(kept.id), StoreLayout.inPlace(kept.id)] {
      try kept.store.removeParts(in: name)
    }
    for version in try files.recover(place) {
      _ = try files.keep(version, in: kept, milliseconds: 1_796_000_000_200)
    }
  }

  /// The contents of all backups; one that does not have the content of its name is an error.
  func backups() throws -> [[UInt8]] {
    try kept.store.backups(of: kept.id).compactMap { try kept.store.readBackup($0, of: kept.id) }
  }

  /// Files of ours that nobody needs any more.
  func leftovers() throws -> [String] {
    try kept.store.names(in: StoreLayout.inPlace(kept.id))
      + kept.store.names(in: StoreLayout.backups(kept.id)).filter {
        StoreLayout.parseBackup($0) == nil
      }
  }
}
