import LosslessJSON
import SystemCalls

/// Prints texts and what they mean, a line each, for a comparison with other parsers.
///
/// A line is the text as hexadecimal digits, a blank, and `-` for what is no JSON or the value in a
/// form in which equal values are equal: strings as the hexadecimal digits of their WTF-8, numbers as
/// digits and exponent, members in their order, also those of one name.
enum ReadValues {
  static func run(_ what: String, _ words: [String]) throws {
    guard what == "made" else {
      for path in words {
        let file = try FileDescriptor.open(FilePath(path), .read, system: LiveFileSystem())
        try write(try file.read(at: 0, count: 1 << 26))
      }
      return
    }
    let seed = MadeInputs.number("--seed", words) ?? MonotonicTime.nanoseconds
    for number in 0..<(MadeInputs.number("--count", words) ?? 1000) {
      try write(DocumentMaker.input(for: .parse, seed: seed &+ number))
    }
  }

  private static func write(_ text: [UInt8]) throws {
    var line = text.flatMap(hex)
    line.append(UInt8(ascii: " "))
    do throws(JSONError) {
      append(try JSONTree(parsing: text, foldDepth: 2).root, to: &line)
    } catch {
      line.append(UInt8(ascii: "-"))
    }
    line.append(0x0A)
    try StandardStream.output.write(line)
  }

  private static func append(_ value: JSONNode, to line: inout [UInt8]) {
    switch value.kind {
    case .null: line.append(UInt8(ascii: "n"))
    case .true: line.append(UInt8(ascii: "t"))
    case .false: line.append(UInt8(ascii: "f"))
    case .number: line += value.text.canonicalNumber ?? []
    case .string: append(value.decodedString, to: &line)
    case .array:
      line.append(UInt8(ascii: "["))
      for element in value.elements {
        append(element, to: &line)
        line.append(UInt8(ascii: ","))
      }
      line.append(UInt8(ascii: "]"))
    case .object:
      line.append(UInt8(ascii: "{"))
      for member in value.members {
        append(member.key, to: &line)
        append(member.value, to: &line)
        line.append(UInt8(ascii: ","))
      }
      line.append(UInt8(ascii: "}"))
    }
  }

  private static func append(_ string: JSONKey?, to line: inout [UInt8]) {
    line.append(UInt8(ascii: "'"))
    for byte in string?.bytes ?? [] { line += hex(byte) }
    line.append(UInt8(ascii: "'"))
  }

  private static func hex(_ byte: UInt8) -> [UInt8] {
    [byte >> 4, byte & 0xF].map { $0 < 10 ? 0x30 + $0 : 0x57 + $0 }
  }
}
