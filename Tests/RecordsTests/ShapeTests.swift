import LosslessJSON
import Merging
import Testing

@testable import Records

/// The real document shapes: taken apart, put together, recognised.
@Suite struct ShapeTests {
  struct Sample: CustomTestStringConvertible, Sendable {
    var folder: String
    var file: String
    var shape: DocumentShape
    var testDescription: String { folder }

    var bytes: [UInt8] { get throws { try Fixtures.bytes("shapes/\(folder)/\(file)") } }
  }

  static let folders = [
    "s01-ha-device-registry", "s02-bitwarden-export", "s04-windows-terminal-settings",
    "s05-vscode-settings", "s06-vscode-keybindings", "s07-csl-json", "s08-dbeaver-data-sources",
    "s09-docker-config", "s10-kubeconfig-json", "s11-npm-package-lock", "s12-geojson",
    "s13-jupyter-notebook", "s14-node-red-flows", "s15-obsidian-canvas", "s16-excalidraw",
    "s17-ansible-inventory", "s18-openhab-jsondb", "s20-iso-codes", "s21-geonames-cities",
    "s22-book-library", "s23-countries", "s24-zigbee2mqtt-database", "s27-plugin-path-map",
    "s28-mcp-servers",
  ]

  static let samples: [Sample] = folders.compactMap { try? sample($0) }

  /// Reads what shape.json says by way of a configuration, as a user would write it.
  static func sample(_ folder: String) throws -> Sample {
    let root = try Fixtures.tree("shapes/\(folder)/shape.json").root
    let file = root.member("file")?.decodedString?.string ?? ""
    let dialect = root.member("dialect")?.text.description ?? "\"json\""
    // A sample that calls its lines a kind means a list of records in JSON Lines.
    let collections = (root.member("collections")?.text.description ?? "[]")
      .replacing("\"kind\": \"jsonl\"", with: "\"kind\": \"array\"")
    let text =
      "{\"documents\":{\"doc\":{\"file\":\"x\",\"dialect\":\(dialect),\"collections\":\(collections)}}}"
    let configuration = try Configuration(parsing: Array(text.utf8)) { _ in nil }
    return Sample(folder: folder, file: file, shape: configuration.documents[0].shape)
  }

  @Test func `every sample of kind array, map or document is read`() {
    #expect(Self.samples.count == Self.folders.count)
  }

  @Test(arguments: samples) func `a sample comes back byte for byte`(_ sample: Sample) throws {
    let bytes = try sample.bytes
    let split = try SplitDocument(bytes: bytes, shape: sample.shape)
    #expect(text(split.assembled()) == text(bytes))
    #expect(split.missing.isEmpty)
    if !sample.shape.isOneRecord { #expect(split.records.count > 0) }
    #expect(split.records.allSatisfy { $0.id != nil })
  }

  @Test(arguments: samples) func `a sample comes back with its style changed`(
    _ sample: Sample
  ) throws {
    let bytes = try sample.bytes
    let crlf = bytes.flatMap { $0 == 0x0A ? [0x0D, 0x0A] : [$0] }
    let variants = [
      crlf, [0xEF, 0xBB, 0xBF] + bytes, bytes.last == 0x0A ? bytes.dropLast() : bytes + [0x0A],
      Self.tabbed(bytes),
    ]
    for variant in variants {
      let split = try SplitDocument(bytes: Array(variant), shape: sample.shape)
      #expect(split.assembled() == Array(variant))
    }
  }

  /// The same with tabs where lines begin with blanks.
  private static func tabbed(_ bytes: [UInt8]) -> [UInt8] {
    var isStart = true
    return bytes.map { byte in
      defer { isStart = byte == 0x0A || isStart && byte == 0x20 }
      return isStart && byte == 0x20 ? 0x09 : byte
    }
  }

  @Test(arguments: samples) func `a sample is recognised`(_ sample: Sample) throws {
    let tree = try JSONTree(parsing: sample.bytes, dialect: sample.shape.dialect.scanner)
    let detected = DocumentShape.detect(in: tree, dialect: sample.shape.dialect)
    let places = { (shape: DocumentShape) in
      shape.collections.map { "\($0.kind) \($0.at) \($0.id) \($0.except.sorted())" }.sorted()
    }
    var expected = sample.shape
    if sample.folder.hasPrefix("s04"),
      let index = expected.collections.firstIndex(where: { $0.name == "keybindings" })
    {
      // One record of the sample cannot show that the id alone would not do.
      expected.collections[index].id = [pointer("/id")]
    }
    #expect(places(detected) == places(expected))
    if sample.folder.hasPrefix("s12") { #expect(detected.collections[0].idMode == .firstPresent) }
  }

  /// Trees, where each level has a list of the same name, and lists that have others in their records.
  static let trees = [
    (
      #"{"roots":{"bar":{"guid":"a","children":[{"guid":"b","children":[{"guid":"c"}]}]}},"v":1}"#,
      ""
    ),
    (#"{"guid":"a","id":1,"children":[{"guid":"b","id":2,"children":[{"guid":"c","id":7}]}]}"#, ""),
    (#"{"posts":[{"id":1,"replies":[{"id":2,"replies":[]}]}]}"#, "/posts"),
    (#"{"items":[{"id":1,"children":[1,2]}],"children":[]}"#, "/items"),
    (#"{"hosts":{"a":{"tags":["x"],"list":[{"n":1}],"n":1}}}"#, "/hosts"),
  ]

  @Test(arguments: trees)
  func `a tree is one record with all that is in it`(document: String, place: String) throws {
    let shape = DocumentShape.detect(in: try JSONTree(parsing: Array(document.utf8)))
    #expect(shape.collections.map(\.at.description) == [place])
    #expect(shape.isOneRecord == place.isEmpty)
  }

  @Test(arguments: samples) func `what is printed for a shape reads as the same shape`(
    _ sample: Sample
  ) throws {
    let entry = sample.shape.configurationEntry(file: "a/b.json")
    let text = "{\"documents\":{\"doc\":\(entry)}}"
    let configuration = try Configuration(parsing: Array(text.utf8)) { _ in nil }
    #expect(configuration.documents[0].shape == sample.shape)
    #expect(configuration.documents[0].file == "a/b.json")
  }

  @Test(arguments: samples) func `a rewrite without a change asks for nothing`(
    _ sample: Sample
  ) throws {
    let split = try SplitDocument(bytes: sample.bytes, shape: sample.shape)
    let request = ImportRequest(
      document: Configuration.Document(shape: sample.shape), incoming: split,
      candidates: [BaseCandidate(1, split)], writer: .oneOf([]))
    let plan = ImportPlanner.plan(request)
    #expect(plan.outcome == .nothing)
    #expect(plan.changes.isEmpty && plan.decisions.isEmpty)
  }
}
