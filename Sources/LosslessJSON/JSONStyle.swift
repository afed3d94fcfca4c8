/// How a document is laid out: what stands between its tokens, and which escapes its writer uses.
package struct JSONStyle: Sendable, Hashable {
  package enum Newline: Sendable, Hashable {
    case lf
    case crlf

    package var bytes: [UInt8] { self == .lf ? [0x0A] : [0x0D, 0x0A] }
  }

  /// What stands between the brackets of a container without children.
  package enum EmptyContainer: Sendable, Hashable {
    /// Nothing: `{}`.
    case closed
    /// An empty line and the indentation, as Foundation prints it.
    case emptyLine
  }

  package var newline: Newline = .lf
  /// One step of indentation; nil where everything stands on one line.
  package var indent: [UInt8]?
  /// The nesting depth (1 for children of the root) from which containers stand on one line.
  package var inlineDepth: Int?
  /// The text between a name and its value.
  package var colon: [UInt8] = [UInt8(ascii: ":")]
  /// The white space behind a comma that does not end its line.
  package var commaSpace: [UInt8] = []
  /// The white space inside the braces of an object on one line.
  package var objectPadding: [UInt8] = []
  /// The white space inside the brackets of an array on one line.
  package var arrayPadding: [UInt8] = []
  package var emptyContainer: EmptyContainer = .closed
  package var hasFinalNewline = false
  /// Whether characters beyond ASCII are spelt as `\u` escapes.
  package var escapesNonASCII = false
  /// Whether `/` is spelt `\/`.
  package var escapesSlash = false

  package init() {}

  /// Everything on one line, no white space.
  package static let compact = JSONStyle()

  /// Two blanks of indentation, `": "`, a newline at the end.
  package static let pretty: JSONStyle = {
    var style = JSONStyle()
    style.indent = [0x20, 0x20]
    style.colon = [UInt8(ascii: ":"), 0x20]
    style.commaSpace = [0x20]
    style.hasFinalNewline = true
    return style
  }()

  /// What Foundation's JSONEncoder prints without options.
  package static let foundationCompact: JSONStyle = {
    var style = JSONStyle()
    style.escapesSlash = true
    return style
  }()

  /// What Foundation's JSONEncoder prints with `prettyPrinted`.
  package static let foundationPretty: JSONStyle = {
    var style = JSONStyle.foundationCompact
    style.indent = [0x20, 0x20]
    style.colon = Array(" : ".utf8)
    style.commaSpace = [0x20]
    style.emptyContainer = .emptyLine
    return style
  }()

  /// The same with containers on one line from a nesting depth on.
  package func onOneLine(from depth: Int) -> JSONStyle {
    var style = self
    style.inlineDepth = min(depth, inlineDepth ?? .max)
    return style
  }

  /// The same without habits of escaping: a text that somebody wrote keeps its characters.
  package var withoutEscapes: JSONStyle {
    var style = self
    style.escapesNonASCII = false
    style.escapesSlash = false
    return style
  }

  /// Whether it has the line ends, the indentation and the colons of another style.
  package func hasSpacing(of other: JSONStyle) -> Bool {
    newline == other.newline && indent == other.indent && colon == other.colon
  }

  /// The start of a line at a nesting depth, newline included.
  func lineStart(depth: Int) -> [UInt8] {
    var output = newline.bytes
    if let indent {
      for _ in 0..<max(0, depth) { output += indent }
    }
    return output
  }

  /// Whether a container at a nesting depth (0 for the root) has its children on lines of their own.
  func breaksLines(depth: Int) -> Bool {
    indent != nil && depth < inlineDepth ?? .max
  }
}
