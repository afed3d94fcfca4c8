import FoundationEssentials
import Testing

/// Real documents: added, edited through replicator and by hand, with only the edit changed.
struct RealInputTests {
  /// A stored document shape with its sample.
  struct Shape: CustomStringConvertible, Sendable {
    var name: String
    var file: String
    var path: String { "\(Places.shapes)/\(name)/\(file)" }
    var description: String { name }
  }

  static let kinds: Set<String> = ["array", "map", "document", "jsonl"]
  static let dialects: Set<String> = ["json", "jsonc", "jsonl"]

  /// The samples whose dialect and collections are of this release.
  static let shapes: [Shape] = {
    // No folder gives no shape; a test counts them.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: Places.shapes)) ?? []
    return names.sorted().compactMap { name in
      guard let json = try? JSON.parse(Files.read("\(Places.shapes)/\(name)/shape.json")),
        dialects.contains(json["dialect"]?.string ?? "json"), let file = json["file"]?.string,
        let collections = json["collections"]?.elements,
        // All that a key binding has is part of its id; it has tests of its own.
        !name.hasPrefix("s06"), collections.allSatisfy({ kinds.contains($0["kind"]?.string ?? "") })
      else { return nil }
      return Shape(name: name, file: file)
    }
  }()

  @Test func `the shapes are here`() { #expect(Self.shapes.count >= 22, "\(Self.shapes)") }

  @Test(arguments: shapes)
  func `a sample comes back with only the edit changed`(shape: Shape) throws {
    let sample = try Sample(shape.path)
    let target = try #require(try Target.first(in: sample.store), "there is nothing to edit")
    let place = try sample.setThroughReplicator(target)
    try Sample(shape.path).editByHand(target, at: place)
  }

  @Test(arguments: shapes)
  func `a sample as one record comes back with only the edit changed`(shape: Shape) throws {
    // JSON Lines are never one record.
    guard !shape.file.hasSuffix(".db") else { return }
    let sample = try Sample(shape.path, "--kind", "document")
    // A list and JSON with comments are not for this test.
    guard let root = try? JSON.parse(sample.original), case .object = root else { return }
    let (pointer, old) = try #require(Target.member(of: root))
    let target = Target(address: "sample:/", pointer: pointer, old: old)
    let place = try sample.setThroughReplicator(target)
    try Sample(shape.path, "--kind", "document").editByHand(target, at: place)
  }

  static let languages = "/usr/share/iso-codes/json/iso_639-3.json"

  @Test(.enabled(if: Files.exists(languages), "needs the Debian package iso-codes"))
  func `a list of 7910 languages comes back with only the edit changed`() throws {
    let sample = try Sample(Self.languages)
    let (store, path, original) = (sample.store, sample.path, sample.original)
    let target = Target(address: "sample/deu", pointer: "/name", old: .text("German"))
    let place = try sample.setThroughReplicator(target)
    try Sample(Self.languages).editByHand(target, at: place)
    // A record that is deleted takes its bytes along, and no other.
    try store.succeed("delete", "sample/xal")
    try store.succeed("set", "sample/deu", "name=German")
    let text = String(decoding: original, as: UTF8.self)
    let start = try #require(text.firstRange(of: "\"alpha_3\": \"xal\""))
    let open = try #require(text[..<start.lowerBound].lastIndex(of: "{"))
    let close = try #require(text[start.upperBound...].firstIndex(of: "}"))
    // The record goes with the comma behind it and the white space in front of the next.
    let rest = text[text.index(close, offsetBy: 2)...].drop { $0.isWhitespace }
    #expect(try Files.text(path) == text[..<open] + rest)
    try store.verify()
  }
}

/// A real document that was added to a store.
struct Sample {
  let store: TestStore
  let path: String
  let original: [UInt8]

  /// Adds a copy of a file as the document `sample`; its bytes stay as they are.
  init(_ file: String, _ options: String...) throws {
    store = try TestStore(documents: [:])
    path = store.directory.path + "/" + (file.split(separator: "/").last.map(String.init) ?? "")
    original = try Files.read(file)
    try Files.write(original, to: path)
    let added = try store.run(["add", path, "--name", "sample"] + options)
    try #require(added.status == 0, "\(added)")
    try store.succeed("watch", "--once")
    #expect(try Files.read(path) == original)
  }

