import FoundationEssentials
import Records
import Testing

struct CodableRecordTests {
  private struct Envelope: Codable {
    var items: [Host]
  }

  @Test func `a record survives Foundation's coders with all its members`() throws {
    let text = """
      {"items": [{"id": "a", "connectionMethod": "quic", "deep": {"x": [null, true, "\\u00e9"]},
        "big": 98765432109876543210, "exact": 0.1, "small": -7, "options": {"later": 18446744073709551615}}]}
      """
    let decoded = try JSONDecoder().decode(Envelope.self, from: Data(text.utf8))
    #expect(decoded.items[0].connectionMethod?.rawValue == "quic")
    let encoded = try JSONEncoder().encode(decoded)
    let (before, after) = (try RawJSON(parsing: text), try RawJSON(parsing: Array(encoded)))
    #expect(before.hasSameValue(as: after))
  }

  @Test func `what the coders cannot keep is as stated`() throws {
    func circle(_ text: String) throws -> RawJSON {
      let host = Host(raw: try RawJSON(parsing: text))
      return try JSONDecoder().decode(Host.self, from: try JSONEncoder().encode(host)).raw
    }
    #expect(try circle(#"{"x": 1.0}"#).text == #"{"x":1}"#)
    #expect(try circle(#"{"x": 1, "x": 2}"#).text == #"{"x":2}"#)
    let digits = String(repeating: "7", count: 60)
    #expect(try circle(#"{"x": \#(digits)}"#)[member: "x"]?.text != digits)
    #expect(throws: EncodingError.self) { try circle(#"{"x": 1e400}"#) }
  }
}
