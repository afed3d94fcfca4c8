import Merging

/// A text that lies in memory.
final class MemoryText: TextSource {
  var bytes: [UInt8] = []
  /// From here on nothing can be read.
  var isBroken = false

  func text(_ range: Range<UInt64>) -> [UInt8]? {
    isBroken ? nil : Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
  }
}

/// A checkpoint in memory: it takes in states and gives back what was read from their tables.
struct MemoryCheckpoint {
  let text = MemoryText()
  private var offsets: [UInt64] = [0]
  private var tables: [UInt8] = []

  /// Keeps a state that was read from here, or that goes on from nothing.
  mutating func keep(_ state: MergeState) {
    state.writeOperations(from: offsets.count - 1) { written in
      text.bytes += written.bytes
      offsets.append(UInt64(text.bytes.count))
    }
    var table = TableWriter()
    state.writeTables(to: &table, offsets: offsets)
    tables = table.bytes
  }

  func read(rules: MergeRules) throws -> MergeState {
    var table = TableReader(tables[...])
    let state = try MergeState(tables: &table, rules: rules, source: text)
    guard table.isAtEnd else { throw TableError() }
    return state
  }

  /// The state as another process reads it.
  static func copy(of state: MergeState, rules: MergeRules? = nil) throws -> MergeState {
    var checkpoint = MemoryCheckpoint()
    checkpoint.keep(state)
    return try checkpoint.read(rules: rules ?? state.rules)
  }
}