  /// Changes one value with `set`, and returns where its bytes were: no other has changed.
  func setThroughReplicator(_ target: Target) throws -> Range<Int> {
    try store.succeed("set", target.address, "\(target.pointer)=edited through replicator")
    let edited = try Files.read(path)
    let literal = Array(#""edited through replicator""#.utf8)
    let start = try #require(Self.place(of: literal, in: edited))
    let end = original.count - (edited.count - start - literal.count)
    try #require(start < end)
    #expect(original[..<start] == edited[..<start])
    #expect(original[end...] == edited[(start + literal.count)...])
    #expect(try JSON.parse(Array(original[start..<end])) == target.old)
    try expectGone(target, "edited through replicator")
    return start..<end
  }

  /// Changes the same value as an editor would; what comes back are the bytes of the editor.
  func editByHand(_ target: Target, at place: Range<Int>) throws {
    let literal = Array(#""by hand""#.utf8)
    let edited = Array(original[..<place.lowerBound] + literal + original[place.upperBound...])
    try Files.write(edited, to: path)
    try store.succeed("watch", "--once")
    #expect(try Files.read(path) == edited)
    try expectGone(target, "by hand")
  }

  /// The value is the new one, and nobody had to decide anything.
  private func expectGone(_ target: Target, _ value: String) throws {
    #expect(try store.run("get", target.value).stdout == "\"\(value)\"\n")
    let entries = try store.log()
    #expect(entries == [], "\(entries)")
    try store.verify()
  }

  private static func place(of part: [UInt8], in bytes: [UInt8]) -> Int? {
    guard part.count <= bytes.count else { return nil }
    return (0...(bytes.count - part.count)).first { bytes[$0...].starts(with: part) }
  }
}

/// A value to edit.
struct Target {
  var address: String
  var pointer: String
  var old: JSON

  /// The address of the value itself.
  var value: String {
    address.hasSuffix(":/") ? address + pointer.dropFirst() : address + pointer
  }

  /// A member of the last record that has one which is no part of its id; else one outside.
  static func first(in store: TestStore) throws -> Target? {
    let records = try store.json("list", "sample")["records"]?.elements ?? []
    for record in records.reversed() {
      guard let id = record["record"], let value = record["value"] else { continue }
      guard let (pointer, old) = member(of: value, except: id) else { continue }
      let collection = record["collection"]?.string.map { ":" + $0 } ?? ""
      // A composite id is a list of its parts.
      let part = id.elements.isEmpty ? "#" + id.compact : id.compact
      let word = id.string.map { escaped("\"\($0)\"") } ?? escaped(part)
      return Target(address: "sample\(collection)/\(word)", pointer: pointer, old: old)
    }
    // Settings with comments, which the parser of these tests does not read.
    if try store.run("get", "sample:/editor.fontSize").stdout == "13\n" {
      return Target(
        address: "sample:/", pointer: "/editor.fontSize", old: try JSON.parse([0x31, 0x33]))
    }
    // The records are scalars; then there is something beside them.
    let ids = records.compactMap { $0["record"]?.label }
    let beside = try JSON.parse(store.run("export", "sample").output).members
      .filter { !ids.contains(String(decoding: $0.key, as: UTF16.self)) }
    return member(of: .object(beside)).map { Target(address: "sample:/", pointer: $0, old: $1) }
  }

  /// The place of a scalar in a value, else of an array; nil where there is neither.
  static func member(of value: JSON, except id: JSON? = nil) -> (String, JSON)? {
    let all = members(of: value, below: "").filter { $0.1.label != id?.label }
    return all.last { $0.1.elements.isEmpty } ?? all.last
  }

  private static func members(of value: JSON, below pointer: String) -> [(String, JSON)] {
    value.members.flatMap { member in
      let place = pointer + "/" + escaped(String(decoding: member.key, as: UTF16.self))
      if case .object = member.value { return members(of: member.value, below: place) }
      return [(place, member.value)]
    }
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("~", with: "~0").replacing("/", with: "~1")
  }
}
