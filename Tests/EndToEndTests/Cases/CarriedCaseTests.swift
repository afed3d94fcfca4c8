import Testing

/// The cases of several writers, each writer on a machine of its own: what they write travels as
/// node directories, in every order, in pieces, and must end as the report says on every machine.
struct CarriedCaseTests {
  static let ofSeveralWriters = MergeCase.all.filter { one in
    // An unreadable case is found by the test that counts them.
    ((try? one.json())?["actors"]?.members.count ?? 0) > 1
  }

  @Test func `there are such cases, those in any order among them`() {
    let names = Self.ofSeveralWriters.map(\.name)
    #expect(names.count >= 9, "\(names)")
    for one in MergeCase.inAnyOrder { #expect(names.contains(one.name)) }
  }

  @Test(arguments: ofSeveralWriters)
  func `a case ends the same in whatever order and pieces the logs arrive`(
    one: MergeCase
  ) throws {
    let world = try CarriedCase(one)
    try world.importSteps()
    let count = world.machines.count
    for (number, order) in MergeCaseTests.permutations(Array(0..<count)).enumerated() {
      let reader = try TestStore(joining: world.origin, documents: [world.file])
      for machine in order {
        // The beginning of the log first, in the middle of a line, as a carrier may leave it.
        for share in [0.4, 0.8, 1] {
          try reader.receive(from: world.machines[machine], share: share)
          try reader.succeed("watch", "--once")
        }
      }
      try world.expectEnd(at: reader)
      // Each machine gets what the others wrote, in the same order.
      if number > 0 { continue }
      for machine in order {
        for other in order where other != machine {
          try world.machines[machine].receive(from: world.machines[other])
          try world.machines[machine].succeed("watch", "--once")
        }
      }
      for machine in world.machines { try world.expectEnd(at: machine) }
    }
  }
}

/// The steps of a case, each actor's on his own machine.
struct CarriedCase {
  let run: CaseRun
  let origin: TestStore
  let file: String
  /// One for each actor of the case, in the order of their node ids: a tie goes to the last.
  let machines: [TestStore]
  private let actors: [String]

  init(_ one: MergeCase) throws {
    let run = try CaseRun(one)
    (self.run, origin, file) = (run, run.store, run.file)
    actors = (run.json["actors"]?.members ?? []).map { String(decoding: $0.key, as: UTF16.self) }
    machines = try actors.map { _ in
      let machine = try TestStore(joining: run.store, documents: [run.file])
      return (machine, try #require(try machine.ownNodes().first))
    }.sorted { $0.1 < $1.1 }.map(\.0)
  }

  /// Imports each step where its actor works, after what he had read has arrived there.
  func importSteps() throws {
    var places: [Int] = []
    for step in run.steps {
      let actor = try #require(step["actor"]?.string)
      let place = try #require(actors.firstIndex(of: actor))
      let machine = machines[place]
      let read = try #require(step["read"]?.string)
      if read != "base" {
        let source = places[try #require(Int(read.dropFirst())) - 1]
        if source != place {
          try machine.receive(from: machines[source])
          try machine.succeed("watch", "--once")
        }
      }
      let base = read == "base" ? 1 : try machine.generation("doc")
      let time = try CaseRun.time(milliseconds: try #require(step["at_ms"]?.int))
      _ = try machine.json(
        "import", run.one.folder + "/" + (step["write"]?.string ?? ""), "--into", "doc",
        "--base", "\(base)", "--client", MergeCase.client(actor), "--time", time, allowing: [0, 1])
      places.append(place)
    }
  }

  func expectEnd(at store: TestStore) throws {
    let there = CaseRun(run, at: store)
    try there.expectDocument(equals: "expected.json")
    try MergeCaseTests.expectJournal(of: there)
    try store.verify()
    let status = try store.json("status")
    #expect(status["damage"]?.elements == [])
    for node in status["nodes"]?.elements ?? [] { #expect(node["missing"]?.elements == []) }
  }
}
