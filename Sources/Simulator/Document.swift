import LosslessJSON

/// The document that all of a run is about, and how it is configured.
enum Document {
  static let name = "hosts.json"
  /// What a double cannot hold, and nobody means to change.
  static let big = "12345678901234567890"
  static let rounded = "12345678901234567000"
  /// Tokens of the first content are below this.
  static let firstToken = 20

  static let start =
    #"{"title":"t1","items":[{"id":"r1","name":"t2","note":"t3","method":"t4","big":\#(big)},"#
    + #"{"id":"r2","name":"t5","note":"t6"},{"id":"r3","name":"t7"},{"id":"r4","note":"t8"}]}"#

  static func configuration(_ plan: Plan) -> String {
    let mass = plan.has(.holds) ? "" : #""massDelete":{"minimum":1000},"#
    let clients = plan.has(.undeclared) ? "" : #","clients":["old"]"#
    let numbers = plan.variant?.mistake == .roundingIsEdit ? "" : #""numbers":"double","#
    let profile =
      plan.has(.undeclared)
      ? "" : #","clients":{"old":{\#(numbers)"schemas":{"hosts:items":"schemas/old.json"}}}"#
    // From what is not retained any more nobody can tell that a program had not read the rest.
    let history =
      plan.has(.compaction) ? #""generations":{"keep":64,"days":0},"history":{"days":0},"# : ""
    return #"{"format":1,\#(history)"documents":{"hosts":{"file":"\#(name)",\#(mass)"#
      + #""collections":[{"name":"items","at":"/items","kind":"array","id":"/id"}],"#
      + #""groups":{"endpoint":["/host","/port"]}\#(clients)}}\#(profile)}"#
  }

  /// Release 1 of a program: a closed enumeration, and no members but these.
  static func schema(_ plan: Plan) -> String {
    let mistake = plan.variant?.mistake
    let method =
      mistake == .fallbackIsEdit ? "{}" : #"{"enum":["ssh","mosh"],"default":"ssh"}"#
    let note = mistake == .stripIsDeletion ? #""note":{},"# : ""
    return #"{"type":"object","properties":{"id":{},"name":{},"host":{},"big":{},\#(note)"#
      + #""port":{"default":22},"method":\#(method)}}"#
  }

  static func isWhole(_ bytes: [UInt8]) -> Bool {
    // Whether it parses is all that is asked.
    (try? JSONTree(parsing: bytes))?.root.member("items") != nil
  }
}

/// Values that can be told apart wherever they turn up: `"t17"`, and the number that doubles cannot hold,
/// which counts as 0.
enum Tokens {
  static func text(_ token: Int) -> String { token == 0 ? Document.big : "\"t\(token)\"" }

  static func all(in bytes: [UInt8]) -> Set<Int> {
    var found: Set<Int> = []
    var index = 0
    while index + 2 < bytes.count {
      if bytes[index] == UInt8(ascii: "1"), bytes[index...].starts(with: Document.big.utf8) {
        found.insert(0)
      }
      guard bytes[index] == UInt8(ascii: "\""), bytes[index + 1] == UInt8(ascii: "t") else {
        index += 1
        continue
      }
      var end = index + 2
      var number = 0
      while end < bytes.count, let digit = digit(bytes[end]) {
        number = number &* 10 &+ digit
        end += 1
      }
      let isWhole =
        end < bytes.count && [UInt8(ascii: "\""), UInt8(ascii: "\\")].contains(bytes[end])
      if end > index + 2, isWhole { found.insert(number) }
      index = end
    }
    return found
  }

  private static func digit(_ byte: UInt8) -> Int? {
    byte >= 0x30 && byte <= 0x39 ? Int(byte) - 0x30 : nil
  }
}
