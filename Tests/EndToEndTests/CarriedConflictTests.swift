import Testing

/// Three machines whose node directories a carrier copies: one journal for all of them.
struct CarriedConflictTests {
  /// Three machines that have one history and have then each written without the others.
  private func machines() throws -> [TestStore] {
    let origin = try TestStore(documents: ["hosts.json": Samples.hosts])
    let machines =
      try [origin]
      + (0..<2).map { _ in
        try TestStore(joining: origin, documents: ["hosts.json", "library.json"])
      }
    for (number, machine) in machines.enumerated() {
      try machine.succeed("set", "hosts/h1", "name=name of \(number)", "port:=\(number)")
      try machine.succeed("set", "hosts/h2", "note\(number)=of \(number)")
    }
    return machines
  }

  private func exchange(_ machines: [TestStore]) throws {
    for machine in machines {
      for other in machines where other !== machine { try machine.receive(from: other) }
    }
    for machine in machines { try machine.succeed("watch", "--once") }
    for machine in machines {
      for other in machines where other !== machine { try machine.receive(from: other) }
    }
  }

  private func ids(_ entries: [JSON]) -> [String] { entries.compactMap { $0["id"]?.string } }

  @Test func `the log shows the entries of all machines, each once and alike everywhere`() throws {
    let machines = try machines()
    // Something that only one machine sees: its file is damaged.
    try Files.write("{", to: machines[1].path("hosts.json"))
    try machines[1].succeed("watch", "--once")
    try exchange(machines)
    // Where the bytes lie is a matter of each machine.
    let logs = try machines.map { try $0.log().map { $0.without("file") } }
    #expect(logs[0] == logs[1] && logs[1] == logs[2])
    #expect(Set(ids(logs[0])).count == logs[0].count)
    let kinds = logs[0].compactMap { $0["kind"]?.string }.sorted()
    // Of three values of a field two lost.
    #expect(kinds == Array(repeating: "concurrent", count: 4) + ["unreadable"])
    let notice = try #require(logs[0].first { $0["kind"]?.string == "unreadable" })
    #expect(notice["node"]?.string == (try machines[1].ownNodes()).first)
    #expect(try machines.map { try $0.text("hosts.json") }.allSatisfy { $0.contains("note0") })
    // What stands in the journal files is the same as what follows from the logs.
    for machine in machines {
      for node in try machines.flatMap({ try $0.ownNodes() }) {
        let folder = machine.path(".replicator/nodes/\(node)/journal")
        var found: Set<String> = []
        for name in try Files.names(below: folder, where: { $0.hasSuffix(".jsonl") }) {
          for line in try Files.text(folder + "/" + name).split(separator: "\n") {
            if let id = try JSON.parse(String(line))["id"]?.string { found.insert(id) }
          }
        }
        #expect(found.isSubset(of: Set(ids(logs[0]))))
        #expect(found.count >= 4)
      }
    }
    for machine in machines { try machine.verify() }
  }

  @Test func `what one machine settled is settled on all, and restored only once`() throws {
    let machines = try machines()
    try exchange(machines)
    for machine in machines { #expect(try machine.log("--open").count == 4) }
    let lost = try machines[0].log("--open", "--path", "/name")
    try machines[0].succeed("restore", try #require(ids(lost).first))
    // Host name and port are a group, which has no path.
    let ports = try machines[1].log("--open").filter { $0["group"]?.string == "endpoint" }
    for id in ids(ports) { try machines[1].succeed("dismiss", id) }
    try exchange(machines)
    for machine in machines {
      #expect(try machine.log("--open") == [])
      #expect(try machine.log("--kind", "restored").count == 1)
      #expect(try machine.log("--kind", "dismissed").count == 2)
      #expect(try machine.log("--kind", "concurrent").count == 4)
      #expect(
        try machine.run("get", "hosts/h1/name").stdout.contains(
          lost.first?["discarded"]?[0]?["value"]?.string ?? "nothing"))
      #expect(try machine.text("hosts.json") == machines[0].text("hosts.json"))
      try machine.verify()
    }
  }

  @Test func `what an old program strips is one entry a member and import on every machine`() throws
  {
    let configuration = """
      {"format": 1, "documents": {"hosts": {"file": "hosts.json", "dialect": "json",
      "collections": [{"name": "items", "at": "/items", "kind": "array", "id": "/id"}],
      "clients": ["old"]}}, "clients": {"old": {"schemas": {"hosts:items": {
      "properties": {"id": {}, "name": {}}}}}}}
      """
    let items = (0..<5).map { #"{"id": "r\#($0)", "name": "n\#($0)", "extra": \#($0)}"# }
    let document = "{\"items\": [\(items.joined(separator: ", "))]}"
    let origin = try TestStore(
      configuration: configuration, documents: ["hosts.json": Array(document.utf8)])
    let machines =
      try [origin] + (0..<2).map { _ in try TestStore(joining: origin, documents: ["hosts.json"]) }
    for (number, machine) in machines.enumerated() {
      var text = try machine.text("hosts.json")
      for index in 0..<5 { text = text.replacing(#", "extra": \#(index)"#, with: "") }
      text = text.replacing("\"n\(number)\"", with: "\"of \(number)\"")
      try Files.replace(machine.path("hosts.json"), with: Array(text.utf8))
      try machine.succeed("watch", "--once")
    }
    try exchange(machines)
    for machine in machines {
      let stripped = try machine.log("--kind", "stripped")
      #expect(stripped.count == 3, "one of each machine's import")
      #expect(stripped.allSatisfy { $0["affected"]?.elements.count == 5 })
      #expect(try machine.log() == origin.log())
      let text = try machine.text("hosts.json")
      #expect((0..<5).allSatisfy { text.contains("\"extra\": \($0)") })
      #expect((0..<3).allSatisfy { text.contains("\"of \($0)\"") })
    }
  }

  @Test func `status says what waits and for whom`() throws {
    let machines = try machines()
    try machines[1].receive(from: machines[0])
    try machines[1].succeed("set", "hosts/h1", "name=seen all")
    // Its log comes, but not what its last write had seen.
    try machines[2].receive(from: machines[1])
    let nodes = try JSON.parse(machines[2].run("status", "--json").stdout)["nodes"]?.elements ?? []
    let waiting = nodes.filter { $0["waiting"]?.int == 1 }
    #expect(waiting.count == 1)
    #expect(waiting.first?["id"]?.string == (try machines[1].ownNodes()).first)
    let origin = try #require(try machines[0].ownNodes().first)
    #expect(waiting.first?["missing"]?.elements.map(\.string) == ["\(origin).1"])
    #expect(try machines[2].run("get", "hosts/h1/name").stdout == "\"name of 2\"\n")
    try machines[2].receive(from: machines[0])
    let after = try JSON.parse(machines[2].run("status", "--json").stdout)["nodes"]?.elements ?? []
    #expect(after.allSatisfy { $0["waiting"]?.int == 0 && $0["missing"]?.elements == [] })
  }
}
