import Replication

/// What can be answered without a store.
enum Papers {
  /// The text of help, release, manual page or completions; nil for every other invocation.
  static func text(for invocation: Invocation) -> String? {
    switch invocation {
    case .help(nil): return HelpPage.overview()
    case .help(.some(let command)): return HelpPage.page(command)
    case .version: return "replicator \(Release.version)\n"
    case .man: return ManualPage.text(release: Release.version)
    case .completions(let shell): return Completions.script(for: shell)
    case .initialize, .add, .remove, .watch, .sync, .status, .list, .get, .set, .delete, .import,
      .export, .log, .show, .restore, .accept, .dismiss, .backups, .rollback, .merge, .verify,
      .doctor, .compact, .upgrade, .nodes:
      return nil
    }
  }
}
