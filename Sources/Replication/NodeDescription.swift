package import LosslessJSON
package import Merging
import Storage

/// `nodes/NODE/node.json`: who a node is and what a release must understand to read its log.
package struct NodeDescription: Equatable, Sendable {
  /// What this release writes, and the most it reads.
  package static let currentFormat = 1
  /// Features of a log that this release understands beside the base format.
  package static let knownFeatures: Set<String> = [foldedFeature]
  /// Segments of the log lie folded in `snapshot/`.
  package static let foldedFeature = "folded"

  package var id: NodeID
  package var name: String
  package var release: String
  package var format = NodeDescription.currentFormat
  /// Features without which nothing of the node may be read.
  package var requires: [String] = []
  /// Features that a release which does not know them carries and ignores.
  package var optional: [String] = []
  /// What the node had seen of all logs when it last said so, whatever it writes over; nil where it
  /// never has.
  package var seen: Context?
  /// The same for each document of which it keeps older versions that programs may still write over.
  package var bases: [String: Context] = [:]
  /// Members of newer releases, kept as they are.
  package var unknown: [(key: JSONKey, value: JSONText)] = []

  package init(id: NodeID, name: String, release: String) {
    self.id = id
    self.name = name
    self.release = release
  }

  /// What keeps this release from reading the node's log; nil when nothing does.
  package var obstacle: String? {
    if format > NodeDescription.currentFormat { return "format \(format)" }
    return requires.first { !NodeDescription.knownFeatures.contains($0) }
  }

  package static func == (left: NodeDescription, right: NodeDescription) -> Bool {
    left.json == right.json
  }

  package var json: [UInt8] {
    var line = LineBuilder()
    line.openObject()
    line.member("id", hex: id.raw)
    line.member("name", name)
    line.member("release", release)
    line.member("format", format)
    for (list, name) in [(requires, JSONKey("requires")), (optional, JSONKey("optional"))] {
      line.name(key: name)
      line.openArray()
      for feature in list { line.string(feature) }
      line.closeArray()
    }
    if let seen {
      line.name("seen")
      Context.write(seen.writers, to: &line)
    }
    if !bases.isEmpty {
      line.name("bases")
      line.openObject()
      for (document, context) in bases.sorted(by: { $0.key < $1.key }) {
        line.name(key: JSONKey(document))
        Context.write(context.writers, to: &line)
      }
      line.closeObject()
    }
    for (key, value) in unknown {
      line.name(key: key)
      line.text(value)
    }
    line.closeObject()
    return line.bytes + [UInt8(ascii: "\n")]
  }

  package init(parsing bytes: [UInt8]) throws(FormatError) {
    let root = try JSONNode.root(of: bytes)
    self.init(
      id: NodeID(raw: try root.requireField("id").hex()),
      name: try root.requireField("name").string(),
      release: try root.stringField("release") ?? "")
    format = try root.requireField("format").integer()
    for node in try root.requireField("requires").elements { requires.append(try node.string()) }
    for node in try root.requireField("optional").elements { optional.append(try node.string()) }
    if let node = root.field("seen") { seen = Context(writers: try Context.writers(node)) }
    for member in root.field("bases")?.members.map({ $0 }) ?? [] {
      bases[member.key.string] = Context(writers: try Context.writers(member.value))
    }
    let known = ["id", "name", "release", "format", "requires", "optional", "seen", "bases"].map {
      JSONKey($0)
    }
    for member in root.members where !known.contains(member.key) {
      unknown.append((member.key, member.value.text))
    }
  }
}

extension JSONNode {
  /// The root of a small file of our own.
  static func root(of bytes: [UInt8]) throws(FormatError) -> JSONNode {
    do throws(JSONError) { return try JSONTree(parsing: bytes).root } catch {
      throw FormatError("JSON from byte \(error.offset) on")
    }
  }

  /// The same of one that may end with the checksum of its bytes: files of older builds have none.
  static func sealedRoot(of bytes: [UInt8]) throws(FormatError) -> JSONNode {
    let root = try root(of: bytes)
    guard root.field("sum") == nil || LineSeal.verify(bytes) != nil else {
      throw FormatError("a checksum that fits")
    }
    return root
  }
}
