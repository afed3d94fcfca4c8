import Glibc
import LosslessJSON
import Merging
import SystemCalls
import TestSupport
import Testing

@testable import MergeModel

/// The same worlds through the engine and through `Fixtures/merge_model.py`, a model of the rules
/// in another language.
@Suite struct ReferenceModelTests {
  static let hasPython = system("python3 -c '' 2>/dev/null") == 0

  /// Worlds of three writes, as many as the short tests have, and random ones of eight.
  static func worlds() -> [SmallWorld] {
    var worlds: [SmallWorld] = []
    let alphabets: [((String) -> [SmallWorld.Act], Int)] = [
      (SmallWorldTests.creating, 3), (SmallWorldTests.nested, 1), (SmallWorldTests.full, 19),
    ]
    for (acts, stride) in alphabets {
      for walls in [[1, 4, 7], [7, 4, 1], [4, 7, 1]] as [[UInt64]] {
        var count = 0
        _ = SmallWorldTests.forEachWorld(acts, count: 3, walls: walls) { world in
          count += 1
          if count % stride == 0 { worlds.append(world) }
          return true
        }
      }
    }
    return worlds
      + (0..<300).map { SmallStep.world(SmallWorldTests.randomWorlds.history(seed: $0)) }
  }

  /// What the other model says of each world.
  static func answers(_ worlds: [SmallWorld]) throws -> [JSONNode] {
    let scratch = try ScratchDirectory()
    let text = worlds.map { $0.json + "\n" }.joined()
    try scratch.open().open("worlds", [.write, .create]).write(Array(text.utf8))
    let script = "\(#filePath)".replacing(
      "ReferenceModelTests.swift", with: "Fixtures/merge_model.py")
    let file = scratch.path.appending("worlds").string
    let pipe = try #require(popen("exec python3 '\(script)' '\(file)'", "re"))
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while case let count = fread(&buffer, 1, buffer.count, pipe), count > 0 {
      output += buffer[..<count]
    }
    try #require(pclose(pipe) == 0)
    return try output.split(separator: UInt8(ascii: "\n")).map {
      try JSONTree(parsing: JSONText(unchecked: Array($0))).root
    }
  }

  @Test(.enabled(if: hasPython, "python3 is missing"))
  func `small worlds have the state and the journal of the model in Python`() throws {
    let worlds = Self.worlds()
    #expect(worlds.count > 2000)
    let answers = try Self.answers(worlds)
    try #require(answers.count == worlds.count)
    for (world, answer) in zip(worlds, answers) {
      let state = SmallWorld.state(world.transactions)
      let shown = state.views(at: SmallWorld.address).first.flatMap(SmallWorld.value)
      let expected = answer.member("state").flatMap { $0.kind == .null ? nil : $0 }
      let entries = try #require(answer.member("journal")).elements.map { entry in
        entry.elements.map { node in node.text.description.filter { $0 != " " } }
      }
      let found = Set(SmallWorld.entries(state).map(\.words))
      let isSame = shown == expected.map(SmallWorld.value) && found == Set(entries)
      guard !isSame else { continue }
      Issue.record(
        """
        the engine shows \(shown?.json ?? "none"), \(found.subtracting(entries)) more
        the model \(answer.text), \(Set(entries).subtracting(found)) more
        \(world.description)
        """)
      return
    }
  }
}

extension SmallWorld {
  /// As the other model reads it.
  var json: String {
    let list = authors.map { author in
      let write = author.write
      return #"{"node":\#(author.node),"stamp":\#(author.stamp),"seen":\#(author.seen.sorted())"#
        + #","kind":"\#(write.kind)","class":\#(write.rankClass),"path":\#(write.path)"#
        + #","incarnation":\#(write.incarnation.map { "\($0)" } ?? "null")"#
        + (write.value.map { #","value":\#($0.json)"# } ?? "") + "}"
    }
    return "[" + list.joined(separator: ",") + "]"
  }
}

extension BruteForceModel.Entry {
  /// Kind, loser and path as JSON texts.
  var words: [String] {
    let place = path.map { path in "[" + path.map { "\"\($0)\"" }.joined(separator: ",") + "]" }
    return ["\"\(kind.rawValue)\"", "\(loser)", place ?? "null"]
  }
}
