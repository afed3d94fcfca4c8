import LosslessJSON
package import Merging

/// `local/bindings/B/binding.json`: a document of some nodes of this machine at one real path.
package struct Binding: Equatable, Sendable {
  package var document: String
  /// The real path of the file.
  package var path: String
  /// The nodes whose place for the document this is, and the clients each named with `add`.
  package var nodes: [Node]

  package struct Node: Equatable, Sendable {
    package var id: NodeID
    package var clients: [String]
    /// True after `remove`: the node neither imports nor exports here, although the path is the
    /// document's default place.
    package var isUnbound: Bool

    package init(id: NodeID, clients: [String], isUnbound: Bool = false) {
      self.id = id
      self.clients = clients
      self.isUnbound = isUnbound
    }
  }

  package init(document: String, path: String, nodes: [Node]) {
    self.document = document
    self.path = path
    self.nodes = nodes
  }

  var json: [UInt8] {
    var line = LineBuilder()
    line.openObject()
    line.member("format", 1)
    line.member("document", document)
    line.member("path", path)
    line.name("nodes")
    line.openArray()
    for node in nodes {
      line.openObject()
      line.member("id", hex: node.id.raw)
      line.name("clients")
      line.openArray()
      for client in node.clients { line.string(client) }
      line.closeArray()
      if node.isUnbound {
        line.name("unbound")
        line.bool(true)
      }
      line.closeObject()
    }
    line.closeArray()
    line.closeObject()
    return line.bytes + [UInt8(ascii: "\n")]
  }

  init(parsing bytes: [UInt8]) throws(FormatError) {
    let root = try JSONNode.root(of: bytes)
    self.init(
      document: try root.requireField("document").string(),
      path: try root.requireField("path").string(), nodes: [])
    for node in try root.requireField("nodes").elements {
      var clients: [String] = []
      for client in try node.requireField("clients").elements {
        clients.append(try client.string())
      }
      nodes.append(
        Node(
          id: NodeID(raw: try node.requireField("id").hex()), clients: clients,
          isUnbound: node.field("unbound")?.kind == .true))
    }
  }
}
