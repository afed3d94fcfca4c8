import Testing

@testable import replicator

struct PapersTests {
  @Test func `every command has exactly one entry in the table`() {
    let names = OptionTable.commands.map(\.name)
    #expect(names.count == CommandName.allCases.count)
    for name in CommandName.allCases {
      #expect(names.filter { $0 == name }.count == 1, "\(name.rawValue)")
    }
  }

  @Test func `no command has two options of one name`() {
    for command in OptionTable.commands {
      let long = command.options.map(\.key.rawValue)
      let short = command.options.compactMap(\.short) + OptionTable.common.compactMap(\.short)
      #expect(Set(long).count == long.count, "\(command.name.rawValue)")
      #expect(Set(short).count == short.count, "\(command.name.rawValue)")
    }
  }

  @Test func `help, manual and completions name every command and option`() {
    let overview = HelpPage.overview()
    let manual = ManualPage.text(release: "0")
    for command in OptionTable.commands {
      #expect(overview.contains("  \(command.name.rawValue) "))
      let page = HelpPage.page(command.name)
      for option in command.options {
        let name = option.key.rawValue
        #expect(page.contains("--\(name)"), "\(command.name.rawValue)")
        let escaped = name.split(separator: "-").joined(separator: "\\-")
        #expect(manual.contains("\\-\\-\(escaped)"), "\(command.name.rawValue)")
        for shell in ShellName.allCases {
          let typed = shell == .fish ? "-l \(name)" : "--\(name)"
          #expect(Completions.script(for: shell).contains(typed), "\(shell.rawValue)")
        }
      }
    }
  }

  @Test func `help fits a terminal of a hundred columns`() {
    for page in [HelpPage.overview()] + CommandName.allCases.map({ HelpPage.page($0) }) {
      for line in page.split(separator: "\n") {
        #expect(line.count <= 100, "\(line)")
      }
    }
  }

  @Test func `what is not built is not offered`() {
    #expect(!HelpPage.page(.log).contains("--html"))
  }
}
