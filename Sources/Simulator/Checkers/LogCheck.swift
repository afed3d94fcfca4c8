import Storage
import SystemCalls

/// That logs and journals only grow, and that nothing in them is there twice.
struct LogCheck {
  /// By machine and file, what was there when it was looked at last.
  private var known: [String: [UInt8]] = [:]
  /// By node, epoch and sequence, the line that has this label.
  private var lines: [String: ArraySlice<UInt8>] = [:]
  private var mayFork = false

  /// Somebody put back an older state of a log.
  mutating func forgive() {
    known = [:]
    mayFork = true
  }

  /// Looks at the files of a machine's own nodes.
  mutating func check(_ machine: Machine, mayLose: Bool) throws {
    for node in try machine.ownNodes() {
      for folder in [StoreLayout.log(node), StoreLayout.journal(node)] {
        let directory = Machine.control.appending(folder)
        for name in try machine.files.names(directory) where name.hasSuffix(".jsonl") {
          guard let bytes = try machine.files.bytes(directory.appending(name)) else { continue }
          try look(bytes, at: "\(machine.number) \(folder)/\(name)", node, mayLose: mayLose)
        }
      }
    }
  }

  private mutating func look(
    _ bytes: [UInt8], at place: String, _ node: String, mayLose: Bool
  ) throws {
    var before = known[place] ?? []
    known[place] = bytes
    if before.count > bytes.count || !bytes.starts(with: before) {
      guard mayLose else {
        throw Violation(.logs, "\(place) was \(before.count) bytes and is another one now")
      }
      before = []
    }
    guard !mayFork, let segment = place.split(separator: "/").last?.prefix(8),
      place.contains("/log/")
    else { return }
    for line in bytes[before.count...].split(separator: UInt8(ascii: "\n")) {
      try note(line, of: "\(node).\(segment)")
    }
  }

  /// Only whole lines of transactions have a label: writer and sequence.
  private mutating func note(_ line: ArraySlice<UInt8>, of writer: String) throws {
    let start = Array(#"{"n":"#.utf8)
    guard line.starts(with: start), line.suffix(25).starts(with: #""sum":""#.utf8) else { return }
    let sequence = line.dropFirst(start.count).prefix { $0 != UInt8(ascii: ",") }
    let label = "\(writer).\(String(decoding: sequence, as: UTF8.self))"
    if let other = lines[label], other != line {
      throw Violation(.logs, "two lines have the label \(label)")
    }
    lines[label] = line
  }

  /// How many labels were seen.
  var count: Int { lines.count }
}
