import LosslessJSON
import MergeModel

/// The operations that stand in logs, read by docs/FORMAT.md alone, for the model of merging.
///
/// Nil where the logs have something that the model does not know: forks, retirements, values of several lines.
struct LogModel {
  typealias Model = BruteForceModel

  private struct Line {
    let node: String
    let epoch: Int
    let sequence: Int
    let sum: String
    let root: JSONNode
    var writer: String { "\(node).\(epoch)" }
  }

  /// By id, what was written of a record of the collection, with the number of its transaction.
  private(set) var records: [[UInt8]: [Model.Author]] = [:]
  /// The sums of all transactions, in the order of their numbers.
  private(set) var sums: [String] = []
  /// An operation that has no greater stamp than what its author had seen there.
  private(set) var unraised: String?

  private var seen: [Int: Set<Int>] = [:]
  private var numbers: [String: Int] = [:]
  private var byWriter: [String: [Int]] = [:]
  private var nodes: [String: Int] = [:]

  /// - Parameter logs: by the path below `nodes/`, what each log has.
  init?(_ logs: [(path: String, bytes: [UInt8])], document: String) {
    var lines: [String: Line] = [:]
    for log in logs {
      guard let found = Self.lines(of: log) else { return nil }
      for line in found { lines[line.sum] = line }
    }
    // Of equal class and stamp the rank is that of node, client, epoch and sequence.
    let sorted = lines.values.sorted {
      ($0.node, Self.client($0), $0.epoch, $0.sequence)
        < ($1.node, Self.client($1), $1.epoch, $1.sequence)
    }
    for node in Set(sorted.map(\.node)).sorted() { nodes[node] = nodes.count }
    for (number, line) in sorted.enumerated() {
      sums.append(line.sum)
      numbers[line.sum] = number
    }
    for (writer, own) in Dictionary(grouping: sorted, by: \.writer) {
      let chain = own.sorted { $0.sequence < $1.sequence }
      guard chain.map(\.sequence) == Array(1...chain.count) else { return nil }
      byWriter[writer] = chain.compactMap { numbers[$0.sum] }
    }
    for (number, line) in sorted.enumerated() {
      guard let context = context(of: line, number, sorted) else { return nil }
      seen[number] = context
    }
    for (number, line) in sorted.enumerated() {
      guard add(line, number, document) else { return nil }
    }
    checkStamps()
  }

  private static func client(_ line: Line) -> String {
    line.root.member("client")?.string ?? ""
  }

  /// The transactions of one file; nil where something stands there that this does not know.
  private static func lines(of log: (path: String, bytes: [UInt8])) -> [Line]? {
    let parts = log.path.split(separator: "/").map(String.init)
    guard parts.count == 3, parts[1] == "log" else { return [] }
    guard let epoch = Int(parts[2].prefix(8)), parts[2].hasSuffix(".jsonl") else { return nil }
    var found: [Line] = []
    // What follows the last newline is no line, and none is what a blank was put behind.
    let whole = log.bytes.prefix(log.bytes.lastIndex(of: UInt8(ascii: "\n")) ?? 0)
    for text in whole.split(separator: UInt8(ascii: "\n")) where text.last != UInt8(ascii: " ") {
      guard let root = (try? JSONTree(parsing: Array(text)))?.root, root.member("segment") == nil
      else { continue }
      guard let sequence = root.member("n")?.text.intValue, let sum = root.member("sum")?.string,
        root.member("parts") == nil, root.member("retires") == nil, root.member("gaps") == nil
      else { return nil }
      found.append(
        Line(node: parts[0], epoch: epoch, sequence: sequence, sum: sum, root: root))
    }
    return found
  }

