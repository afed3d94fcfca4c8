import Storage
import SystemCalls
import TestSupport
import Testing

/// Every single call of an append fails, once or from then on.
struct AppendFaultTests {
  private let first = SegmentName(epoch: 1, number: 1)

  /// Lines on the log already; with none the append makes the first segment.
  enum Start: String, CaseIterable, CustomTestStringConvertible {
    case nothing, lines, torn, linesOfOther

    var testDescription: String { rawValue }
  }

  private func append(_ text: String, to log: FollowedLog) throws -> Appended? {
    try log.append { tail in
      let lines = Array((text + "\n").utf8)
      guard let segment = tail.segment else {
        return .newSegment(first, header: Array("head\n".utf8), lines: lines)
      }
      guard tail.needsNewSegment else { return .lines(lines) }
      return .newSegment(segment.next, header: Array("head\n".utf8), lines: lines)
    }
  }

  private func prepared(_ start: Start) throws -> (StoreBench, FollowedLog?, Set<String>) {
    let bench = try StoreBench(isDurable: false)
    let log = bench.log()
    guard start != .nothing else { return (bench, log, []) }
    _ = try append("one", to: log)
    var known: Set = ["one"]
    if start == .torn { try bench.write("tor", to: first.fileName) }
    if start == .linesOfOther {
      _ = try append("other", to: bench.log())
      known.insert("other")
    }
    return (bench, log, known)
  }

  @Test(arguments: Start.allCases, [true, false])
  func `whichever call of an append fails, what was acknowledged is read`(
    start: Start, isLasting: Bool
  ) throws {
    for errno in ReplaceFaultTests.errors {
      var fault = 0
      while true {
        fault += 1
        var (bench, process, known) = try prepared(start)
        let (count, at) = (Guarded(0), Guarded(""))
        bench.system.hook.withLock { [fault] in
          $0 = { call, name in
            let now = count.withLock { count in
              count += 1
              return count
            }
            if now == fault { at.withLock { $0 = "call \(fault) (\(call) \(name)) with \(errno)" } }
            return (isLasting ? now >= fault : now == fault) ? errno : nil
          }
        }
        if let log = process, try appended("two", to: log) { known.insert("two") }
        bench.system.hook.withLock { $0 = nil }
        if isLasting {
          process = nil
        } else if let log = process {
          #expect(try append("three", to: log) != nil, "it goes on after \(at.withLock { $0 })")
          known.insert("three")
        }
        // Another process, and then a reader.
        let later = FollowedLog(bench)
        _ = try append("four", to: later)
        known.insert("four")
        try check(bench, start, known, at.withLock { $0 })
        if count.withLock({ $0 }) < fault { break }
        guard fault < 100 else {
          Issue.record("the fault loop does not end")
          break
        }
      }
      #expect(fault > 5)
    }
  }

  /// Whether it was acknowledged.
  private func appended(_ text: String, to log: FollowedLog) throws -> Bool {
    do {
      return try append(text, to: log) != nil
    } catch let error as StorageError {
      guard case .failed = error else { throw error }
      return false
    }
  }

  private func check(
    _ bench: StoreBench, _ start: Start, _ known: Set<String>, _ at: String
  ) throws {
    var reader = bench.reader()
    let arrival = try reader.read()
    let lines = arrival.texts.filter { $0 != "head" }
    #expect(known.isSubset(of: lines), "\(lines) at \(at)")
    let allowed = known.union(start == .torn ? ["two", "tor "] : ["two"])
    #expect(Set(lines).isSubset(of: allowed), "\(lines) at \(at)")
    #expect(Set(lines).count == lines.count, "\(lines) at \(at)")
    #expect(arrival.problems.isEmpty, "\(arrival.problems) at \(at)")
    #expect(bench.system.openCount.withLock { $0 } <= 12, "descriptor leak at \(at)")
  }
}
