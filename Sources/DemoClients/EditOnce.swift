/// A program with a screen: loads its file, changes something, saves all of it.
enum EditOnce {
  static func run<Record: DemoRecord>(_ type: Record.Type, _ words: [String]) async throws {
    let arguments = try Arguments(
      words,
      arity: ["--rename": 0, "--in-place": 0, "--set": 2, "--add": 3, "--remove": 1, "--think": 1])
    let path = try arguments.first("the file")
    let style: SaveStyle = arguments.has("--in-place") ? .inPlace : .byRename
    var document = try await Files.loadPatiently(Document<Record>.self, from: path)
    // A person looks at the screen; what happens to the file meanwhile the program does not see.
    try await Task.sleep(for: .milliseconds(try arguments.number("--think", default: 0)))
    for (name, values) in arguments.inOrder {
      switch name {
      case "--set":
        let parts = values[1].split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { throw ClientError("write --set ID NAME=VALUE") }
        try document.change(values[0]) { try $0.set(parts[0], parts[1]) }
      case "--add":
        document.items.append(Record(id: values[0], name: values[1], detail: values[2]))
      case "--remove":
        document.items.removeAll { $0.id == values[0] }
      default:
        break
      }
    }
    try Files.save(document, to: path, style)
    let how = style == .inPlace ? "in place" : "by rename"
    print("\(Record.program): wrote \(document.items.count) records \(how)")
  }
}
