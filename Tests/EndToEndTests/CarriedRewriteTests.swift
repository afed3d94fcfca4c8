import Testing

/// A carrier that brings documents as well as logs.
struct CarriedRewriteTests {
  /// The import that the other machine made of it waits for a line that is damaged here: its key must
  /// not keep the rewrite out, or the export would put the older values back into the file.
  @Test func `a rewrite whose import waits on this machine is taken in here`() throws {
    let one = try TestStore(documents: ["hosts.json": Samples.hosts])
    let two = try TestStore(joining: one, documents: ["hosts.json", "library.json"])
    try one.succeed("sync")
    try two.succeed("sync")
    let before = try one.text("hosts.json")
    let rewrite = before.replacing("\"id\"", with: "\"new\": 1, \"id\"")
    #expect(rewrite != before)

    // What the other machine did last before it took the rewrite in.
    try one.succeed("set", "library/b1", "title=New")
    try Files.replace(one.path("hosts.json"), with: Array(rewrite.utf8))
    try one.succeed("sync")
    try two.receive(from: one)
    try damage(two, one)
    try Files.replace(two.path("hosts.json"), with: Array(rewrite.utf8))
    let report = try two.run("sync").stdout
    #expect(try two.text("hosts.json").contains("\"new\": 1"), "\(report)")

    try two.receive(from: one)
    try two.succeed("sync")
    try one.receive(from: two)
    try one.succeed("sync")
    #expect(try one.text("hosts.json") == two.text("hosts.json"))
    #expect(try one.text("hosts.json").contains("\"new\": 1"))
    #expect(try one.log("--open") == [])
    for machine in [one, two] { try machine.verify() }
  }

  /// Makes the line of the log unreadable that has the library's book.
  private func damage(_ machine: TestStore, _ owner: TestStore) throws {
    let node = try #require(try owner.ownNodes().first)
    let folder = machine.path(".replicator/nodes/\(node)/log")
    for name in try Files.names(below: folder, where: { _ in true }) {
      let path = folder + "/" + name
      let text = try Files.text(path)
      let damaged = text.replacing("\"New\\\"", with: "\"Old\\\"")
      #expect(damaged != text)
      try Files.write(damaged, to: path)
    }
  }
}
