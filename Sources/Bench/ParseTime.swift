import LosslessJSON
import Records
import SystemCalls

/// What one document costs to be read: parsed with full validation, and taken apart.
///
/// Processor time counts, so that a busy machine does not.
enum ParseTime {
  static func run(_ arguments: BenchArguments) throws {
    let path = FilePath(try arguments.required("a document"))
    let rounds = try arguments.number("--rounds", 5)
    let bytes = try ExportTime.contents(of: path)
    let shape = DocumentShape.detect(in: try JSONTree(parsing: bytes))
    var (parse, split): ([UInt64], [UInt64]) = ([], [])
    var records = 0
    for _ in 0..<rounds {
      parse.append(try processorTime { _ = try JSONTree(parsing: bytes) })
      split.append(
        try processorTime {
          records = try SplitDocument(bytes: bytes, shape: shape).records.count
        })
    }
    try StandardStream.output.write(
      "{\"bytes\":\(bytes.count),\"records\":\(records),\"parseSeconds\":\(seconds(parse))"
        + ",\"splitSeconds\":\(seconds(split))}\n")
  }

  static func processorTime(_ work: () throws -> Void) rethrows -> UInt64 {
    let begin = MonotonicTime.processorNanoseconds
    try work()
    return MonotonicTime.processorNanoseconds - begin
  }

  /// The median in seconds.
  static func seconds(_ nanoseconds: [UInt64]) -> Double {
    let sorted = nanoseconds.sorted()
    return sorted.isEmpty ? 0 : Double(sorted[sorted.count / 2]) / 1e9
  }

  /// The shortest in seconds.
  static func shortest(_ nanoseconds: [UInt64]) -> Double { Double(nanoseconds.min() ?? 0) / 1e9 }

  /// A document of one kind of content, the same for every run.
  static func write(_ kind: String, items: Int) throws {
    let (open, comma, close) = kind == "long-string" ? ("[\"", "", "\"]\n") : ("[", ",", "]\n")
    var text = open
    for number in 0..<items {
      if number > 0 { text += comma }
      switch kind {
      case "long-string":
        text += "lorem ipsum dolor sit amet, consectetur "
      case "numbers":
        text +=
          "[\(number).\(number &* 7_919 % 1_000_003),-\(number &* 104_729),\(number % 97)e-\(number % 30)]"
      default:
        text += "{\"id\":\(number),\"имя\":\"Сервер номер \(number) в зале\",\"場所\":\"東京都港区の設定\"}"
      }
      if text.utf8.count > 1 << 20 {
        try StandardStream.output.write(text)
        text = ""
      }
    }
    try StandardStream.output.write(text + close)
  }
}
