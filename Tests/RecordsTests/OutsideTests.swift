import LosslessJSON
import Merging
import Testing

@testable import Records

/// What lies outside the collections, and documents of one record.
@Suite struct OutsideTests {
  private func plan(
    _ base: String, _ incoming: String, _ profile: ClientProfile,
    shape: DocumentShape = .document, rules: RecordRules = RecordRules()
  ) throws -> ImportPlan {
    let base = try SplitDocument(base, shape)
    return ImportPlanner.plan(
      ImportRequest(
        document: Configuration.Document(shape: shape, rules: [nil: rules]),
        incoming: try SplitDocument(incoming, shape), candidates: [BaseCandidate(1, base)],
        writer: .named(profile), current: base))
  }

  private func outside(_ schema: String) throws -> ClientProfile {
    try ClientProfile.declared("{}", outside: schema)
  }

  @Test func `settings reset to defaults are held`() throws {
    let base =
      #"{"env":{"A":"1"},"plugins":["p1","p2"],"model":"l","theme":"d","p":{"a":["x"]},"m":true}"#
    let held = try plan(base, #"{"model":"s"}"#, .everything)
    #expect(held.outcome == .held(deletions: 5, of: 6))
    let few = try plan(
      base, #"{"env":{"A":"1"},"plugins":["p1","p2"],"theme":"d","p":{"a":["x"]}}"#, .everything)
    #expect(few.lines == ["remove /model", "remove /m"])
  }

  @Test func `members unknown outside are kept, and a version is never lowered`() throws {
    var rules = RecordRules()
    rules.monotonic = [pointer("/v")]
    let profile = try outside(#"{"properties":{"v":{},"name":{}}}"#)
    let plan = try plan(
      #"{"v":2,"name":"a","packages":{"":{"x":1}}}"#, #"{"v":1,"name":"b"}"#, profile,
      rules: rules)
    #expect(plan.lines == [#"set /name "b""#])
    #expect(plan.journal == ["monotonic": 1, "stripped": 1])
    let removed = try self.plan(#"{"v":2,"name":"a"}"#, #"{"name":"a"}"#, profile, rules: rules)
    #expect(removed.changes.isEmpty && removed.journal == ["monotonic": 1])
    let raised = try self.plan(#"{"v":2}"#, #"{"v":3}"#, profile, rules: rules)
    #expect(raised.lines == ["set /v 3"])
  }

  @Test func `nested members are written one by one, new objects whole`() throws {
    let plan = try plan(
      #"{"a":{"b":1,"c":{"d":1}},"e":1}"#, #"{"a":{"b":2,"c":{"d":1,"n":{"x":1}}},"e":{"f":1}}"#,
      .everything)
    #expect(plan.lines == ["set /a/b 2", #"set /a/c/n {"x":1}"#, #"set /e {"f":1}"#])
    guard case .set(_, _, _, let after, _) = plan.changes[1] else { return }
    #expect(after == "d")
  }

  @Test func `the place of a collection is no member`() throws {
    let base = #"{"v":1,"items":[{"id":1},{"id":2}],"ui":{"x":1}}"#
    let known = try plan(
      base, #"{"items":[{"id":1},{"id":2}]}"#, outside(#"{"properties":{"items":{}}}"#),
      shape: .items)
    #expect(known.changes.isEmpty && known.journal == ["stripped": 2])
    let dropped = try plan(
      base, #"{"v":2}"#, outside(#"{"properties":{"v":{}}}"#), shape: .items)
    #expect(dropped.lines == ["set /v 2"])
    #expect(dropped.journal == ["stripped": 2])
    let undeclared = try plan(base, #"{"v":2}"#, .undeclared(name: "who"), shape: .items)
    #expect(undeclared.lines == ["set /v 2"])
    #expect(undeclared.journal == ["strip-ambiguous": 2])
    let removed = try plan(base, #"{"v":1,"ui":{"x":1}}"#, .everything, shape: .items)
    #expect(removed.outcome == .held(deletions: 2, of: 2))
    let replaced = try plan(base, "[]", .everything, shape: .items)
    #expect(replaced.outcome == .held(deletions: 2, of: 2))
  }

  @Test func `members of a map that are no records are outside`() throws {
    let shape = DocumentShape(
      collections: [.init(name: "m", at: .root, kind: .map, except: ["settings"])])
    let plan = try plan(
      #"{"settings":{"a":1,"b":2},"x":1,"y":2}"#, #"{"settings":{"a":3},"x":1,"y":2,"z":3}"#,
      .everything, shape: shape)
    #expect(plan.lines.contains("set /settings/a 3"), "\(plan.lines)")
    #expect(plan.lines.contains("remove /settings/b"), "\(plan.lines)")
    #expect(plan.lines.count == 3, "\(plan.lines)")
  }

  @Test func `members that stay on the binding are told apart, derived ones are skipped`() throws {
    var rules = RecordRules()
    rules.local = [pointer("/l")]
    rules.derived = [pointer("/sum")]
    let plan = try plan(
      #"{"l":1,"sum":1,"a":1}"#, #"{"l":2,"sum":2,"a":2}"#, .everything, rules: rules)
    #expect(plan.lines == ["set /a 2"])
    #expect(plan.localChanges.map(\.line) == ["set /l 2"])
  }

  @Test func `values take the style of the base`() throws {
    let base = "{\n  \"a\": 1,\n  \"b\": {\n    \"x\": 1\n  }\n}\n"
    let plan = try plan(base, #"{"a":1,"b":{"x":1,"n":{"p":[1,2],"q":2}}}"#, .everything)
    #expect(plan.lines.count == 1)
    #expect(plan.lines[0].contains("\n"), "\(plan.lines)")
  }

  // MARK: - Clients that damage

  @Test func `lossy clients never change what they do not know`() throws {
    var generator = Generator(seed: 11)
    var profile = try ClientProfile.declared(
      #"""
      {"properties":{"id":{},"name":{},"big":{},"kind":{"enum":["a"],"default":"a"},
       "in":{"properties":{"k":{}}},"list":{"items":{"properties":{"k":{}}}}}}
      """#)
    profile.numbers = .double
    for _ in 0..<200 {
      let records = (0..<(2 + generator.number(6))).map { id in
        (id: id, raw: generator.number(3) == 0, name: generator.number(4))
      }
      let full = records.map { record in
        """
        {"x":\(generator.value()),"id":\(record.id),"name":\(record.name),\
        "big":900719925474099\(3 + 2 * record.id),"kind":"\(record.raw ? "raw" : "a")",\
        "in":{"k":1,"u":\(generator.value())},"list":[{"k":1,"u":2},{"k":2,"u":\(record.id)}]}
        """
      }
      let edited = generator.number(records.count)
      let damaged = records.reversed().map { record in
        let big = Double("900719925474099\(3 + 2 * record.id)").map { UInt64($0) } ?? 0
        let name = record.id == edited ? 77 : record.name
        return """
          {"big":\(big),"id":\(record.id),"in":{"k":1},"kind":"a",\
          "list":[{"k":1},{"k":2}],"name":\(name)}
          """
      }
      let base = try SplitDocument("{\"v\":1,\"items\":[\(full.joined(separator: ","))]}")
      let plan = ImportPlanner.plan(
        ImportRequest(
          document: Configuration.Document(),
          incoming: try SplitDocument(
            "{\"items\":[\(damaged.joined(separator: ","))],\"v\":1}"),
          candidates: [BaseCandidate(1, base)], writer: .named(profile), current: base))
      let sets = plan.lines.filter { !$0.hasPrefix("move") }
      #expect(sets == ["set \(edited)/name 77"], "\(plan.lines)")
    }
  }
}
