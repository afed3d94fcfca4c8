import Testing

/// The auditor of `Tools/audit` is not part of the code under test, so it is tested itself.
struct AuditTests {
  @Test func `each kind of damage is noticed by the auditor, and a sound store is none`() throws {
    let directory = try TestDirectory()
    let check = try ChildProcess(
      ["python3", "-B", Places.root + "/Tools/audit_check.py", Places.replicator]
        + [directory.path + "/check"], in: directory.path)
    let outcome = try check.outcome()
    #expect(outcome.status == 0, "\(outcome)")
    #expect(outcome.stdout.contains("0 judged wrongly"))
  }
}
