/// The text between two tokens of a container: white space, comments, at most one comma.
struct JSONGap {
  let bytes: [UInt8]
  private(set) var comma: Int?
  private(set) var hasComment = false
  /// Whether a newline is needed before any token that follows.
  private(set) var endsInLineComment = false
  /// The starts of line ends that are not inside a block comment.
  private(set) var newlines: [Int] = []

  init(_ bytes: some Sequence<UInt8>) {
    self.bytes = Array(bytes)
    var index = 0
    while index < self.bytes.count {
      switch self.bytes[index] {
      case UInt8(ascii: "/"):
        index = skipComment(index)
        continue
      case UInt8(ascii: ","):
        comma = index
      case 0x0D where index + 1 < self.bytes.count && self.bytes[index + 1] == 0x0A:
        newlines.append(index)
        index += 1
      case 0x0A, 0x0D:
        newlines.append(index)
      default:
        break
      }
      index += 1
    }
  }

  private mutating func skipComment(_ start: Int) -> Int {
    hasComment = true
    var index = start + 2
    if start + 1 < bytes.count, bytes[start + 1] == UInt8(ascii: "*") {
      while index + 1 < bytes.count,
        bytes[index] != UInt8(ascii: "*") || bytes[index + 1] != UInt8(ascii: "/")
      {
        index += 1
      }
      return index + 2
    }
    while index < bytes.count, bytes[index] != 0x0A, bytes[index] != 0x0D { index += 1 }
    endsInLineComment = index >= bytes.count
    return index
  }

  /// The text without its comma.
  var withoutComma: [UInt8] {
    guard let comma else { return bytes }
    return Array(bytes[..<comma] + bytes[(comma + 1)...])
  }

  /// The last newline and the white space behind it, nil where the gap is on one line.
  var lineStart: [UInt8]? {
    newlines.last.map { newline in Array(bytes[newline...].prefix(while: Self.isSpace)) }
  }

  /// The first line end.
  var firstNewline: [UInt8]? {
    newlines.first.map { bytes[$0] == 0x0D && bytes[$0...].count > 1 ? [0x0D, 0x0A] : [bytes[$0]] }
  }

  /// The text that separates two siblings without the comments in it, nil where there is no comma.
  var separator: [UInt8]? {
    guard comma != nil else { return nil }
    guard hasComment else { return bytes }
    return [UInt8(ascii: ",")] + (lineStart ?? [0x20])
  }

  /// Cuts before the line end that follows the comma, or the start where there is none.
  ///
  /// What stands before the cut belongs to the token before the gap, comments on its line included.
  var cut: (head: [UInt8], tail: [UInt8]) {
    let start = comma.map { $0 + 1 } ?? 0
    let place = newlines.first { $0 >= start } ?? start
    return (Array(bytes[..<place]), Array(bytes[place...]))
  }

  static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  /// What is left between two tokens when everything between these gaps has been removed.
  ///
  /// - Parameters:
  ///   - gaps: the gaps around and between the removed children, in order; at least two.
  ///   - isFirst: whether the opening bracket is before the gaps.
  ///   - isLast: whether the closing bracket is behind the gaps.
  static func merging(_ gaps: [JSONGap], isFirst: Bool, isLast: Bool) -> JSONGap {
    guard let first = gaps.first, let last = gaps.last else { return JSONGap([]) }
    let comments = gaps.map { $0.hasComment ? $0.commentsOnly : [] }
    let line = gaps.lazy.compactMap(\.lineStart).first ?? [0x0A]
    var output: [UInt8]
    if !isLast {
      output = first.bytes
      guard comments.contains(where: { !$0.isEmpty }) else {
        // What stood before the next child still does, unless that moves it up to another line.
        return !isFirst && (first.newlines.isEmpty || !last.newlines.isEmpty) ? last : first
      }
      guard comments.dropFirst().contains(where: { !$0.isEmpty }) else { return JSONGap(output) }
      for part in comments.dropFirst() { append(part, to: &output, line) }
      // The next child stands where it stood.
      append(last.lineStart ?? first.lineStart ?? [0x20], to: &output, line)
    } else {
      output = first.hasComment ? Array(first.leadingSpace) + comments[0] : []
      for part in comments.dropFirst().dropLast() { append(part, to: &output, line) }
      if isFirst && output.isEmpty && !last.hasComment { return JSONGap([]) }
      append(isFirst ? last.withoutComma : last.bytes, to: &output, line)
    }
    if JSONGap(output).endsInLineComment { output.append(0x0A) }
    return JSONGap(output)
  }

  private var leadingSpace: ArraySlice<UInt8> { withoutComma.prefix(while: Self.isSpace) }

  /// The comments and what is between them.
  private var commentsOnly: [UInt8] {
    let start = withoutComma.drop(while: Self.isSpace)
    return Array(start.reversed().drop(while: Self.isSpace).reversed())
  }

  /// Appends text; behind a line comment on a new line, which starts as the given one.
  private static func append(_ part: [UInt8], to output: inout [UInt8], _ line: [UInt8]) {
    guard let next = part.first else { return }
    if JSONGap(output).endsInLineComment && next != 0x0A && next != 0x0D {
      output += line
      output += part.drop { $0 == 0x20 || $0 == 0x09 }
      return
    }
    if output.last.map(isSpace) == false && !isSpace(next) { output.append(0x20) }
    output += part
  }
}
