package import LosslessJSON
import Merging

/// Something that a configuration says and this release does not act on as it is written.
package struct ConfigurationRemark: Equatable, Sendable, CustomStringConvertible {
  /// A keyword in the schema of a client.
  package struct Keyword: Equatable, Sendable {
    package var name: String
    package var client: String
    /// What the schema is of: `hosts:items`, or `hosts` for what lies outside of the collections.
    package var place: String
    /// Nil: it stands in the configuration itself.
    package var file: String?
    /// How often the schema has it.
    package var count: Int
    /// Whether it would change an answer: then nothing is taken for known of the client there.
    package var isUndeclared: Bool
  }

  /// In the configuration; of a keyword the first place in its schema.
  package var path: JSONPointer
  /// Nil: a member of the configuration.
  package var keyword: Keyword?

  package var description: String {
    guard let keyword else {
      return "\(path) in the configuration is not known to this release and has no effect"
    }
    let schema = keyword.file.map { "the schema '\($0)'" } ?? "the schema"
    if path.isRoot {
      return
        "client \(keyword.client), \(keyword.place): \(schema) is none: there the client counts"
        + " as undeclared"
    }
    let others = keyword.count > 1 ? " and \(keyword.count - 1) more" : ""
    let meaning =
      keyword.isUndeclared
      ? "is not understood: there the client counts as undeclared"
      : "is no known keyword and has no effect"
    return "client \(keyword.client), \(keyword.place): '\(keyword.name)' at \(path)\(others) in"
      + " \(schema) \(meaning)"
  }
}

extension Configuration {
  /// What a person should be told of; nothing of it is an error.
  package var remarks: [ConfigurationRemark] {
    unknownMembers.map { ConfigurationRemark(path: $0) }
      + clients.flatMap { client in
        client.schemas.map { place, schema in
          (place.document + (place.collection.map { ":\($0)" } ?? ""), schema)
        }.sorted { $0.0 < $1.0 }.flatMap { place, schema in
          schema.remarks(client: client.name, place: place)
        }
      }
  }
}

extension JSONSchema {
  /// One for each keyword, whatever the number of its places.
  fileprivate func remarks(client: String, place: String) -> [ConfigurationRemark] {
    var found: [ConfigurationRemark] = []
    var known: [JSONKey: Int] = [:]
    let places = unsupported.map { ($0, true) } + unknown.map { ($0, false) }
    for (path, isUndeclared) in places {
      let name = path.last ?? ""
      if let index = known[name], found[index].keyword?.isUndeclared == isUndeclared {
        found[index].keyword?.count += 1
        continue
      }
      known[name] = found.count
      let keyword = ConfigurationRemark.Keyword(
        name: name.string, client: client, place: place, file: file, count: 1,
        isUndeclared: isUndeclared)
      found.append(ConfigurationRemark(path: path, keyword: keyword))
    }
    return found
  }
}
