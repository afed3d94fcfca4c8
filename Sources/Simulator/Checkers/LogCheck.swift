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
    let before = known[place] ?? []
    known[place] = bytes
    guard !mayLose, before.count <= bytes.count, bytes.starts(with: before) else {
      if mayLose { return }
      throw Violation(.logs, "\(place) was \(before.count) bytes and is another one now")
    }
    guard place.contains("/log/"), !mayFork else { return }
    for line in bytes[before.count...].split(separator: UInt8(ascii: "\n")) {
      try note(line, of: node)
    }
  }

  /// Only whole lines of transactions have a label.
  private mutating func note(_ line: ArraySlice<UInt8>, of node: String) throws {
    guard line.first == UInt8(ascii: "{"), line.last == UInt8(ascii: "}") else { return }
    let text = String(decoding: line.prefix(200), as: UTF8.self)
    guard let sequence = Self.member("seq", text), let epoch = Self.member("epoch", text) else {
      return
    }
    let label = "\(node) \(epoch) \(sequence)"
    if let other = lines[label], other != line {
      throw Violation(.logs, "two lines have the label \(label)")
    }
    lines[label] = line
  }

  private static func member(_ name: String, _ text: String) -> Substring? {
    text.split(separator: "\"\(name)\":").dropFirst().first?.prefix { $0.isNumber }
  }
}
