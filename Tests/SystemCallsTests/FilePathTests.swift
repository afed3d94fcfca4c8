import SystemCalls
import Testing

struct FilePathTests {
  @Test(arguments: [
    ("/a/b", "/a", "b"), ("/a", "/", "a"), ("a", ".", "a"), ("/a/b/", "/a", "b"),
    ("/", "/", ""), ("a/b", "a", "b"), ("//a//b", "//a", "b"),
  ])
  func `a path splits into its directory and its name`(path: String, parent: String, name: String) {
    #expect(FilePath(path).parent.string == parent)
    #expect(FilePath(path).lastComponent == name)
  }

  @Test func `appending puts exactly one slash between`() {
    #expect(FilePath("/a").appending("b").string == "/a/b")
    #expect(FilePath("/a/").appending("b").string == "/a/b")
    #expect(FilePath("/a").appending("/b").string == "/b")
  }

  @Test func `two spellings of one letter are two files`() {
    let composed = FilePath("caf\u{E9}")
    let decomposed = FilePath("cafe\u{301}")
    #expect(composed != decomposed)
    #expect(Set([composed, decomposed]).count == 2)
  }
}
