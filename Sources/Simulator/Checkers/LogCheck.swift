import Storage
import SystemCalls

/// That logs and journals only grow, that nothing in them is there twice, and that what was acknowledged stays.
struct LogCheck {
  /// By machine and file, what was there when it was looked at last.
  private var known: [String: [UInt8]] = [:]
  /// By node, epoch and sequence, the line that has this label.
  private var lines: [String: ArraySlice<UInt8>] = [:]
  /// By machine, the labels of the lines in each file.
  private var labels: [Int: [String: Set<String>]] = [:]
  /// By machine, the labels of lines that a command wrote which said that it was done.
  private var acknowledged: [Int: Set<String>] = [:]
  private var mayFork = false

  /// Somebody put back an older state of a log.
  mutating func forgive() {
    (known, labels, acknowledged) = ([:], [:], [:])
    mayFork = true
  }

  /// Looks at the files of a machine's own nodes.
  ///
  /// - Parameters:
  ///   - mayLose: the end of a log may be gone.
  ///   - isPacked: segments may be in archives, into which nobody looks here.
  mutating func check(_ machine: Machine, mayLose: Bool, isPacked: Bool) throws {
    let before = labels[machine.number] ?? [:]
    labels[machine.number] = [:]
    for node in try machine.ownNodes() {
      for folder in [StoreLayout.log(node), StoreLayout.journal(node)] {
        let directory = Machine.control.appending(folder)
        for name in try machine.files.names(directory) where name.hasSuffix(".jsonl") {
          guard let bytes = try machine.files.bytes(directory.appending(name)) else { continue }
          let place = "\(machine.number) \(folder)/\(name)"
          let found = try look(bytes, at: place, node, before[place] ?? [], mayLose: mayLose)
          labels[machine.number]?[place] = found
        }
      }
    }
    if mayFork || isPacked { return }
    let all = (labels[machine.number] ?? [:]).values.reduce(into: Set()) { $0.formUnion($1) }
    if let lost = acknowledged[machine.number]?.subtracting(all).min() {
      throw Violation(.logs, "the line \(lost) was acknowledged and is gone")
    }
    if machine.hasSucceeded {
      let older = before.values.reduce(into: Set()) { $0.formUnion($1) }
      acknowledged[machine.number, default: []].formUnion(all.subtracting(older))
      machine.hasSucceeded = false
    }
  }

  /// - Returns: the labels of the lines in the file.
  private mutating func look(
    _ bytes: [UInt8], at place: String, _ node: String, _ labels: Set<String>, mayLose: Bool
  ) throws -> Set<String> {
    var before = known[place] ?? []
    var labels = labels
    known[place] = bytes
    if before.count > bytes.count || !bytes.starts(with: before) {
      guard mayLose else {
        throw Violation(.logs, "\(place) was \(before.count) bytes and is another one now")
      }
      (before, labels) = ([], [])
    }
    guard !mayFork, let segment = place.split(separator: "/").last?.prefix(8),
      place.contains("/log/")
    else { return labels }
    // What has no end is no line yet.
    let newline = UInt8(ascii: "\n")
    let start = before.lastIndex(of: newline).map { $0 + 1 } ?? 0
    let end = max(start, bytes.lastIndex(of: newline) ?? 0)
    for line in bytes[start..<end].split(separator: newline) {
      if let label = try note(line, of: "\(node).\(segment)") { labels.insert(label) }
    }
    return labels
  }

  /// Only whole lines of transactions have a label: writer and sequence.
  private mutating func note(_ line: ArraySlice<UInt8>, of writer: String) throws -> String? {
    let start = Array(#"{"n":"#.utf8)
    // Of a line that was written once more, since its sync failed, a power cut may damage the first one.
    guard line.starts(with: start), LineSeal.verify(line) != nil else { return nil }
    let sequence = line.dropFirst(start.count).prefix { $0 != UInt8(ascii: ",") }
    let label = "\(writer).\(String(decoding: sequence, as: UTF8.self))"
    if let other = lines[label], other != line {
      throw Violation(.logs, "two lines have the label \(label)")
    }
    lines[label] = line
    return label
  }
}
