/// What `Tools/simulator` was asked for.
struct Options {
  struct Wrong: Error, CustomStringConvertible {
    let description: String
  }

  static let usage = """
    usage: Simulator [--runs N | --seconds N] [--seed S] [--json]   so many runs, from seed S on
           Simulator --only S [--explain] [--shrink]                one run, as a plan to store
           Simulator --replay FILE                                  a stored one
           Simulator --flaws [--runs N]                             which flaws are noticed, and when
           --flaw NAME: our code is made to have it; --jobs N: so many runs at once

    """

  private(set) var runs: Int?
  private(set) var seconds: Int?
  private(set) var seed: UInt64 = 1
  private(set) var only: UInt64?
  private(set) var replay: String?
  private(set) var variant: Variant?
  private(set) var jobs = 1
  private(set) var triesFlaws = false
  private(set) var isJSON = false
  private(set) var explains = false
  private(set) var shrinks = false

  init(_ words: [String]) throws(Wrong) {
    var rest = words[...]
    while let word = rest.popFirst() {
      switch word {
      case "--json": isJSON = true
      case "--explain": explains = true
      case "--shrink": shrinks = true
      case "--runs": runs = Int(try Self.number(word, &rest))
      case "--seconds": seconds = Int(try Self.number(word, &rest))
      case "--seed": seed = try Self.number(word, &rest)
      case "--only": only = try Self.number(word, &rest)
      case "--replay": replay = rest.popFirst()
      case "--jobs": jobs = max(1, Int(try Self.number(word, &rest)))
      case "--flaws": triesFlaws = true
      case "--flaw":
        variant = rest.popFirst().flatMap { Variant($0) }
        if variant == nil {
          let names = Variant.all.map(\.name).joined(separator: ", ")
          throw Wrong(description: "'--flaw' is one of \(names)")
        }
      default: throw Wrong(description: "'\(word)' is not understood")
      }
    }
  }

  private static func number(
    _ word: String, _ rest: inout ArraySlice<String>
  ) throws(Wrong) -> UInt64 {
    guard let text = rest.popFirst(), let number = UInt64(text), number < 1 << 62 else {
      throw Wrong(description: "'\(word)' needs a number")
    }
    return number
  }
}
