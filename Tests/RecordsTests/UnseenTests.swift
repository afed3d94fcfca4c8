import LosslessJSON
import Merging
import Testing

@testable import Records

/// Bases that may hold what the writer of a rewrite had not seen.
@Suite struct UnseenTests {
  /// Two programs saved over a content that nobody saw, and neither had read what the other wrote.
  @Test func `what came in one rewrite with a value is no sign that the value was read`() throws {
    let contents = [
      #"{"id":1,"n":"a","m":"1","o":"1","p":"1"}"#, #"{"id":1,"n":"c","m":"2","o":"3","p":"4"}"#,
    ]
    let back = #"{"id":1,"n":"a","m":"2","o":"3","p":"4","q":"z"}"#
    func isRewrite(_ request: inout ImportRequest) {
      let document = request.candidates[1].document()
      request.candidates[1] = BaseCandidate(number: 2, kind: .snapshot(client: nil)) { document }
    }
    let rewrite = try planned(back, over: contents, isRewrite)
    #expect(rewrite.base == 0)
    #expect(!rewrite.lines.contains { $0.hasPrefix("set 1/n") })
    #expect(rewrite.journal == ["revert-ambiguous": 1])
    let export = try planned(back, over: contents)
    #expect(export.base == 1, "whoever has the other values of an export has read all of it")
    let other = try planned(
      #"{"id":1,"n":"z","m":"2","o":"3","p":"4"}"#, over: contents, isRewrite)
    #expect(other.base == 0, "from the rewrite, \"c\" would be overwritten without a word")
  }

  /// One program rounded or changed a number, another had it as it was before: from the first one's rewrite
  /// as base nothing would tell that the second had not seen the change.
  @Test func `a number that rounds to what the base has comes back with an entry only`() throws {
    let contents = [
      #"{"id":1,"n":9007199254741965,"m":"a"},{"id":2,"n":"p"}"#,
      #"{"id":1,"n":9007199254741964,"m":"b, a longer one"},{"id":2,"n":"p"}"#,
      #"{"id":1,"n":9007199254741964,"m":"b, a longer one"},{"id":2,"n":"q"}"#,
    ]
    func isUndeclared(_ request: inout ImportRequest) { request.writer = .oneOf([]) }
    let back = try planned(
      #"{"id":1,"n":9007199254741965,"m":"b, a longer one"},{"id":2,"n":"p"}"#, over: contents,
      isUndeclared)
    #expect(back.base == 1)
    #expect(!back.lines.contains { $0.hasPrefix("set 1/n") })
    #expect(
      back.decisions.contains {
        $0.kind == .revertAmbiguous
          && $0.affected.contains {
            $0.path.description == "/n" && $0.kept?.description == "9007199254741964"
          }
      })
    let edit = try planned(
      #"{"id":1,"n":9007199254741963,"m":"b, a longer one"},{"id":2,"n":"q"}"#, over: contents,
      isUndeclared)
    #expect(edit.lines == ["set 1/n 9007199254741963"])
  }

  /// The record is not made once more: what its writer had seen of it stays seen.
  @Test func `a record that came in one rewrite with a value is no sign that the value was read`()
    throws
  {
    let contents = [
      #"{"id":1,"n":"a"},{"id":3,"n":"a"}"#,
      #"{"id":1,"n":"c"},{"id":2,"n":"new"},{"id":3,"n":"c"}"#,
    ]
    func isRewrite(_ request: inout ImportRequest) {
      let document = request.candidates[1].document()
      request.candidates[1] = BaseCandidate(number: 2, kind: .snapshot(client: nil)) { document }
    }
    let other = #"{"id":1,"n":"z"},{"id":2,"n":"mine"}"#
    let rewrite = try planned(other + #",{"id":3,"n":"c"}"#, over: contents, isRewrite)
    #expect(rewrite.base == 1)
    #expect(rewrite.lines == [#"set 1/n "z""#, #"set 2/n "mine""#])
    #expect(
      rewrite.journal == ["overwrote-unknown": 2], "\"c\" and \"new\" may not have been seen")
    let back = try planned(
      #"{"id":1,"n":"a"},{"id":2,"n":"new"},{"id":3,"n":"c"}"#, over: contents, isRewrite)
    #expect(back.lines == [])
    #expect(back.journal == ["revert-ambiguous": 1])
    let deleted = try planned(other, over: contents, isRewrite)
    #expect(deleted.lines == rewrite.lines, "what was changed unseen is not deleted")
    #expect(deleted.journal == ["overwrote-unknown": 2, "revert-ambiguous": 1])
    let export = try planned(other, over: contents)
    #expect(export.base == 1 && export.journal == [:])
    #expect(export.lines == rewrite.lines + ["delete 3"])
  }

  @Test func `a member of an unseen record that goes is told`() throws {
    let contents = [
      #"{"id":1,"n":"a"}"#, #"{"id":1,"n":"a","m":"1"},{"id":2,"n":"new","m":"x"}"#,
    ]
    let rewrite = try planned(
      #"{"id":1,"n":"a","m":"2"},{"id":2,"n":"new"}"#, over: contents
    ) { request in
      let document = request.candidates[1].document()
      request.candidates[1] = BaseCandidate(number: 2, kind: .snapshot(client: nil)) { document }
    }
    #expect(rewrite.lines == [#"set 1/m "2""#, "remove 2/m"])
    #expect(rewrite.journal == ["overwrote-unknown": 2])
  }
}

/// What a rewrite of a list means over some contents of it, the oldest first.
func planned(
  _ incoming: String, over contents: [String], _ change: (inout ImportRequest) -> Void = { _ in }
) throws -> ImportPlan {
  let candidates = try contents.enumerated().map {
    BaseCandidate($0.offset + 1, try SplitDocument("{\"items\":[\($0.element)]}"))
  }
  var request = ImportRequest(
    document: Configuration.Document(),
    incoming: try SplitDocument("{\"items\":[\(incoming)]}"), candidates: candidates,
    writer: .named(.everything), current: candidates.last?.document())
  change(&request)
  return ImportPlanner.plan(request)
}
