import Storage
import Testing

struct LineSealTests {
  @Test func `a sealed line ends with the sum of what is before it`() {
    var bytes = Array(#"{"a":1}"#.utf8)
    let sum = LineSeal.seal(&bytes)
    #expect(String(decoding: bytes, as: UTF8.self) == #"{"a":1,"sum":"\#(hexDigits(sum))"}"# + "\n")
    #expect(LineSeal.verify(bytes) == sum)
    #expect(LineSeal.verify(bytes.dropLast()) == sum)
  }

  @Test func `the sum is the XXH3 of the bytes as frozen in the format`() {
    var bytes = Array(#"{"a":1}"#.utf8)
    // `printf '{"a":1' | xxhsum -H3`
    #expect(hexDigits(LineSeal.seal(&bytes)) == "72320ca0186ede72")
  }

  @Test func `lines are sealed one after another in one buffer`() {
    var bytes: [UInt8] = []
    var ends: [Int] = []
    for number in 0..<3 {
      let start = bytes.count
      bytes.append(contentsOf: #"{"n":\#(number)}"#.utf8)
      LineSeal.seal(&bytes, from: start)
      ends.append(bytes.count)
    }
    var start = 0
    for end in ends {
      #expect(LineSeal.verify(bytes[start..<end]) != nil)
      start = end
    }
  }

  @Test func `any changed byte is noticed`() {
    var bytes = Array(#"{"a":"text"}"#.utf8)
    LineSeal.seal(&bytes)
    for place in bytes.indices.dropLast() {
      var damaged = bytes
      damaged[place] ^= 1
      #expect(LineSeal.verify(damaged) == nil, "byte \(place)")
    }
  }

  @Test(arguments: [
    "", "{}", "\n", #"{"a":1}"#, #","sum":"0000000000000000"}"#, #"{,"sum":"0000000000000000"}"#,
    #"{"a":1,"sum":"72320CA0186EDE72"}"#,
    "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
  ])
  func `what is not sealed does not pass`(line: String) {
    #expect(LineSeal.verify(Array(line.utf8)) == nil)
  }
}
