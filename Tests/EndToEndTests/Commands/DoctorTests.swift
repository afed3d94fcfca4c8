import Testing

/// `doctor`: what the machine can do for a store.
struct DoctorTests {
  @Test func `doctor tells what each directory can do and leaves nothing`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    let place = store.directory.path + "/elsewhere"
    try Files.makeDirectory(place)
    try Files.write(Samples.hosts, to: place + "/more.json")
    try store.succeed("add", place + "/more.json")
    let before = try Files.names(below: store.directory.path, where: { _ in true })

    let answer = try store.json("doctor")
    let directories = answer["directories"]?.elements ?? []
    #expect(
      directories.map { $0["path"]?.string } == [
        store.path(".replicator/local"), store.root, place,
      ])
    for directory in directories {
      #expect(directory["abilities"]?["locks"] == .bool(true))
      #expect(directory["syncMicroseconds"]?.int != nil)
      #expect(directory["fileSystem"]?.string?.isEmpty == false)
    }
    #expect(answer["watcher"]?["mode"]?.string == "inotify")
    #expect(answer["limits"]?["documentBytes"]?.int == 1 << 30)
    #expect(answer["checkpoint"]?["used"] == .bool(false))
    #expect(answer["reserve"] == .bool(true))
    #expect(try Files.names(below: store.directory.path, where: { _ in true }) == before)

    let words = try store.run("doctor").stdout
    #expect(words.contains("exchanges two files in one step"))
    #expect(words.contains("bytes of a document") && words.contains("checkpoint: none yet"))
    #expect(!words.contains("no space is kept"))
    try Files.remove(store.path(".replicator/local/reserve"))
    #expect(try store.run("doctor").stdout.contains("no space is kept for the journal"))
  }

  @Test func `what others left beside a document is named and stays`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    try Files.write("half", to: store.path("hosts.json.tmp"))
    let words = try store.run("doctor").stdout
    #expect(words.contains("Left by other programs"))
    #expect(words.contains("hosts.json.tmp"))
    #expect(try store.text("hosts.json.tmp") == "half")
  }

  @Test func `a document's directory that cannot be written to is said`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    let gone = store.directory.path + "/elsewhere"
    try Files.makeDirectory(gone)
    try Files.write(Samples.hosts, to: gone + "/more.json")
    try store.succeed("add", gone + "/more.json")
    try Files.remove(gone)
    let answer = try store.json("doctor")
    let advice = answer["advice"]?.elements.compactMap(\.string) ?? []
    #expect(advice.contains { $0.contains(gone) && $0.contains("nothing can be exported") })
  }
}
