import LosslessJSON
import Merging
import Storage

/// The lines of a segment without the values that nobody needs; docs/FORMAT.md section 3.9.
///
/// A folded line keeps its place in the chain: `was` is the sum that it had, by which it is known.
struct LogFolding {
  /// The operations to fold, by the line of their transaction and their place in it.
  let folded: [LineHash: Set<Int>]

  /// The folded segment; nil where nothing of it is to be folded. What is no whole line of ours stays
  /// as it is.
  func fold(_ segment: [UInt8]) -> (bytes: [UInt8], values: Int)? {
    var result: [UInt8] = []
    var values = 0
    // Of a transaction in parts only the last line tells which one it is.
    var waiting: [Line] = []
    for range in segment.lineRanges {
      guard let line = Line(Array(segment[range])) else {
        result += segment[range] + [UInt8(ascii: "\n")]
        continue
      }
      waiting.append(line)
      guard !line.isPart else { continue }
      let operations = folded[line.hash] ?? []
      var first = 0
      for line in waiting {
        let next = line.fold(operations, from: first)
        values += next.values
        result += next.bytes
        first += line.operations.count
      }
      waiting = []
    }
    for line in waiting { result += line.bytes + [UInt8(ascii: "\n")] }
    return values == 0 ? nil : (result, values)
  }

  /// The lines of a segment by the sums that they had before anything was folded.
  static func identities(_ segment: [UInt8]) -> Set<LineHash> {
    Set(segment.lineRanges.compactMap { Line(Array(segment[$0]))?.hash })
  }

  /// One line whose sum fits.
  private struct Line {
    let bytes: [UInt8]
    let hash: LineHash
    let isPart: Bool
    /// Where the operations lie in `bytes`, and the path of each one that writes a value.
    private(set) var operations: [(range: Range<Int>, path: JSONPointer?)] = []
    private let isFolded: Bool

    /// Nil where it is no line of ours.
    init?(_ bytes: [UInt8]) {
      // A fragment that a crash left is no JSON.
      guard let sum = LineSeal.verify(bytes),
        let root = try? JSONTree(parsing: bytes, limits: .around).root
      else { return nil }
      self.bytes = bytes
      isPart = root.field("part") != nil
      let was = root.field("was").flatMap { Hex.value(of: $0.text.bytes.dropFirst().dropLast()) }
      isFolded = was != nil
      hash = LineHash(raw: was ?? sum)
      for place in elements(of: root.field("ops")) {
        for record in elements(of: third(of: place)) {
          for operation in elements(of: third(of: record)) {
            // A path is empty or begins with a slash; the signs of other operations are no pointers.
            let path = try? operation.elements.first { _ in true }?.pointer()
            operations.append((operation.range, path))
          }
        }
      }
    }

    private func elements(of node: JSONNode?) -> [JSONNode] {
      node.map { Array($0.elements) } ?? []
    }

    private func third(of node: JSONNode) -> JSONNode? {
      node.elements.dropFirst(2).first { _ in true }
    }

    func fold(_ ordinals: Set<Int>, from first: Int) -> (bytes: [UInt8], values: Int) {
      let places = operations.indices.filter {
        ordinals.contains(first + $0) && operations[$0].path != nil
      }
      guard !places.isEmpty else { return (bytes + [UInt8(ascii: "\n")], 0) }
      var folded: [UInt8] = []
      var end = 0
      for place in places {
        let (range, path) = operations[place]
        guard let path else { continue }
        folded += bytes[end..<range.lowerBound]
        var operation = LineBuilder()
        operation.openArray()
        operation.string("~")
        operation.pointer(path)
        operation.closeArray()
        folded += operation.bytes
        end = range.upperBound
      }
      // Without `,"sum":"…"}`, which is the same in length for every line.
      folded += bytes[end..<(bytes.count - sealBytes)]
      if !isFolded { folded += Array(#","was":"\#(Hex.string(hash.raw))""#.utf8) }
      folded.append(UInt8(ascii: "}"))
      LineSeal.seal(&folded)
      return (folded, places.count)
    }
  }
}

/// The bytes of `,"sum":"` + 16 digits + `"}`.
private let sealBytes = 26

extension [UInt8] {
  /// Complete lines, without their newlines and without empty ones.
  fileprivate var lineRanges: [Range<Int>] {
    var ranges: [Range<Int>] = []
    var start = 0
    for index in indices where self[index] == UInt8(ascii: "\n") {
      if index > start { ranges.append(start..<index) }
      start = index + 1
    }
    return ranges
  }
}
