import LosslessJSON
import Merging
import Testing

@testable import Records

@Suite struct ConfigurationTests {
  private func configuration(
    _ text: String, _ schemas: [String: String] = [:]
  ) throws -> Configuration {
    try Configuration(parsing: Array(text.utf8)) { schemas[$0].map { Array($0.utf8) } }
  }

  private func failure(_ text: String) -> ConfigurationError? {
    do {
      _ = try configuration(text)
      return nil
    } catch {
      return error as? ConfigurationError
    }
  }

  private static let full = """
    {"format":1,"x":1,"documents":{"hosts":{"file":"hosts.json","dialect":"jsonc","y":2,
     "collections":[{"name":"items","at":"/items","kind":"array","id":"/id","z":3},
       {"name":"gone","at":"/gone","kind":"map"}],
     "groups":{"endpoint":["items:/hostname","items:/port"]},"sets":["/tags"],
     "keyed":{"items:/tunnels":"/name"},"volatile":["/lastSeen"],"local":["gone:/l"],
     "secrets":["/token"],"monotonic":["/schemaVersion","items:/rev"],"marker":"/generation",
     "massDelete":{"minimum":2,"fraction":0.25},"clients":["old"]}},
     "clients":{"old":{"schemas":{"hosts:items":"s.json","hosts":{"properties":{"items":{}}}},
       "numbers":"double","strings":"replaces-lone-surrogates","omitsNull":true,
       "dropsUndecodable":["/kind"],"always":["/id"]},"new":{"understands":"everything"}},
     "backups":{"keep":3},"generations":{"keep":5,"days":2},"quarantine":{"keep":7,"bytes":8},
     "history":{"days":null}}
    """

  @Test func `every member is read`() throws {
    let configuration = try configuration(Self.full, ["s.json": #"{"properties":{"id":{}}}"#])
    let hosts = try #require(configuration.document(named: "hosts"))
    #expect(hosts.shape.dialect == .jsonc)
    #expect(hosts.shape.collections.map(\.name) == ["items", "gone"])
    let items = hosts.rules(collection: "items")
    #expect(items.groups == ["endpoint": [pointer("/hostname"), pointer("/port")]])
    #expect(items.sets == [pointer("/tags")])
    #expect(items.keyed == [pointer("/tunnels"): pointer("/name")])
    #expect(items.monotonic == [pointer("/rev")])
    #expect(items.local.isEmpty)
    #expect(hosts.rules(collection: "gone").local == [pointer("/l")])
    #expect(hosts.rules(collection: "gone").sets == [pointer("/tags")])
    #expect(hosts.rules(collection: nil).monotonic == [pointer("/schemaVersion")])
    #expect(hosts.rules(collection: nil).sets.isEmpty)
    #expect(hosts.marker == pointer("/generation"))
    #expect(hosts.massDelete == .init(minimum: 2, fraction: 0.25))
    let old = try #require(configuration.client(named: "old"))
    #expect(old.numbers == .double && old.strings == .replacesLoneSurrogates && old.omitsNull)
    #expect(old.drops == .mistypedOrOutsideEnum([pointer("/kind")]))
    #expect(old.always == [pointer("/id")])
    #expect(!old.knows(pointer("/x"), at: .init(document: "hosts", collection: "items")))
    #expect(configuration.client(named: "new")?.understandsEverything == true)
    #expect(configuration.retention.generationsKeep == 5)
    #expect(configuration.retention.historyDays == nil)
    #expect(
      configuration.unknownMembers.map(\.description)
        == ["/x", "/documents/hosts/collections/0/z", "/documents/hosts/y"])
    #expect(
      configuration.mergeRules.rules(document: "hosts", collection: "items") == items)
  }

