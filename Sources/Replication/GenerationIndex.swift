import LosslessJSON
package import Merging

/// `local/bindings/B/generations/index.json`: what was exported to and imported from one path.
///
/// The contents lie beside it, named by their hash. A lost or damaged index costs evidence, never
/// values: the document is then adopted anew.
package struct GenerationIndex: Equatable, Sendable {
  package enum Kind: String, Sendable { case export, snapshot }

  /// One retained content of the document, and what its author or reader could have seen.
  package struct Entry: Equatable, Sendable {
    /// Counts from 1 within the binding.
    package var generation: Int
    package var kind: Kind
    /// XXH3-128 of the content, 32 hexadecimal digits.
    package var hash: String
    package var context: Context
    /// Milliseconds since 1970.
    package var time: UInt64
    /// The program that wrote a snapshot.
    package var client: String?
    /// Whether the content of a snapshot told its writer, so that its look can be learned.
    package var isTold = false
  }

  /// A file of the document: its content, and which file it was.
  package struct Replaced: Equatable, Sendable {
    package var hash: String
    /// Made from what tells one version of a file from another.
    package var stamp: UInt64
  }

  /// What the file could not get, or how it had to be written; `status` shows it.
  package struct Flaws: Equatable, Sendable {
    package enum Way: String, Sendable {
      case inPlace = "in-place"
      case unguarded
    }

    /// The owner and group that the file is to have and that we could not give it.
    package var owner: UInt32?
    package var group: UInt32?
    /// Extended attributes that it lacks.
    package var attributes: [String] = []
    /// How the last export was written, where not by an exchange.
    package var way: Way?
  }

  /// The number of the newest export; numbers only grow. A snapshot that changed the state has the
  /// number of the export that shows it.
  package var last = 0
  /// Oldest first; the greatest generation is the present one.
  package var entries: [Entry] = []
  /// Contents that were looked at and said nothing that the state does not say: same values in
  /// another layout. The document may keep them until the next export.
  package var settled: String?
  /// The very file that the present generation is to replace: until it is replaced it says nothing
  /// that has not been looked at.
  package var over: Replaced?
  /// What the logs must at least hold before the document is imported or exported again.
  package var context = Context.empty
  /// What the records of each collection were known by at the last pass; empty in older indices.
  package var shape: [String: String] = [:]
  /// The content of a held rewrite and its base, until it is accepted or replaced.
  package var held: UInt64?
  package var flaws = Flaws()

  package init() {}

  package var present: Entry? { entries.last { $0.kind == .export } }

  /// The retained content with a number: what was exported, else what was imported.
  package func entry(generation: Int) -> Entry? {
    entries.last { $0.generation == generation && $0.kind == .export }
      ?? entries.last { $0.generation == generation }
  }

  /// Whether an import changed the state and no export has shown that yet.
  var awaitsExport: Bool { entries.contains { $0.generation > last } }

  /// Drops the oldest beyond `keep` of each kind unless they are younger than `since`.
  package mutating func prune(keep: Int, since: UInt64) {
    for kind in [Kind.export, .snapshot] {
      let all = entries.filter { $0.kind == kind }
      let old = all.dropLast(keep).filter { $0.time < since || all.count > keep * 4 }
      entries.removeAll { entry in entry.kind == kind && old.contains(entry) }
    }
  }
}

extension GenerationIndex {
  var json: [UInt8] {
    var line = LineBuilder()
    line.openObject()
    line.member("format", 1)
    line.member("last", last)
    line.member("settled", settled)
    if let over {
      line.name("over")
      line.openObject()
      line.member("hash", over.hash)
      line.member("stamp", hex: over.stamp)
      line.closeObject()
    }
    line.name("context")
    context.write(to: &line)
    if let held { line.member("held", hex: held) }
    if !shape.isEmpty {
      line.name("shape")
      line.openObject()
      for (name, signature) in shape.sorted(by: { $0.key < $1.key }) {
        line.name(key: JSONKey(name))
        line.string(signature)
      }
      line.closeObject()
    }
    if flaws != Flaws() { flaws.write(to: &line) }
    line.name("entries")
    line.openArray()
    for entry in entries {
      line.openObject()
      line.member("generation", entry.generation)
      line.member("kind", entry.kind.rawValue)
      line.member("hash", entry.hash)
      line.member("time", entry.time)
      line.member("client", entry.client)
      if entry.isTold {
        line.name("told")
        line.bool(true)
      }
      line.name("context")
      entry.context.write(to: &line)
      line.closeObject()
    }
    line.closeArray()
    line.closeObject()
    return line.bytes + [UInt8(ascii: "\n")]
  }

  init(parsing bytes: [UInt8]) throws(FormatError) {
    let root = try JSONNode.sealedRoot(of: bytes)
    last = try root.requireField("last").integer()
    settled = try root.stringField("settled")
    context = try Context(json: try root.requireField("context"))
    held = try root.field("held")?.hex()
    for member in root.field("shape")?.members.map({ $0 }) ?? [] {
      shape[member.key.string] = try member.value.string()
    }
    if let node = root.field("over") {
      over = Replaced(
        hash: try node.requireField("hash").string(), stamp: try node.requireField("stamp").hex())
    }
    if let node = root.field("flaws") { flaws = try Flaws(json: node) }
    for node in try root.requireField("entries").elements {
      guard let kind = Kind(rawValue: try node.requireField("kind").string()) else {
        throw FormatError("export or snapshot")
      }
      entries.append(
        Entry(
          generation: try node.requireField("generation").integer(), kind: kind,
          hash: try node.requireField("hash").string(),
          context: try Context(json: try node.requireField("context")),
          time: try node.requireField("time").natural(), client: try node.stringField("client"),
          isTold: node.field("told")?.kind == .true))
    }
  }
}

extension GenerationIndex.Flaws {
  fileprivate func write(to line: inout LineBuilder) {
    line.name("flaws")
    line.openObject()
    if let owner { line.member("owner", Int(owner)) }
    if let group { line.member("group", Int(group)) }
    if !attributes.isEmpty {
      line.name("attributes")
      line.openArray()
      for name in attributes { line.string(name) }
      line.closeArray()
    }
    line.member("way", way?.rawValue)
    line.closeObject()
  }

  fileprivate init(json: JSONNode) throws(FormatError) {
    owner = try json.field("owner").map { (node) throws(FormatError) in
      UInt32(clamping: try node.integer())
    }
    group = try json.field("group").map { (node) throws(FormatError) in
      UInt32(clamping: try node.integer())
    }
    if let names = json.field("attributes") {
      for name in names.elements { attributes.append(try name.string()) }
    }
    way = try json.stringField("way").flatMap(Way.init)
  }
}
