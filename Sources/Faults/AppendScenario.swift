import Simulation
import Storage
import SystemCalls

/// Two processes of a node append sealed lines, some of them many at once, and begin a segment.
struct AppendScenario: CrashScenario {
  enum Start: String, CaseIterable, Sendable {
    case empty, lines, torn
    /// Nothing, and the sync of that number fails.
    case failingSync
  }

  let start: Start
  var failingSync = 0
  /// Journals have no epochs.
  var isJournal = false

  var name: String {
    let sync = start == .failingSync ? " \(failingSync)" : ""
    return "append to a \(isJournal ? "journal" : "log"), \(start.rawValue)\(sync)"
  }

  private static let node = "00000000000000a1"
  private var log: String {
    isJournal ? StoreLayout.journal(Self.node) : StoreLayout.log(Self.node)
  }
  private var first: SegmentName { SegmentName(epoch: isJournal ? nil : 1, number: 1) }

  func prepare(_ machine: SimulatedMachine) throws {
    let store = try machine.makeStore()
    try store.makeDirectories(log)
    guard start == .lines || start == .torn else { return }
    let process = Appender(store, log)
    try process.append([0])
    guard start == .torn else { return }
    let path = "\(StoreLayout.control)/\(log)/\(first.fileName)"
    try machine.write(Array(Appender.line(99).prefix(600)), to: path, .append)
  }

  func run(_ machine: SimulatedMachine) throws {
    if start == .failingSync { machine.disk.failSync(after: failingSync) }
    let one = Appender(try machine.store(machine.process()), log)
    let other = Appender(try machine.store(machine.process()), log)
    for (process, numbers) in [(one, [1]), (one, [2, 3, 4]), (other, [5]), (one, [6])] {
      try append(numbers, by: process, machine)
    }
    one.beginsSegment = true
    try append([7], by: one, machine)
    one.beginsSegment = false
    try append([8], by: other, machine)
  }

  private func append(_ numbers: [Int], by process: Appender, _ machine: SimulatedMachine) throws {
    do {
      try process.append(numbers)
    } catch StorageError.failed(_, .segmentDead) {
      // As every writer does: once more, to the next segment.
      try process.append(numbers)
    }
    for number in numbers { machine.disk.acknowledge("\(number)") }
  }

  /// The next process goes on where the log ends.
  func recover(_ machine: SimulatedMachine) throws {
    let number = 1000 + Int(machine.seed)
    try Appender(try machine.store(machine.process()), log).append([number])
    machine.disk.acknowledge("\(number)")
  }

  func violation(
    _ machine: SimulatedMachine, _ acknowledged: Set<String>, isRecovered: Bool
  ) throws -> Violation? {
    var reader = SegmentReader(
      try machine.store(machine.process()), directory: log, epochs: !isJournal)
    let arrival = try reader.read()
    var found: [String: Int] = [:]
    for batch in arrival.batches {
      for range in batch.lines {
        guard LineSeal.verify(batch.bytes[range]) != nil else { continue }
        found[Appender.number(of: batch.bytes[range]), default: 0] += 1
      }
    }
    var expected = acknowledged
    if start == .lines || start == .torn { expected.insert("0") }
    for number in expected where found[number] == nil {
      return Violation(.lostWrite, "line \(number) was acknowledged and cannot be read")
    }
    let twice = found.filter { $0.value > 1 && $0.key != "head" }
    if start != .failingSync, let double = twice.first {
      return Violation(.lostWrite, "line \(double.key) is there \(double.value) times")
    }
    return arrival.problems.first.map { Violation(.unreadable, "\($0)") }
  }
}

/// A process that writes and follows one log.
private final class Appender: LogFollower {
  let log: SegmentLog
  var reader: SegmentReader
  var beginsSegment = false
  private let epoch: UInt32?

  init(_ store: StoreDirectory, _ directory: String) {
    let isJournal = directory.hasSuffix("journal")
    epoch = isJournal ? nil : 1
    log = SegmentLog(store, directory: directory, lock: StoreLayout.lock("node"))
    reader = SegmentReader(store, directory: directory, epochs: !isJournal)
  }

  func take(_ arrival: Arrival) {}
  func catchUp() throws(StorageError) { _ = try reader.read() }

  func append(_ numbers: [Int]) throws(StorageError) {
    let lines = numbers.flatMap(Self.line)
    let header = Self.sealed("{\"head\":1}")
    // Nobody else is alive, so a lock that is held is stuck.
    try log.append(following: self, waitingMilliseconds: 0) { [epoch, beginsSegment] tail in
      guard let segment = tail.segment else {
        return .newSegment(SegmentName(epoch: epoch, number: 1), header: header, lines: lines)
      }
      guard tail.needsNewSegment || beginsSegment else { return .lines(lines) }
      return .newSegment(segment.next, header: header, lines: lines)
    }
  }

  /// Longer than a sector, so that it can be torn.
  static func line(_ number: Int) -> [UInt8] {
    sealed("{\"line\":\(number),\"text\":\"\(String(repeating: "x", count: 550))\"}")
  }

  private static func sealed(_ object: String) -> [UInt8] {
    var bytes = Array(object.utf8)
    LineSeal.seal(&bytes)
    return bytes
  }

  static func number(of line: ArraySlice<UInt8>) -> String {
    let digits = line.drop { !(0x30...0x39).contains($0) }.prefix { (0x30...0x39).contains($0) }
    return line.starts(with: "{\"head".utf8) ? "head" : String(decoding: digits, as: UTF8.self)
  }
}
