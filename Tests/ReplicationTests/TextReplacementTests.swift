import LosslessJSON
import Merging
import Records
import Storage
import SystemCalls
import TestSupport
import Testing

@testable import Replication

/// Documents that are patched where a few records have changed, beside those that are rendered.
struct TextReplacementTests {
  private func change(_ old: String, _ new: String) -> MergeState.ChangedText {
    MergeState.ChangedText(
      old: JSONText(unchecked: Array(old.utf8)), new: JSONText(unchecked: Array(new.utf8)))
  }

  private func apply(_ changes: [MergeState.ChangedText], _ text: String) -> String? {
    TextReplacement(changes: changes).applied(to: Array(text.utf8)).map {
      String(decoding: $0, as: UTF8.self)
    }
  }

  @Test func `texts that are there once are replaced, whatever their order`() {
    let text = #"[{"id":1},{"id":2},{"id":3}]"#
    let changes = [change(#"{"id":3}"#, #"{"id":3,"x":0}"#), change(#"{"id":1}"#, #"{"id": 1}"#)]
    #expect(apply(changes, text) == #"[{"id": 1},{"id":2},{"id":3,"x":0}]"#)
    #expect(apply([], text) == text)
    #expect(apply([change(#"{"id":4}"#, "{}")], text) == nil)
    #expect(apply([change(#"{"a":"aa"}"#, "{}")], #"[{"a":"aa"},{"b":{"a":"aa"}}]"#) == nil)
    #expect(apply([change("aba", "x")], "ababa") == nil, "also where they overlap")
  }

  @Test func `a rewrite is known by what it was before`() {
    let (old, new) = (#"{"id":2}"#, #"{"id":2,"x":1}"#)
    let before = Array(#"[{"id":1},{"id":2},{"id":3}]"#.utf8)
    let after = Array(#"[{"id":1},{"id":2,"x":1},{"id":3}]"#.utf8)
    let replacement = TextReplacement(changes: [change(old, new)])
    #expect(replacement.leads(to: after, from: ContentHash(of: before)))
    #expect(!replacement.leads(to: after + [0x20], from: ContentHash(of: before)))
    #expect(!replacement.leads(to: before, from: ContentHash(of: before)))
    let twice = Array(#"[{"id":2,"x":1},{"id":2}]"#.utf8)
    let was = Array(#"[{"id":2},{"id":2}]"#.utf8)
    #expect(!replacement.leads(to: twice, from: ContentHash(of: was)))
    let overlap = TextReplacement(changes: [change("aba", "abx")])
    #expect(!overlap.leads(to: Array("ababx".utf8), from: ContentHash(of: Array("ababa".utf8))))
  }

  @Test func `what a state changed is told, and nothing where more than texts has changed`() throws
  {
    let store = try TestStore(
      hosts: #"{"items":[{"id":"a","n":1},{"id":"b","n":2},{"id":"c","n":3}]}"#)
    let process = try store.process()
    try process.pass()
    func changed(since context: Context, _ most: Int = 8) -> [String]? {
      process.replica.state.changedTexts(
        of: "hosts", since: context, countMax: most, fixed: Replica.configurationName)?
        .map { "\($0.old) \($0.new)" }.sorted()
    }
    let start = process.replica.state.context
    #expect(changed(since: start) == [])
    try process.set(#""a""#, "/n", "7")
    try process.set(#""b""#, "/n", "8")
    #expect(
      changed(since: start) == [
        #"{"id":"a","n":1} {"id":"a","n":7}"#, #"{"id":"b","n":2} {"id":"b","n":8}"#,
      ])
    #expect(changed(since: start, 1) == nil)
    try process.set(#""a""#, "/n", "1")
    #expect(changed(since: start) == [#"{"id":"b","n":2} {"id":"b","n":8}"#])
    try process.pass()
    let before = process.replica.state.context
    let more = try store.text().replacing(
      #"{"id":"c","n":3}"#, with: #"{"id":"c","n":3},{"id":"d"}"#)
    try store.write(more, to: "hosts.json")
    try process.pass()
    #expect(changed(since: before) == nil, "a record came")
    let later = process.replica.state.context
    try process.commit([.delete(try process.place(#""c""#))])
    #expect(changed(since: later) == nil, "a record went")
    #expect(changed(since: process.replica.state.context) == [])
  }

  @Test func `a changed record is patched into the file`() throws {
    let store = try TestStore(hosts: #"{"items":[{"id":"a","n":1},{"id":"b","n":2}]}"#)
    let process = try store.process()
    try process.pass()
    try process.set(#""b""#, "/n", "5")
    let bound = try process.bound()
    var pass = try DocumentPass(process.replica, bound, as: process.node, isLast: true)
    let content = try #require(try process.replica.fileStore.read(bound.place))
    let patched = try #require(pass.patched(content))
    #expect(
      String(decoding: patched, as: UTF8.self) == #"{"items":[{"id":"a","n":1},{"id":"b","n":5}]}"#)
    process.replica.patchedBytesMin = 1 << 20
    #expect(pass.patched(content) == nil)
    #expect(pass.rendered(over: content) == patched)
  }
}
