import LosslessJSON
package import Merging

/// `local/nodes.json`: which nodes belong to this machine.
///
/// It never travels: a name known only from another machine makes a new node here.
package struct LocalNodes: Equatable, Sendable {
  package struct Node: Equatable, Sendable {
    package var name: String
    package var id: NodeID
    /// The epoch that the node writes in, and the machine and boot that began it.
    package var epoch: UInt32
  }

  /// Machine on which the store's local part was made; another one means a copied store.
  package var machine: String
  /// Where the store lay when the list was written; nil in lists of older builds.
  var place: StorePlace?
  package var nodes: [Node] = []
  /// Ids under which nodes of this machine wrote until they were found to be forked.
  var former: [NodeID] = []

  package init(machine: String) { self.machine = machine }

  package func node(named name: String) -> Node? {
    nodes.first { $0.name.utf8.elementsEqual(name.utf8) }
  }

  var json: [UInt8] {
    var line = LineBuilder()
    line.openObject()
    line.member("format", 1)
    line.member("machine", machine)
    if let place {
      line.name("place")
      line.openObject()
      line.member("root", place.root)
      line.member("device", hex: place.device)
      line.member("inode", hex: place.inode)
      line.closeObject()
    }
    line.name("nodes")
    line.openArray()
    for node in nodes {
      line.openObject()
      line.member("name", node.name)
      line.member("id", hex: node.id.raw)
      line.member("epoch", node.epoch)
      line.closeObject()
    }
    line.closeArray()
    if !former.isEmpty {
      line.name("former")
      line.openArray()
      for id in former { line.hex(id.raw) }
      line.closeArray()
    }
    line.closeObject()
    return line.bytes + [UInt8(ascii: "\n")]
  }

  init(parsing bytes: [UInt8]) throws(FormatError) {
    let root = try JSONNode.sealedRoot(of: bytes)
    self.init(machine: try root.requireField("machine").string())
    if let place = root.field("place") {
      self.place = StorePlace(
        root: try place.requireField("root").string(),
        device: try place.requireField("device").hex(),
        inode: try place.requireField("inode").hex())
    }
    for id in root.field("former")?.elements.map({ $0 }) ?? [] {
      former.append(NodeID(raw: try id.hex()))
    }
    for node in try root.requireField("nodes").elements {
      nodes.append(
        Node(
          name: try node.requireField("name").string(),
          id: NodeID(raw: try node.requireField("id").hex()),
          epoch: UInt32(clamping: try node.requireField("epoch").integer())))
    }
  }
}