  /// Everything that the author had seen (docs/FORMAT.md 3.4).
  private mutating func context(of line: Line, _ number: Int, _ lines: [Line]) -> Set<Int>? {
    if let known = seen[number] { return known }
    let before = (byWriter[line.writer] ?? []).prefix(line.sequence - 1)
    var found: Set<Int> = []
    let whole = line.root.member("context")
    if whole == nil {
      // The knowledge: what earlier transactions of the writer had seen, and they themselves.
      for earlier in before {
        guard let context = context(of: lines[earlier], earlier, lines) else { return nil }
        seen[earlier] = context
        found.formUnion(context.union([earlier]))
      }
    }
    let vector = whole?.member("writers") ?? line.root.member("seen")
    for (writer, reach) in vector?.members.map({ ($0.key.string, Array($0.value.elements)) }) ?? []
    {
      guard let last = reach.first?.text.intValue, let chain = byWriter[writer], last <= chain.count
      else { return nil }
      found.formUnion(chain.prefix(last))
    }
    for single in whole?.member("singles")?.lists ?? [] {
      guard single.count == 3, let sum = single[2].string, let other = numbers[sum] else {
        return nil
      }
      found.insert(other)
    }
    return found
  }

  // MARK: - Operations

  private mutating func add(_ line: Line, _ number: Int, _ document: String) -> Bool {
    let stamp = line.root.member("t")?.string.flatMap { UInt64($0, radix: 16) } ?? 0
    for group in line.root.member("ops")?.lists ?? [] {
      guard group.count == 3, group[0].string == document, group[1].kind == .string else {
        continue
      }
      for record in group[2].lists {
        guard record.count == 3, let incarnation = incarnation(record[1], number) else {
          return false
        }
        for operation in record[2].elements {
          guard let author = author(Array(operation.elements), incarnation, number, line, stamp)
          else {
            return false
          }
          records[Array(record[0].text.bytes), default: []].append(author)
        }
      }
    }
    return true
  }

  /// Which creation; `.some(nil)` is that of all adoptions.
  private func incarnation(_ node: JSONNode, _ number: Int) -> Int?? {
    if let count = node.text.intValue { return .some(count == 0 ? nil : number) }
    guard let sum = node.string, let other = numbers[String(sum.prefix(16))] else {
      return nil
    }
    return .some(other)
  }

  private func author(
    _ operation: [JSONNode], _ incarnation: Int?, _ number: Int, _ line: Line, _ stamp: UInt64
  ) -> Model.Author? {
    guard let sign = operation.first?.string else { return nil }
    let plain = ["x": 1, "+": 4][sign] ?? 2
    let options = operation.count > plain ? operation[plain] : nil
    guard options?.member("quoted") == nil else { return nil }
    let own = options?.member("t")?.string.flatMap { UInt64($0, radix: 16) }
    var write = Model.Write(
      kind: .set, incarnation: incarnation, path: [], value: nil,
      rankClass: options?.member("class")?.text.intValue ?? 2)
    switch sign {
    case "x": (write.kind, write.incarnation) = (.delete, nil)
    case "@": (write.kind, write.value) = (.move, .scalar(operation[1].text.description))
    case "+": (write.kind, write.value) = (.create, Self.value(operation[1]))
    case "-": write.path = Self.path(operation[1])
    default: (write.path, write.value) = (Self.path(operation[0]), Self.value(operation[1]))
    }
    return Model.Author(
      number: number, node: nodes[line.node] ?? 0, seen: seen[number] ?? [], stamp: own ?? stamp,
      write: write)
  }

  private static func path(_ pointer: JSONNode) -> [String] {
    (pointer.string ?? "").split(separator: "/").map(String.init)
  }

  static func value(_ node: JSONNode) -> Model.Value {
    guard node.kind == .object else { return .scalar(node.text.description) }
    return .object(
      Dictionary(
        node.members.map { ($0.key.string, value($0.value)) }, uniquingKeysWith: { $1 }))
  }

  /// What is written on purpose over something else has the greater stamp, however wrong the clocks.
  private mutating func checkStamps() {
    for (id, authors) in records {
      for later in authors where later.write.kind == .set {
        for earlier in authors
        where later.seen.contains(earlier.number) && earlier.write.kind == .set
          && earlier.write.path == later.write.path
          && earlier.write.incarnation == later.write.incarnation && earlier.stamp >= later.stamp
        {
          unraised =
            "\(String(decoding: id, as: UTF8.self)) /\(later.write.path) of \(sums[later.number])"
        }
      }
    }
  }
}

extension JSONNode {
  /// Its elements, each as the list of its own.
  fileprivate var lists: [[JSONNode]] { elements.map { Array($0.elements) } }
}
