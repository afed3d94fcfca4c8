package import LosslessJSON

/// What the configuration says of the members of one collection's records; pointers inside a record.
package struct RecordRules: Equatable, Sendable {
  package var groups: [String: [JSONPointer]] = [:]
  package var sets: Set<JSONPointer> = []
  /// Arrays of objects with an id: the array's place and the place of the id inside an element.
  package var keyed: [JSONPointer: JSONPointer] = [:]
  package var volatile: Set<JSONPointer> = []
  package var local: Set<JSONPointer> = []
  package var derived: Set<JSONPointer> = []
  package var monotonic: Set<JSONPointer> = []

  package init() {}
}

/// The rules under which a state is evaluated; they come from the merged configuration.
package struct MergeRules: Equatable, Sendable {
  /// A collection, or with nil what lies outside the collections.
  package struct Place: Hashable, Sendable {
    package var document: String
    package var collection: String?

    package init(document: String, collection: String?) {
      self.document = document
      self.collection = collection
    }
  }

  package var places: [Place: RecordRules]

  package init(places: [Place: RecordRules] = [:]) { self.places = places }

  package func rules(document: String, collection: String?) -> RecordRules {
    places[Place(document: document, collection: collection)] ?? RecordRules()
  }
}
