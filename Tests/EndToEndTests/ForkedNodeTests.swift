import Testing

/// A machine comes back with an older image of its disk, or is copied with its node identity.
struct ForkedNodeTests {
  private let first: TestStore
  private let second: TestStore

  init() throws {
    first = try TestStore(documents: ["hosts.json": Samples.hosts])
    second = try TestStore(joining: first, documents: ["hosts.json"])
  }

  private func exchange() throws {
    for _ in 0..<2 {
      try second.receiveLonger(from: first)
      _ = try second.run("sync", node: "two")
      try first.receiveLonger(from: second)
      _ = try first.run("sync")
    }
  }

  @Test func `what a restored machine writes before any contact was seen by nobody`() throws {
    try exchange()
    let image = try Files.tree(first.root)
    try first.succeed("set", "hosts/h1", "name=lost")
    try first.succeed("set", "hosts/h2", "note=lost")
    try exchange()
    try second.succeed("set", "hosts/h3", "note=second", node: "two")
    try exchange()
    try Files.putBack(image, at: first.root)
    // These get the numbers of lines that the other machine has read.
    try first.succeed("set", "hosts/h3", "name=after")
    try first.succeed("set", "hosts/h4", "name=created")
    try first.succeed("set", "hosts/h2", "port=2222")
    for number in 1...3 {
      try first.succeed("set", "hosts/h1", "z\(number)=longer than what the other has")
    }
    try exchange()
    for store in [first, second] {
      let text = try store.text("hosts.json")
      for value in [#""after""#, #""created""#, "2222", #""second""#, #""lost""#, #""z3""#] {
        #expect(text.contains(value), "\(value) in \(text)")
      }
    }
    #expect(try first.text("hosts.json") == second.text("hosts.json"))
    #expect(try !second.log("--kind", "node-fork", node: "two").isEmpty)
    let lost = try second.log("--all", node: "two").compactMap { $0["discarded"] }
    #expect(!lost.isEmpty && !lost.contains { "\($0)".contains("after") })
    try first.verify()
    try second.verify()
  }
}
