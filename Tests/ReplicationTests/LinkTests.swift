import LosslessJSON
import Merging
import Records
import Storage
import SystemCalls
import TestSupport
import Testing

@testable import Replication

/// A document whose path is a symbolic link, and what programs and people do to the link.
struct LinkTests {
  static let start =
    #"{"items":[{"id":"a","name":"one","port":1},{"id":"b","name":"two","port":2}]}"#

  static let two = TestStore.configuration.replacing(
    #""hosts":{"file""#,
    with: #""books":{"file":"books.json","collections":[{"name":"items","at":"/items","#
      + #""kind":"array","id":"/id"}]},"hosts":{"file""#)

  /// `hosts.json` leads to `dot/real.json`, which was exported once.
  private func linked(
    configuration: String = TestStore.configuration
  ) throws -> (TestStore, TestProcess) {
    let store = try TestStore(configuration: configuration, hosts: nil)
    try directory(store).makeDirectory("dot", mode: 0o700)
    try store.write(Self.start, to: "dot/real.json")
    try link(store, "hosts.json", to: "dot/real.json")
    let process = try store.process()
    try process.pass()
    try process.set(#""a""#, "/port", "10")
    try process.pass()
    return (store, process)
  }

  private func directory(_ store: TestStore) throws -> FileDescriptor {
    try FileDescriptor.open(store.root, [.read, .directory], system: LiveFileSystem())
  }

  private func link(_ store: TestStore, _ name: String, to target: String) throws {
    let directory = try directory(store)
    try directory.makeSymbolicLink("new.link", to: target)
    try directory.rename("new.link", to: name, .replace)
  }

  private func target(_ store: TestStore, _ name: String = "hosts.json") throws -> String? {
    let directory = try directory(store)
    guard try directory.status(of: name).kind == .symbolicLink else { return nil }
    return try directory.readLink(name)
  }

  private static let exported = start.replacing(#""port":1}"#, with: #""port":10}"#)
  private static let edited = exported.replacing(#""two""#, with: #""TWO""#)

  @Test func `a file in the place of the link is the document from then on`() throws {
    let (store, process) = try linked()
    #expect(try store.text(of: "dot/real.json") == Self.exported && target(store) != nil)
    // As editors save: a new file, renamed over the name.
    try store.write(Self.edited, to: "hosts.json")
    let report = try process.pass()
    #expect(report.imports.count == 1)
    #expect(try process.value(#""b""#, "/name") == #""TWO""#)
    try process.set(#""a""#, "/port", "11")
    #expect(try process.pass().generation == 4, "the generations carry on")
    #expect(try store.text() == Self.edited.replacing("10", with: "11"))
    #expect(try target(store) == nil)
    #expect(try store.text(of: "dot/real.json") == Self.exported)
    // What is written into the old target now is nobody's.
    try store.write(Self.start, to: "dot/real.json")
    #expect(try process.pass().isQuiet)
    #expect(try process.kinds() == ["link-detached"])
    #expect(try store.names(in: "dot") == ["real.json"])
  }

  @Test func `another process that has never seen the link follows what replaced it`() throws {
    let (store, _) = try linked()
    try store.write(Self.edited, to: "hosts.json")
    let later = try store.process("n2")
    try later.pass()
    #expect(try later.value(#""b""#, "/name") == #""TWO""#)
    #expect(try later.bound().binding.nodes.count == 2, "one binding, one lock")
  }

  @Test func `an own export under the name of the link is no rewrite`() throws {
    let (store, process) = try linked()
    try store.write(Self.exported, to: "hosts.json")
    let count = process.replica.state.transactionCount
    let report = try process.pass()
    #expect(report.imports.isEmpty && report.exportedGeneration == nil)
    #expect(process.replica.state.transactionCount == count)
  }

  @Test func `a link that leads elsewhere takes the document along and stays a link`() throws {
    let (store, process) = try linked()
    try store.write(Self.edited, to: "dot/other.json")
    try link(store, "hosts.json", to: "dot/other.json")
    try process.pass()
    #expect(try process.value(#""b""#, "/name") == #""TWO""#)
    try process.set(#""a""#, "/port", "11")
    try process.pass()
    #expect(try store.text(of: "dot/other.json") == Self.edited.replacing("10", with: "11"))
    #expect(try store.text(of: "dot/real.json") == Self.exported)
    #expect(try target(store) == "dot/other.json")
    let binding = try process.bound().binding
    #expect(binding.path == store.root.appending("dot/other.json").string)
    #expect(binding.named == store.root.appending("hosts.json"))
  }

  @Test func `a link to a file that lacks nearly everything is held`() throws {
    let (store, process) = try linked()
    try store.write(#"{"items":[]}"#, to: "dot/other.json")
    try link(store, "hosts.json", to: "dot/other.json")
    try process.pass()
    #expect(try Set(process.kinds()) == ["bulk-delete-held", "link-detached"])
    #expect(try store.text(of: "dot/other.json") == Self.exported)
    #expect(try store.text(of: "dot/real.json") == Self.exported)
  }

  @Test func `a link to nothing is waited for, and then its target is made`() throws {
    let (store, process) = try linked()
    try link(store, "hosts.json", to: "dot/new.json")
    let report = try process.pass("hosts", .later)
    #expect(report.retryMilliseconds != nil)
    #expect(try store.names(in: "dot") == ["real.json"])
    store.clock.advance(milliseconds: 2000)
    try process.pass("hosts", .later)
    #expect(try store.text(of: "dot/new.json") == Self.exported)
    #expect(try target(store) == "dot/new.json")
    // A directory that is missing is an error of this document, and says nothing about it.
    try link(store, "hosts.json", to: "gone/new.json")
    #expect(throws: ReplicationError.self) { try process.pass("hosts", .later) }
    #expect(try process.replica.boundDocuments(of: process.node.id).count == 2)
    try link(store, "hosts.json", to: "dot/new.json")
    #expect(try process.pass("hosts", .later).isQuiet)
  }

  @Test func `while the link is gone the document stays where it led`() throws {
    let (store, process) = try linked()
    try store.remove("hosts.json")
    try store.write(Self.edited, to: "dot/real.json")
    try process.pass()
    #expect(try process.value(#""b""#, "/name") == #""TWO""#)
    #expect(try !store.names(in: ".").contains("hosts.json"))
    try store.write(Self.edited.replacing("one", with: "ONE"), to: "hosts.json")
    try process.pass()
    #expect(try process.value(#""a""#, "/name") == #""ONE""#)
    // Without any file the name is made again, and not a file that nobody looks for.
    try link(store, "hosts.json", to: "dot/real.json")
    try process.pass()
    try store.remove("hosts.json")
    try store.remove("dot/real.json")
    try process.pass()
    #expect(try store.text().contains("ONE"))
    #expect(try process.kinds().contains("document-missing"))
  }

  @Test func `an edit of the old target that nobody had seen yet is taken in`() throws {
    let (store, process) = try linked()
    let beside = Self.exported.replacing(#""one""#, with: #""ONE""#)
    try store.write(beside, to: "dot/real.json")
    try store.write(Self.edited, to: "hosts.json")
    try process.pass()
    #expect(try process.value(#""a""#, "/name") == #""ONE""#)
    #expect(try process.value(#""b""#, "/name") == #""TWO""#)
    #expect(try store.text() == Self.edited.replacing(#""one""#, with: #""ONE""#))
    #expect(try store.text(of: "dot/real.json") == beside, "it is no document any more")
    // The file that took the place of the link has the older name still.
    #expect(try Set(process.kinds()) == ["revert-ambiguous", "link-detached"])
  }

  @Test func `a program that still writes the old target is waited for`() throws {
    let (store, process) = try linked()
    let file = try FileDescriptor.open(
      store.root.appending("dot/real.json"), [.read, .write], system: LiveFileSystem())
    try file.truncate(sizeBytes: 0)
    try file.write(Array(Self.exported.prefix(20).utf8))
    store.clock.set(milliseconds: LiveWallClock().milliseconds)
    try store.write(Self.edited, to: "hosts.json")
    #expect(try process.pass("hosts", .later).retryMilliseconds != nil)
    #expect(try process.value(#""b""#, "/name") == #""TWO""#, "the new file waits for nobody")
    let text = Self.exported.replacing(#""one""#, with: #""ONE""#)
    try file.write(Array(text.utf8.dropFirst(20)))
    try file.close()
    try process.pass("hosts", .later)
    #expect(try process.value(#""a""#, "/name") == #""ONE""#)
    #expect(try !process.bound().hasMoved)
  }

  @Test func `a version displaced beside the old target is imported`() throws {
    let (store, process) = try linked()
    let ready = TemporaryName.ready(
      of: "real.json", id: 1, hash: ContentHash(of: Array(Self.exported.utf8)))
    let lost = Self.start.replacing(#""one""#, with: #""ONE""#)
    try store.write(lost, to: "dot/" + ready)
    let part = ".real.json.0000000000000002.part"
    try store.write("{", to: "dot/" + part)
    try store.write(Self.edited, to: "hosts.json")
    try process.pass()
    #expect(try process.value(#""a""#, "/name") == #""ONE""#)
    #expect(try process.value(#""a""#, "/port") == "10")
    #expect(try process.value(#""b""#, "/name") == #""TWO""#)
    #expect(try store.names(in: "dot") == ["real.json"])
  }

  @Test func `a link that changes before the lock is had is followed`() throws {
    let (store, process) = try linked()
    try process.set(#""a""#, "/port", "11")
    let bound = try process.bound()
    try store.write(Self.edited, to: "hosts.json")
    _ = try process.replica.pass(over: bound, as: process.node, .last)
    #expect(try store.text() == Self.edited.replacing("10", with: "11"))
    #expect(try store.text(of: "dot/real.json") == Self.exported)
  }

  @Test func `a file that becomes a link, and a link in the middle, are followed`() throws {
    let store = try TestStore(hosts: Self.start)
    let process = try store.process()
    try process.pass()
    let root = try directory(store)
    for name in ["dot", "one", "two"] { try root.makeDirectory(name, mode: 0o700) }
    try store.write(Self.edited, to: "one/real.json")
    try store.write(Self.edited.replacing(#""one""#, with: #""ONE""#), to: "two/real.json")
    try root.makeSymbolicLink("now", to: "one")
    try link(store, "dot/middle.json", to: "../now/real.json")
    try link(store, "hosts.json", to: "dot/middle.json")
    try process.pass()
    #expect(try process.value(#""b""#, "/name") == #""TWO""#)
    let watched = process.replica.watchedPlaces(of: try process.bound()).map(\.path)
    #expect(
      watched
        == ["one/real.json", "hosts.json", "dot/middle.json", "now"].map {
          store.root.appending($0)
        })
    try link(store, "now", to: "two")
    try process.pass()
    #expect(try process.value(#""a""#, "/name") == #""ONE""#)
    #expect(try target(store) == "dot/middle.json")
  }

  @Test func `of two documents that come to lead to one file the first keeps it`() throws {
    let (store, process) = try linked(configuration: Self.two)
    try store.write(#"{"items":[{"id":"x","title":"book"}]}"#, to: "books.json")
    try process.pass("books")
    try link(store, "books.json", to: "dot/real.json")
    #expect(throws: ReplicationError.self) { try process.pass("books") }
    let state = try process.replica.fileState(
      of: try process.replica.document(named: "books"), node: process.node.id)
    #expect(state.pendingExport?.contains("'hosts'") == true)
    #expect(try !process.replica.isQuiet(process.bound("books")))
    try process.set(#""a""#, "/port", "11")
    try process.pass()
    #expect(try store.text(of: "dot/real.json") == Self.exported.replacing("10", with: "11"))
    try store.write(#"{"items":[{"id":"x","title":"BOOK"}]}"#, to: "books.json")
    try process.pass("books")
    #expect(try store.text(of: "books.json").contains("BOOK"))
    #expect(try process.pass().isQuiet)
  }

  @Test func `of two processes whose documents come to one file at once one goes on`() throws {
    let (store, process) = try linked(configuration: Self.two)
    try process.pass("books")
    let theirs = #"{"items":[{"id":"x","title":"BOOK"}]}"#
    try store.write(theirs, to: "third.json")
    try link(store, "books.json", to: "third.json")
    try link(store, "hosts.json", to: "third.json")
    // Another process puts down that the books lie there, after this one has looked for them.
    let books = try process.bound("books")
    let taken = Binding(
      document: "books", named: books.path, at: books.place.path, nodes: books.binding.nodes)
    let file = store.root.appending(".replicator/" + StoreLayout.bindingFile(books.bindingID))
    let bytes = taken.json
    store.system.hook.withLock {
      $0 = { call, name in
        guard call == "replace", name.hasPrefix(".binding.json.") else { return nil }
        do throws(SystemError) {
          let other = try FileDescriptor.open(file, [.write, .truncate], system: LiveFileSystem())
          try other.write(bytes)
          return nil
        } catch {
          return error.errno
        }
      }
    }
    #expect(throws: ReplicationError.self) { try process.pass() }
    store.system.hook.withLock { $0 = nil }
    #expect(try store.text(of: "third.json") == theirs)
    #expect(try process.bound().binding.path == store.root.appending("dot/real.json").string)
    #expect(try process.pass("books").adoptedRecords == 1)
    #expect(throws: ReplicationError.self) { try process.pass() }
    try link(store, "hosts.json", to: "dot/real.json")
    #expect(try process.pass().isQuiet)
    #expect(try store.text(of: "third.json") == theirs)
  }

  @Test func `a document that is new leaves the file of another alone`() throws {
    let (store, process) = try linked(configuration: Self.two)
    try link(store, "books.json", to: "hosts.json")
    #expect(throws: ReplicationError.self) { try process.pass("books") }
    #expect(try store.text(of: "dot/real.json") == Self.exported)
  }

  @Test func `a document that cannot have a file stays where it is`() throws {
    let (store, process) = try linked(configuration: Self.two)
    try store.write(#"{"items":[{"id":"x","title":"book"}]}"#, to: "books.json")
    try process.pass("books")
    #expect(throws: ReplicationError.self) {
      try process.replica.move(
        try process.replica.document(named: "books"), to: store.root.appending("dot/real.json"),
        for: process.node, clients: [])
    }
    #expect(try process.bound("books").path == store.root.appending("books.json"))
    #expect(try process.pass("books").isQuiet)
  }

  @Test func `what a document has not imported is taken in before it moves`() throws {
    let (store, process) = try linked()
    try store.write(Self.edited, to: "dot/real.json")
    _ = try process.replica.move(
      try process.hosts, to: store.root.appending("mine.json"), for: process.node, clients: [])
    #expect(try store.text(of: "mine.json") == Self.edited)
  }

  @Test func `a path names its document by the link and by the target`() throws {
    let (store, process) = try linked()
    let replica = process.replica
    for name in ["hosts.json", "dot/real.json", "dot/../dot/real.json"] {
      #expect(try replica.documentBound(at: store.root.appending(name)) == "hosts")
    }
    let id = try process.bound().bindingID
    // Named by its target it is that file, whatever becomes of the link.
    let (bound, _) = try replica.move(
      try process.hosts, to: store.root.appending("dot/real.json"), for: process.node, clients: [])
    #expect(bound.bindingID == id && bound.binding.link == nil)
    // Another node that comes to it shares it under the name that it has.
    let other = try store.process("n2")
    let (shared, _) = try other.replica.move(
      try other.hosts, to: store.root.appending("hosts.json"), for: other.node, clients: [])
    #expect(shared.bindingID == id && shared.path == store.root.appending("dot/real.json"))
  }

  @Test func `a binding of an older release has no link`() throws {
    let old = #"{"format":1,"document":"hosts","path":"/s/hosts.json","nodes":[]}"# + "\n"
    let binding = try Binding(parsing: Array(old.utf8))
    #expect(binding.link == nil && binding.named == FilePath("/s/hosts.json"))
    #expect(binding.json == Array(old.utf8))
    let new = old.replacing(
      #""nodes""#, with: #""link":"/home/u/hosts.json","nodes""#)
    #expect(try Binding(parsing: Array(new.utf8)).json == Array(new.utf8))
    #expect(try Binding(parsing: Array(new.utf8)).named == FilePath("/home/u/hosts.json"))
  }
}
