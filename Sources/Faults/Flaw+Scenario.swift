import Simulation

extension Flaw {
  /// The scenario that is made for it; some others notice it as well.
  var scenario: any CrashScenario {
    switch self {
    case .noDirectorySync, .noFileSync, .plainRename, .linkThenRename, .rotatesFirst, .movedBackup:
      ReplaceScenario(way: .exchange)
    case .unsealedTail: AppendScenario(start: .torn)
    case .noIntent: ReplaceScenario(way: .inPlace)
    case .retriedSync: AppendScenario(start: .failingSync, failingSync: 2)
    }
  }
}
