import Records
import Testing

struct ShippedFilesTests {
  @Test func `the embedded files are those of Config`() throws {
    let paths = Repository.files(below: "Config")
    #expect(!paths.isEmpty)
    #expect(ShippedFiles.all.map(\.path).sorted() == paths, "run Tools/embed-config")
    for file in ShippedFiles.all {
      let text = try Repository.text("Config/" + file.path)
      #expect(Array(file.text.utf8) == Array(text.utf8), "\(file.path): run Tools/embed-config")
    }
  }

  @Test func `the configuration names schemas that are shipped`() {
    let shipped = Set(ShippedFiles.schemas.map(\.path))
    #expect(shipped.count == 4)
    let named = ShippedFiles.configuration.text.split(separator: "\"")
      .filter { $0.hasSuffix(".schema.json") }.map(String.init)
    #expect(Set(named) == shipped)
  }
}
