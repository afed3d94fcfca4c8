import ReplicatorKit

enum Kind: String, Sendable {
  case article, video
}

struct Bookmark: ForwardCompatibleRecord {
  struct Fields {
    let title = Field<String>("title")
    let address = Field<String>("address")
    let kind = Field<OpenValue<Kind>>("kind")
    let tags = Field<[String]>("tags")
  }
  static let fields = Fields()
  var raw: RawJSON
}

let directory = CommandLine.arguments.dropFirst().first ?? "lists"
let store = try await Store.open(at: directory, node: "laptop", documents: ["bookmarks"])
let bookmarks = try await store.collection("bookmarks", of: Bookmark.self)

try await bookmarks.transaction { bookmarks in
  bookmarks["swift"] = Bookmark()
  bookmarks["swift"]?.title = "Swift"
  bookmarks["swift"]?.kind = OpenValue(.article)
}

for (id, bookmark) in try await bookmarks.read().records {
  print(id, bookmark.title ?? "-", bookmark.kind?.known(or: .article) ?? .article)
}

var form = try await bookmarks.read()
try await bookmarks.transaction { $0["swift"]?.title = "The Swift language" }
form.records["swift"]?.title = "Swift.org"
try await bookmarks.save(form)

for conflict in try await bookmarks.conflicts() {
  print(conflict.kind, conflict.path ?? "", conflict.discarded.first?.value?.text ?? "")
  try await bookmarks.restore(conflict)
}

watching: for await state in bookmarks.changes {
  switch state {
  case .loading: continue
  case .loaded(let snapshot):
    print(snapshot.records["swift"]?.title ?? "-")
    break watching
  case .failed(let error, _): print(error)
  }
}

try assertForwardCompatible(
  Bookmark.self,
  fixtures: [#"{"title": "Swift", "address": "https://swift.org", "kind": "article", "tags": []}"#])

await store.close()
