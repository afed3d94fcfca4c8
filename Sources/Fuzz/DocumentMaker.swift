/// Makes texts that are JSON or nearly so, from tokens: what chance alone would hardly find.
struct DocumentMaker {
  private var random: FuzzRandom
  private var output: [UInt8] = []
  private var hasComments = false

  init(seed: UInt64) { random = FuzzRandom(seed: seed) }

  /// An input of a target.
  static func input(for target: FuzzTarget, seed: UInt64) -> [UInt8] {
    var maker = DocumentMaker(seed: seed)
    switch target {
    case .parse, .edit: return maker.document()
    case .split: return maker.records()
    case .schema:
      return maker.schema() + [0x0A] + maker.oneLine() + [0x0A] + maker.oneLine()
    }
  }

  /// A value of a few levels.
  static func value(seed: UInt64) -> [UInt8] {
    var maker = DocumentMaker(seed: seed)
    maker.value(depth: 3)
    return maker.output
  }

  mutating func document() -> [UInt8] {
    start()
    if random.below(8) == 0 { output += [0xEF, 0xBB, 0xBF] }
    let lines = random.below(4) == 0 ? 1 + random.below(4) : 1
    for line in 0..<lines {
      if line > 0 { output += random.below(4) == 0 ? [0x0D, 0x0A] : [0x0A] }
      space()
      value(depth: random.below(6))
      space()
    }
    damage()
    return output
  }

  private mutating func start() {
    output = []
    hasComments = random.below(2) == 0
  }

  private mutating func oneLine() -> [UInt8] {
    start()
    hasComments = false
    value(depth: 3)
    return output.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }
  }

  private mutating func records() -> [UInt8] {
    start()
    let isList = random.below(3) == 0
    let isLines = !isList && random.below(3) == 0
    if !isList && !isLines {
      output += Array("{\"items\":".utf8)
      space()
    }
    if !isLines { output.append(UInt8(ascii: "[")) }
    // Now and then so many that another document can have most of them in common.
    let count = random.below(4) == 0 ? 10 + random.below(30) : random.below(5)
    for number in 0..<count {
      if number > 0 { output += isLines ? [0x0A] : [UInt8(ascii: ",")] }
      if !isLines { space() }
      output += Array("{\"id\":\(random.below(3) == 0 ? random.below(4) : number)}".utf8)
      if !isLines { space() }
    }
    if !isLines {
      if count > 0, random.below(3) == 0 { output.append(UInt8(ascii: ",")) }
      space()
      output.append(UInt8(ascii: "]"))
      space()
    }
    if !isList && !isLines {
      if random.below(2) == 0 { output += Array(", \"x\" : {\"id\": 2} ".utf8) }
      output.append(UInt8(ascii: "}"))
    }
    if random.below(2) == 0 { output.append(0x0A) }
    if random.below(4) == 0 { damage() }
    return output
  }

  private mutating func schema() -> [UInt8] {
    let keywords = [
      "\"properties\":{\"a\":%,\"b\":%}", "\"items\":%", "\"additionalProperties\":%",
      "\"type\":\"object\"", "\"type\":[\"integer\",\"null\"]", "\"enum\":[1,\"a\",null]",
      "\"default\":1", "\"required\":[\"a\"]", "\"$ref\":\"#/$defs/x\"", "\"$ref\":\"#\"",
      "\"$defs\":{\"x\":%}", "\"allOf\":[%]", "\"const\":2", "\"items\":[%]",
    ]
    var text = "%"
    for _ in 0..<12 {
      guard let place = text.firstIndex(of: "%") else { break }
      var parts: [String] = []
      for _ in 0..<random.below(3) { parts.append(keywords[random.below(keywords.count)]) }
      let leaf = ["true", "false", "{}"][random.below(3)]
      text.replaceSubrange(
        place...place, with: parts.isEmpty ? leaf : "{" + parts.joined(separator: ",") + "}")
    }
    return Array(text.utf8).map { $0 == UInt8(ascii: "%") ? UInt8(ascii: "1") : $0 }
  }

  private mutating func value(depth: Int) {
    switch random.below(depth > 0 ? 8 : 5) {
    case 0: output += Array(["true", "false", "null"][random.below(3)].utf8)
    case 1: number()
    case 2, 3, 4: string()
    case 5, 6: object(depth: depth)
    default: array(depth: depth)
    }
  }

  private mutating func object(depth: Int) {
    output.append(UInt8(ascii: "{"))
    for position in 0..<random.below(4) {
      if position > 0 { output.append(UInt8(ascii: ",")) }
      space()
      if random.below(2) == 0 {
        output += [0x22, UInt8(ascii: "a") + UInt8(random.below(3)), 0x22]
      } else {
        string()
      }
      space()
      output.append(UInt8(ascii: ":"))
      space()
      value(depth: depth - 1)
      space()
    }
    trail()
    output.append(UInt8(ascii: "}"))
  }

  private mutating func array(depth: Int) {
    output.append(UInt8(ascii: "["))
    for position in 0..<random.below(4) {
      if position > 0 { output.append(UInt8(ascii: ",")) }
      space()
      value(depth: depth - 1)
      space()
    }
    trail()
    output.append(UInt8(ascii: "]"))
  }

  private mutating func trail() {
    guard hasComments, random.below(4) == 0, output.last != 0x5B, output.last != 0x7B else {
      return
    }
    output.append(UInt8(ascii: ","))
    space()
  }

  private mutating func space() {
    let choices = ["", "", "", " ", "\n", "\r\n  ", "\t", "         ", "\n        "]
    output += Array(choices[random.below(choices.count)].utf8)
    guard hasComments, random.below(5) == 0 else { return }
    output += Array(["/* c */", "// c\n", "/**/ ", "// c, ]\r\n"][random.below(4)].utf8)
  }

  private mutating func number() {
    let choices = [
      "0", "-0", "1", "10", "1.0", "1e2", "1E-2", "-12.50e+1", "9007199254740993", "1e400",
      "12345678", "123456789012345678901234567890",
    ]
    output += Array(choices[random.below(choices.count)].utf8)
  }

  private mutating func string() {
    output.append(0x22)
    for _ in 0..<random.below(5) {
      let choices = [
        "a", "é", "日本", "😀", "\\n", "\\u0041", "\\ud83d\\ude00", "\\ud800", "\\\"", "/", " ",
        "01234567", "0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz",
        "//",
      ]
      output += Array(choices[random.below(choices.count)].utf8)
    }
    output.append(0x22)
  }

  /// Half of the texts are spoilt in one place.
  private mutating func damage() {
    guard random.below(2) == 0, !output.isEmpty else { return }
    let place = random.below(output.count)
    switch random.below(3) {
    case 0: output.remove(at: place)
    case 1: output[place] = UInt8(random.below(256))
    default: output.removeSubrange(place...)
    }
  }
}