  @Test func `rules of a document of one record hold outside the collections`() throws {
    let configuration = try configuration(
      #"""
      {"documents":{"d":{"file":"d","collections":[{"name":"items","at":"","kind":"document"}],
      "sets":["/t"],"groups":{"g":["/a","/b"]},"monotonic":["/v"]}}}
      """#)
    let rules = configuration.documents[0].rules(collection: nil)
    #expect(rules.sets == [pointer("/t")] && rules.monotonic == [pointer("/v")])
    #expect(rules.groups["g"]?.count == 2)
  }

  @Test(arguments: [
    ("[]", "", "an object"), ("{", "", "JSON"), (#"{"format":2}"#, "/format", "format 1"),
    (#"{"documents":{"a/b":{}}}"#, "/documents/a~1b", "name"),
    (#"{"documents":{"a":{}}}"#, "/documents/a", "file"),
    (#"{"documents":{"a":{"file":"","collections":[]}}}"#, "/documents/a/file", "below the store"),
    (#"{"documents":{"a":{"file":"/f","collections":[]}}}"#, "/documents/a/file", "below"),
    (#"{"documents":{"a":{"file":"b/../../f","collections":[]}}}"#, "/documents/a/file", "below"),
    (
      #"{"documents":{"a":{"file":".replicator/local/nodes.json","collections":[]}}}"#,
      "/documents/a/file", "below"
    ),
    (#"{"documents":{"a":{"file":"f\u0000","collections":[]}}}"#, "/documents/a/file", "below"),
    (
      #"{"documents":{"a":{"file":"f","collections":[{"name":"i","kind":"tree"}]}}}"#,
      "/documents/a/collections/0/kind", "one of array"
    ),
    (
      #"{"documents":{"a":{"file":"f","collections":[{"name":"i","at":"x"}]}}}"#,
      "/documents/a/collections/0/at", "JSON Pointer"
    ),
    (
      #"{"documents":{"a":{"file":"f","collections":[{"name":"i"},{"name":"i","at":"/i"}]}}}"#,
      "/documents/a/collections/1", "twice"
    ),
    (
      #"{"documents":{"a":{"file":"f","collections":[{"name":"i"},{"name":"j","at":"/i"}]}}}"#,
      "/documents/a/collections/1", "another collection"
    ),
    (
      #"{"documents":{"a":{"file":"f","collections":[],"clients":["c"]}}}"#,
      "/documents/a/clients", "client c"
    ),
    (
      #"{"documents":{"a":{"file":"f","collections":[],"sets":["q:/x"]}}}"#,
      "/documents/a/sets/0", "collection q"
    ),
    (#"{"clients":{"c":{"schemas":{"a":"no.json"}}}}"#, "/clients/c/schemas/a", "no.json"),
    (#"{"backups":{"keep":-1}}"#, "/backups/keep", "limits"),
  ])
  func `an error names its place and its reason`(
    _ text: String, _ place: String, _ word: String
  ) throws {
    let error = try #require(failure(text))
    #expect(error.pointer == pointer(place))
    #expect(error.description.contains(word), "\(error)")
  }

  @Test func `schemas say what is known, to any depth`() throws {
    let profile = try ClientProfile.declared(
      #"""
      {"$defs":{"t":{"properties":{"a":{},"down":{"$ref":"#/$defs/t"}}}},
       "properties":{"t":{"$ref":"#/$defs/t"},"open":{"properties":{"x":{}},
       "additionalProperties":true},"map":{"additionalProperties":{"properties":{"y":{}}}},
       "whole":{},"list":{"items":{"properties":{"z":{}}}},"never":false,
       "e":{"enum":["a","b"],"default":"a"},"d":{"default":7}}}
      """#)
    let place = MergeRules.Place(document: "doc", collection: "items")
    let knows = { (path: String) in profile.knows(pointer(path), at: place) }
    #expect(knows("/t/a") && knows("/t/down/down/a") && !knows("/t/down/b"))
    #expect(knows("/open/other") && knows("/map/k/y") && !knows("/map/k/n"))
    #expect(knows("/whole/any/thing") && !knows("/never") && !knows("/other"))
    #expect(profile.fill(pointer("/d"), at: place)?.description == "7")
    #expect(profile.fill(pointer("/e"), at: place) == nil)
    #expect(profile.enumeration(pointer("/e"), at: place)?.fallback?.description == #""a""#)
    #expect(profile.isUndeclared(.init(document: "doc", collection: nil)))
  }

  @Test func `keywords that are not understood leave the client undeclared there`() throws {
    let profile = try ClientProfile.declared(#"{"properties":{"a":{"anyOf":[{}]}}}"#)
    let place = MergeRules.Place(document: "doc", collection: "items")
    #expect(profile.schemas[place]?.unsupported == [pointer("/properties/a/anyOf")])
    #expect(profile.isUndeclared(place))
  }
}
