import Testing

/// The cases from public reports whose right answer is a document and a journal.
struct MergeCaseTests {
  @Test func `all cases are here`() {
    #expect(MergeCase.all.count >= 22)
    #expect(MergeCase.inAnyOrder.count >= 2)
  }

  @Test(arguments: MergeCase.all)
  func `a case ends as its report says`(one: MergeCase) throws {
    var run = try CaseRun(one)
    try run.importSteps(in: Array(run.steps.indices))
    try run.expectDocument(equals: "expected.json")
    try run.expectByteDifference()
    try Self.expectJournal(of: run)
    try restore(run)
    try run.store.verify()
  }

  @Test(arguments: MergeCase.inAnyOrder)
  func `a case ends the same in any order of arrival`(one: MergeCase) throws {
    var labels: [[String]] = []
    var ids: [[String]] = []
    let count = try one.json()["steps"]?.elements.count ?? 0
    let orders = Self.permutations(Array(0..<count))
    try #require(orders.count > 1)
    for order in orders {
      var run = try CaseRun(one)
      try run.importSteps(in: order)
      try run.expectDocument(equals: "expected.json")
      try Self.expectJournal(of: run)
      let journal = CaseJournal(entries: try run.store.log())
      labels.append(journal.conflicts)
      ids.append(journal.entries.compactMap { $0["kind"]?.string }.sorted())
    }
    #expect(Set(labels).count == 1)
    #expect(Set(ids).count == 1)
  }

  static func expectJournal(of run: CaseRun) throws {
    let journal = CaseJournal(entries: try run.store.log())
    func wanted(_ member: String) -> [String] {
      (run.expect[member]?.elements ?? []).compactMap(\.string).sorted()
    }
    #expect(journal.conflicts == wanted("conflicts"))
    #expect(journal.held == wanted("held"))
    let notices = wanted("notices").map { label in
      // The reports name the place in the file; the journal names the record.
      label.replacing("/hosts/0/", with: "/h1/")
    }
    #expect(journal.notices == notices)
    let retained = journal.retained
    for label in wanted("retained") {
      #expect(
        retained.contains { CaseJournal.covers($0, label) }, "\(label) is not in \(retained)")
    }
    for place in retained {
      #expect(
        wanted("retained").contains { CaseJournal.covers(place, $0) }, "nobody expects \(place)")
    }
  }

  /// A discarded value comes back where the case says so.
  private func restore(_ run: CaseRun) throws {
    guard let restore = run.expect["restore"] else { return }
    let journal = CaseJournal(entries: try run.store.log())
    let entry = try journal.entry(at: try #require(restore["conflict"]?.string))
    try run.store.succeed("restore", try #require(entry["id"]?.string))
    try run.expectDocument(equals: try #require(restore["gives"]?.string))
  }

  static func permutations(_ items: [Int]) -> [[Int]] {
    guard items.count > 1 else { return [items] }
    return items.flatMap { item in
      permutations(items.filter { $0 != item }).map { [item] + $0 }
    }
  }
}
