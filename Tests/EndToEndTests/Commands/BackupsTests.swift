import Testing

/// `backups` and `rollback`.
struct BackupsTests {
  @Test func `every listed version has an address of its own that rollback takes`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    var written: [String: String] = [:]
    for number in 1...3 {
      // A program's rewrite that an edit meets, so that the export is another content.
      try store.succeed("set", "hosts/h1", "port:=\(number)")
      let before = "\(try store.generation("hosts") - 1)"
      let rewrite = try store.run("export", "hosts", "--generation", before).stdout
        .replacing("\"three\"", with: "\"drei \(number)\"").replacing("\"drei", with: "\"\(number)")
      try Files.write(rewrite, to: store.path("hosts.json"))
      try store.succeed("sync")
    }
    let listed = try store.json("backups", "hosts")["backups"]?.elements ?? []
    #expect(listed.count >= 4)
    for backup in listed {
      let address = try #require(backup["address"]?.string)
      #expect(written[address] == nil, "\(address) twice")
      written[address] = try Files.text(try #require(backup["path"]?.string))
    }
    let generations = listed.compactMap { $0["generation"]?.int }
    #expect(generations.count < listed.count && !generations.isEmpty)
    let lines = try store.succeed("backups", "hosts").stdout.split(separator: "\n")
    #expect(Set(lines.map { String($0.prefix { $0 != " " }) }) == Set(written.keys))
    for (address, text) in written {
      try store.succeed("rollback", "hosts", address)
      #expect(try store.text("hosts.json") == text, "\(address)")
    }
    try store.verify()
  }

  @Test func `a number is that of an export, and what is not there is named with what is`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    let rewrite = Samples.hosts.replacing("\"three\"", with: "\"drei\"")
    try store.succeed("set", "hosts/h1", "port:=1")
    try Files.write(rewrite, to: store.path("hosts.json"))
    try store.succeed("sync")
    let merged = try store.text("hosts.json")
    #expect(merged != rewrite)
    try store.succeed("rollback", "hosts", "1")
    #expect(try store.text("hosts.json") == Samples.hosts)
    try store.succeed("rollback", "hosts", "3")
    #expect(try store.text("hosts.json") == merged)
    let unknown = try store.run("rollback", "hosts", "99")
    #expect(unknown.status == 1, "\(unknown)")
    let kept = try #require(
      unknown.stderr.split(separator: ";").last?.dropFirst(" kept are ".count))
    let addresses = kept.split(separator: "\n")[0].split(separator: ",").map {
      $0.filter { $0 != " " }
    }
    #expect(Set(addresses).count == addresses.count && addresses.contains { $0.count == 16 })
    let last = try #require(addresses.last { $0.count == 16 })
    try store.succeed("rollback", "hosts", String(last.prefix(6)))
    #expect(try store.text("hosts.json") == rewrite)
    #expect(try store.run("rollback", "hosts", "ffffffffffffffff").status == 1)
    for word in ["xyz", "0", "-1", "abc"] {
      #expect(try store.run(["rollback", "hosts", "--", word]).status == 64, "\(word)")
    }
  }
}
