import LosslessJSON

/// What was found over many histories under one level of evidence.
struct Tally {
  let level: EvidenceLevel
  private(set) var histories = 0
  private(set) var imports = 0
  private(set) var withRightBase = 0
  private(set) var withBase = 0
  private(set) var withError = 0
  private(set) var needlessConflicts = 0
  private(set) var doubts = 0
  private(set) var counts: [Finding.Kind: (withLine: Int, withoutLine: Int)] = [:]
  private var forbidden: [Finding.Kind: Int] = [:]
  /// Seeds of histories that broke a must by themselves, the first ones.
  private(set) var failures: [UInt64] = []
  /// Seeds of histories with an error of any kind, the first ones.
  private(set) var erroneous: [UInt64] = []
  private static let failuresMax = 20

  init(level: EvidenceLevel) { self.level = level }

  mutating func add(_ history: History) {
    histories += 1
    var lost = 0
    for done in history.imports {
      imports += 1
      if let isRight = done.hasRightBase {
        withBase += 1
        if isRight { withRightBase += 1 }
      }
      if done.findings.contains(where: \.isError) { withError += 1 }
      needlessConflicts += done.needlessConflicts
      doubts += done.doubts
      for finding in done.findings {
        if finding.hasLine {
          counts[finding.kind, default: (0, 0)].withLine += 1
        } else {
          counts[finding.kind, default: (0, 0)].withoutLine += 1
        }
        if Self.isForbidden(finding) {
          lost += 1
          forbidden[finding.kind, default: 0] += 1
        }
      }
    }
    let isWrong = history.imports.contains { $0.findings.contains(where: \.isError) }
    if isWrong, erroneous.count < Self.failuresMax { erroneous.append(history.seed) }
    if lost > 0, failures.count < Self.failuresMax { failures.append(history.seed) }
  }

  /// Whether a value was lost without a trace: one that was shown, or one that was written.
  private static func isForbidden(_ finding: Finding) -> Bool {
    !finding.hasLine && !finding.isFound
  }

  func count(_ kind: Finding.Kind, hasLine: Bool) -> Int {
    let found = counts[kind] ?? (0, 0)
    return hasLine ? found.withLine : found.withoutLine
  }

  var errorRate: Double { imports == 0 ? 0 : Double(withError) / Double(imports) }
  var rightBaseRate: Double { withBase == 0 ? 0 : Double(withRightBase) / Double(withBase) }

  /// What must hold and does not, in words.
  var violations: [String] {
    guard level != .newest else { return [] }
    var found: [String] = []
    for kind in Finding.Kind.allCases {
      let count = forbidden[kind] ?? 0
      if count > 0 { found.append("\(level.rawValue): \(count) \(kind.rawValue) without an entry") }
    }
    if let limit = level.errorRateMax, errorRate > limit {
      found.append("\(level.rawValue): imports with an error \(percent(errorRate))")
    }
    return found
  }

  private func percent(_ rate: Double) -> String {
    let thousandths = Int((rate * 100_000).rounded())
    let rest = String(1000 + thousandths % 1000).dropFirst()
    return "\(thousandths / 1000).\(rest) %"
  }

  // MARK: - Output

  var lines: [String] {
    var lines = [
      "\(level.rawValue): \(imports) imports in \(histories) histories",
      "  right base                      \(percent(rightBaseRate))",
      "  imports with any error          \(percent(errorRate)) (\(withError))",
    ]
    for kind in Finding.Kind.allCases {
      let name = kind.rawValue + String(repeating: " ", count: 22 - kind.rawValue.utf8.count)
      lines.append(
        "  \(name)          \(count(kind, hasLine: true)) with an entry, "
          + "\(count(kind, hasLine: false)) without")
    }
    lines.append("  needless conflicts              \(needlessConflicts)")
    lines.append("  entries of doubt                \(doubts)")
    return lines
  }

  var json: String {
    var members = [
      "\"level\":\"\(level.rawValue)\"", "\"histories\":\(histories)", "\"imports\":\(imports)",
      "\"rightBaseRate\":\(rightBaseRate)", "\"importsWithError\":\(withError)",
      "\"errorRate\":\(errorRate)", "\"needlessConflicts\":\(needlessConflicts)",
      "\"doubts\":\(doubts)",
    ]
    for kind in Finding.Kind.allCases {
      members.append(
        "\"\(kind)\":{\"withEntry\":\(count(kind, hasLine: true)),"
          + "\"withoutEntry\":\(count(kind, hasLine: false))}")
    }
    return "{\(members.joined(separator: ","))}"
  }
}
