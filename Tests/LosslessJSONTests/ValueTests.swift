import LosslessJSON
import Testing

@Suite struct ValueTests {
  static func value(_ source: String) throws -> JSONText { try JSONText(validating: source) }

  @Test(arguments: [
    ["1", "1.0", "10e-1", "1E0", "0.1e1", "100e-2", "1.000", "1e+00"],
    ["0", "-0", "0.0", "-0.0e5", "0e999999999999999999999999", "0E-5"],
    ["-12.5", "-125e-1", "-0.125e2", "-1250E-2"],
    ["1e400", "10e399", "0.1e401", "1" + String(repeating: "0", count: 400)],
    ["9007199254740993", "9007199254740993.0", "9.007199254740993e15"],
    ["1e99999999999999999999", "10e99999999999999999998", "0.01e100000000000000000001"],
    ["1e-99999999999999999999", "10e-100000000000000000000", "0.1e-99999999999999999998"],
    // On both sides of what the hash does in machine arithmetic.
    ["184467440737095516", "184467440737095516.0", "1844674407370955160e-1"],
    ["1844674407370955170", "184467440737095517e1", "1844674407370955.17e3"],
    ["18446744073709551615", "1.8446744073709551615e19"], ["1e999999", "10e999998", "0.1e1000000"],
    ["1e1000000", "10e999999", "0.01e1000002"], ["1001e-3", "1.001", "0.01001e2"],
    ["5e-1", "0.5", "0.50", "50E-2"],
  ])
  func `numbers are equal by exact value`(spellings: [String]) throws {
    for left in spellings {
      for right in spellings {
        #expect(try Self.value(left).hasSameValue(as: Self.value(right)), "\(left) \(right)")
        #expect(try Self.value(left).valueHash == Self.value(right).valueHash)
        #expect(try Self.value(left).canonicalNumber == Self.value(right).canonicalNumber)
      }
    }
  }

  @Test(arguments: [
    ("1", "-1"), ("1", "10"), ("1", "1.0000000000000000000000001"), ("1", "\"1\""),
    ("9007199254740992", "9007199254740993"), ("1e400", "1e401"), ("0", "1e-400"),
    ("1e99999999999999999999", "1e99999999999999999998"), ("1e5", "1e-5"),
    ("0.3", "0.30000000000000004"),
    ("12", "21"), ("true", "false"), ("null", "false"), ("null", "0"), ("\"\"", "null"),
    ("[]", "{}"),
    ("[1,2]", "[2,1]"), ("[1]", "[1,1]"), ("{\"a\":1}", "{\"a\":1,\"b\":1}"),
    ("{\"a\":1,\"a\":2}", "{\"a\":2,\"a\":1}"), ("\"\u{E9}\"", "\"e\u{301}\""),
    ("{\"\u{E9}\":1}", "{\"e\u{301}\":1}"), ("\"\\uD800\"", "\"\\uFFFD\""),
    ("\"\\uD800\"", "\"\\uD801\""), ("\"a\"", "\"A\""), ("[[]]", "[{}]"),
  ])
  func `different values differ, whichever comes first`(left: String, right: String) throws {
    #expect(try !Self.value(left).hasSameValue(as: Self.value(right)))
    #expect(try !Self.value(right).hasSameValue(as: Self.value(left)))
    #expect(try Self.value(left).valueHash != Self.value(right).valueHash)
  }

  @Test(arguments: [
    ("\"a/é\"", "\"\\u0061\\/\\u00E9\""), ("\"😀\"", "\"\\ud83d\\uDE00\""),
    ("\"\\ud800\"", "\"\\uD800\""), ("[1,2]", " [ 1 , 2.0 ] "),
    ("{\"a\":1,\"b\":[{}]}", "{\"b\":[{ }],\"\\u0061\":1.0}"),
    ("{\"a\":1,\"b\":2,\"a\":3}", "{\"b\":2,\"a\":3}"), ("{\"a\":[],\"a\":1}", "{\"a\":1}"),
  ])
  func `equal values are equal in any spelling`(left: String, right: String) throws {
    #expect(try Self.value(left).hasSameValue(as: Self.value(right)))
    #expect(try Self.value(right).hasSameValue(as: Self.value(left)))
    #expect(try Self.value(left).valueHash == Self.value(right).valueHash)
    #expect(try Self.value(left) != Self.value(right), "as texts they differ")
  }

  @Test(arguments: [
    ("9007199254740992", "9007199254740993", true),
    ("0.1", "0.1000000000000000055511151231257827", true),
    ("1e400", "1e999999999999999999999", true), ("1e400", "-1e400", false), ("1e-400", "0", true),
    ("-0", "0", true), ("1", "1.0000000000000002", false), ("[1e400]", "[2e400]", true),
  ])
  func `numbers may be compared as doubles`(left: String, right: String, isSame: Bool) throws {
    #expect(try Self.value(left).hasSameValue(as: Self.value(right), numbers: .double) == isSame)
  }

