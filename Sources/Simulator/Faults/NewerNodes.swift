import Storage
import SystemCalls

/// Nodes of a build that is newer than ours: one has a feature that we need not know, one has one that we
/// must.
extension World {
  private static let known = "00000000000000a1"
  private static let unknown = "00000000000000a2"

  /// A carrier brings one of them; where ours must stop, it is gone again the next time.
  func bringNewerNode(_ machine: Machine, _ chance: inout Chance) throws {
    if try takeNewerNode(from: machine) { return }
    let isRequired = chance.once(in: 2)
    let id = isRequired ? Self.unknown : Self.known
    let path = Machine.control.appending(StoreLayout.nodeFile(id))
    let feature = #"["from-the-future"]"#
    let features =
      #""requires":\#(isRequired ? feature : "[]"),"optional":\#(isRequired ? "[]" : feature)"#
    try machine.files.makeDirectories(Machine.control.appending(StoreLayout.log(id)))
    try machine.files.put(
      Array(#"{"format":1,"id":"\#(id)","name":"newer","release":"99",\#(features)}"#.utf8),
      at: path)
    marks.hit("newer node that \(isRequired ? "stops" : "does not stop") us")
  }

  /// - Returns: whether it was there.
  @discardableResult
  func takeNewerNode(from machine: Machine) throws -> Bool {
    let path = Machine.control.appending(StoreLayout.nodeFile(Self.unknown))
    guard machine.files.status(path) != nil else { return false }
    // Also what a carrier put beside it.
    let node = path.parent
    for name in try machine.files.names(node) where name != "log" {
      try machine.files.remove(node.appending(name))
    }
    for folder in [StoreLayout.log(Self.unknown), StoreLayout.node(Self.unknown)] {
      try machine.files.removeDirectory(Machine.control.appending(folder))
    }
    return true
  }
}
