import LosslessJSON
import Merging
import Storage

/// `quarantine/held-ENTRY.json`: a rewrite that waits for somebody to say yes.
struct HeldRewrite: Equatable, Sendable {
  var entry: UInt64
  /// XXH3-128 of the content, which lies beside it under that name.
  var hash: String
  var client: String?
  /// What its author had seen.
  var base: Context

  static func path(_ bindingID: String, entry: UInt64) -> String {
    StoreLayout.quarantine(bindingID) + "/held-" + Hex.string(entry) + ".json"
  }

  init(entry: UInt64, hash: String, client: String?, base: Context) {
    self.entry = entry
    self.hash = hash
    self.client = client
    self.base = base
  }

  var json: [UInt8] {
    var line = LineBuilder()
    line.openObject()
    line.member("format", 1)
    line.member("entry", hex: entry)
    line.member("hash", hash)
    line.member("client", client)
    line.name("base")
    base.write(to: &line)
    line.closeObject()
    return line.bytes + [UInt8(ascii: "\n")]
  }

  init(parsing bytes: [UInt8]) throws(FormatError) {
    let root = try JSONNode.sealedRoot(of: bytes)
    self.init(
      entry: try root.requireField("entry").hex(), hash: try root.requireField("hash").string(),
      client: try root.stringField("client"),
      base: try Context(json: try root.requireField("base")))
  }
}