  @Test(arguments: [
    ("\"\\uD800\"", "\"\\uFFFD\"", true), ("\"\\uD800\"", "\"\\uDFFF\"", true),
    ("\"a\\uD800b\"", "\"a\u{FFFD}b\"", true), ("{\"\\uD800\":1}", "{\"\u{FFFD}\":1}", true),
    ("\"\\uD83D\\uDE00\"", "\"\u{FFFD}\u{FFFD}\"", false),
    ("\"\\uD83D\\uD83D\"", "\"\u{FFFD}\"", false),
  ])
  func `lone surrogates may count as replaced`(left: String, right: String, isSame: Bool) throws {
    let same = try Self.value(left)
      .hasSameValue(as: Self.value(right), strings: .replacesLoneSurrogates)
    #expect(same == isSame)
  }

  @Test(
    arguments: [
      ("0", 0), ("-0", 0), ("1.0", 1), ("1e3", 1000), ("-120e-1", -12), ("1.5", nil), ("1e-1", nil),
      ("9223372036854775807", .max), ("9223372036854775808", nil), ("-9223372036854775808", .min),
      ("-9223372036854775809", nil), ("1e18", 1_000_000_000_000_000_000), ("1e19", nil),
      ("1e99999999999999999999", nil), ("\"1\"", nil), ("null", nil), ("0e99999999999999999999", 0),
    ] as [(String, Int?)])
  func `a whole number that fits is an Int`(source: String, value: Int?) throws {
    #expect(try Self.value(source).intValue == value)
  }

  @Test func `doubles are rounded to nearest`() throws {
    #expect(try Self.value("0.1").doubleValue == 0.1)
    #expect(try Self.value("1e400").doubleValue == .infinity)
    #expect(try Self.value("-1e99999999999999999999").doubleValue == -.infinity)
    #expect(try Self.value("1e-99999999999999999999").doubleValue == 0)
    #expect(try Self.value("9007199254740993").doubleValue == 9_007_199_254_740_992)
    #expect(try Self.value("\"1\"").doubleValue == nil)
  }

  @Test func `values agree with the slow model in any spelling`() throws {
    for seed in 0..<400 as Range<UInt64> {
      var generator = SeededGenerator(seed: seed)
      let left = ModelValue.random(&generator, depth: 3)
      let right = ModelValue.random(&generator, depth: 3)
      let first = try Self.value(left.spelling(&generator))
      let second = try Self.value(left.spelling(&generator))
      let other = try Self.value(right.spelling(&generator))
      #expect(first.hasSameValue(as: second), "seed \(seed): \(first) \(second)")
      #expect(first.valueHash == second.valueHash, "seed \(seed)")
      #expect(first.hasSameValue(as: other) == left.means(right), "seed \(seed)")
    }
  }

  @Test func `scalars agree with the slow model pair by pair`() throws {
    var generator = SeededGenerator(seed: 1)
    let models = (0..<60).map { index in
      index % 2 == 0
        ? ModelValue.randomNumber(&generator) : .string(ModelValue.randomString(&generator))
    }
    let texts = try models.map { try Self.value($0.spelling(&generator)) }
    for (left, leftText) in zip(models, texts) {
      for (right, rightText) in zip(models, texts) {
        let isSame = left.means(right)
        #expect(leftText.hasSameValue(as: rightText) == isSame, "\(leftText) \(rightText)")
        #expect((leftText.valueHash == rightText.valueHash) == isSame)
      }
    }
  }

  @Test func `scalars are made in their shortest spelling`() throws {
    #expect(JSONText.number(-5).description == "-5")
    #expect(JSONText.string("a\"\n").description == "\"a\\\"\\n\"")
    #expect(JSONText.null.kind == .null && JSONText.bool(true).boolValue == true)
    #expect(JSONText.string("é").decodedString == "é")
    #expect(JSONText.number(1).decodedString == nil && JSONText.number(1).boolValue == nil)
    #expect(try Self.value(" [1] ").description == "[1]")
    #expect(try Self.value("\u{FEFF}7").description == "7")
  }

  @Test func `text that was never valid equals only itself`() {
    let broken = JSONText(unchecked: bytes("{\"a\":"))
    #expect(broken.hasSameValue(as: broken))
    #expect(!broken.hasSameValue(as: .emptyObject))
    #expect(broken.valueHash != JSONText.emptyObject.valueHash)
    #expect(JSONText(unchecked: []).kind == .null)
    #expect(JSONText(unchecked: bytes("\"")).decodedString == "")
  }
}
