import LosslessJSON
package import Merging
package import SystemCalls

/// `local/bindings/B/binding.json`: a document of some nodes of this machine at one place.
package struct Binding: Equatable, Sendable {
  package var document: String
  /// The real path of the file when a pass last found it.
  package var path: String
  /// The symbolic link that a person named, and that is followed anew by every pass; nil where the
  /// name is the real path.
  package var link: String?
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

  package init(document: String, path: String, link: String? = nil, nodes: [Node]) {
    self.document = document
    self.path = path
    self.link = link
    self.nodes = nodes
  }

  /// A document that is named by one path and lies at another, or the same.
  package init(document: String, named: FilePath, at place: FilePath, nodes: [Node] = []) {
    self.init(
      document: document, path: place.string, link: named == place ? nil : named.string,
      nodes: nodes)
  }

  /// The path that a person named.
  package var named: FilePath { FilePath(link ?? path) }

  /// Whether some node imports and exports here.
  package var isActive: Bool { nodes.contains { !$0.isUnbound } }

  package func isOf(_ document: String) -> Bool {
    self.document.utf8.elementsEqual(document.utf8)
  }

  /// Whether the path names its file, or the file lies there.
  package func claims(_ place: FilePath) -> Bool { FilePath(path) == place || named == place }

  var json: [UInt8] {
    var line = LineBuilder()
    line.openObject()
    line.member("format", 1)
    line.member("document", document)
    line.member("path", path)
    if let link { line.member("link", link) }
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
    let root = try JSONNode.sealedRoot(of: bytes)
    self.init(
      document: try root.requireField("document").string(),
      path: try root.requireField("path").string(),
      link: try root.field("link").map { (node) throws(FormatError) in try node.string() },
      nodes: [])
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

/// A binding of this machine and the name of its directory.
package typealias KnownBinding = (id: String, binding: Binding)
