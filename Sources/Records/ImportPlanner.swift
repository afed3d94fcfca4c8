/// Decides what a rewrite of a whole document means: a pure function of its request.
package enum ImportPlanner {
  /// - Complexity: the size of the documents compared; with a named, marked or proven base two.
  package static func plan(_ request: ImportRequest) -> ImportPlan {
    ImportPlan(
      outcome: .nothing, base: nil, evidence: .content, client: nil, isWriterAssumed: false,
      changes: [], localChanges: [], decisions: [], touched: [], fingerprint: nil)
  }
}
