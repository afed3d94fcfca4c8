package import LosslessJSON

/// The part of JSON Schema (draft 2020-12) that says what a client knows of a value.
package struct JSONSchema: Equatable, Sendable {
  /// What a client does with members that its schema does not name.
  enum Additional: Equatable, Sendable {
    /// Not said; such members are dropped where `properties` stands.
    case unsaid
    case forbidden
    case allowed
    case schema(Int)
  }

  struct Node: Equatable, Sendable {
    var reference: Int?
    var isFalse = false
    var properties: [JSONKey: Int]?
    var items: Int?
    var additional = Additional.unsaid
    var types: Set<String>?
    var enumeration: [JSONText]?
    var defaultValue: JSONText?
    var required: [JSONKey] = []
  }

  /// How well the client knows one place in a value.
  enum Place: Hashable, Sendable {
    /// It drops what is here.
    case unknown
    /// It knows what is here to any depth.
    case whole
    case node(Int)
  }

  var nodes: [Node]
  /// Keywords that would change the answers but are not understood, with their places.
  package var unsupported: [JSONPointer]
  /// Words that are no keywords, with their places; they have no effect.
  package var unknown: [JSONPointer] = []
  /// Where it was read from; nil: from the configuration itself.
  package var file: String?

  /// The place of the whole value.
  var root: Place { place(0) }

  /// The nodes with references followed, so that nothing has to be followed later.
  ///
  /// A node's own `default` wins over that of the target.
  static func resolved(_ nodes: [Node]) -> [Node] {
    nodes.map { node in
      var node = node
      var own = node.defaultValue
      // A chain of references that is longer than the nodes is a circle: nothing is said by it.
      var left = nodes.count
      while let next = node.reference, left > 0 {
        node = nodes[next]
        own = own ?? node.defaultValue
        left -= 1
      }
      node.defaultValue = own
      return node
    }
  }

  private func place(_ index: Int) -> Place { nodes[index].isFalse ? .unknown : .node(index) }

  /// The place of a member of an object at `place`.
  func member(_ key: JSONKey, of place: Place) -> Place {
    guard case .node(let index) = place else { return place }
    if let child = nodes[index].properties?[key] { return self.place(child) }
    switch nodes[index].additional {
    case .schema(let child): return self.place(child)
    case .allowed: return .whole
    case .forbidden: return .unknown
    case .unsaid:
      return nodes[index].properties == nil && nodes[index].items == nil ? .whole : .unknown
    }
  }

  /// The place of an element of an array at `place`.
  func element(of place: Place) -> Place {
    guard case .node(let index) = place else { return place }
    if let child = nodes[index].items { return self.place(child) }
    return nodes[index].properties == nil ? .whole : .unknown
  }

  func place(at path: JSONPointer) -> Place {
    path.tokens.reduce(root) { member($1, of: $0) }
  }

  /// Whether a value of this place is known to any depth, whatever it holds.
  func isWhole(_ place: Place) -> Bool {
    guard case .node(let index) = place else { return place == .whole }
    let node = nodes[index]
    return node.properties == nil && node.items == nil
      && (node.additional == .unsaid || node.additional == .allowed)
  }

  /// The values that the client knows here and the one that it puts for others.
  func enumeration(at place: Place) -> (values: [JSONText], fallback: JSONText?)? {
    guard case .node(let index) = place else { return nil }
    guard let values = nodes[index].enumeration else { return nil }
    return (values, nodes[index].defaultValue)
  }

  /// What the client fills in where the member is absent: a default that is no fallback.
  func fill(at place: Place) -> JSONText? {
    guard case .node(let index) = place else { return nil }
    return nodes[index].enumeration == nil ? nodes[index].defaultValue : nil
  }
}
