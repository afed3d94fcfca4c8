import LosslessJSON
import Replication
import UseCases

/// A command line as meant: a command with all that it needs, checked as far as words can be.
enum Invocation: Equatable, Sendable {
  case initialize(InitOptions)
  case add(AddOptions)
  case remove(document: String, everywhere: Bool)
  case watch(WatchMode)
  case sync
  case status
  case list(document: String, collection: String?)
  case get(Address)
  case set(Address, [Assignment], basedOn: Int?)
  case delete([Address])
  case `import`(ImportOptions)
  case export(document: String, generation: Int?, output: String?)
  case log(LogFilter)
  case show(entry: String)
  case restore(entry: String, newID: IDPattern?, isDryRun: Bool)
  case accept(entry: String)
  case dismiss(entries: [String])
  case backups(document: String)
  case rollback(document: String, version: VersionAddress)
  case merge(MergeOptions)
  case verify(repairs: Bool)
  case doctor
  case compact
  case upgrade
  /// Nil lists them, else the one to retire.
  case nodes(retiring: String?)
  case completions(ShellName)
  case man
  case help(CommandName?)
  case version
}

/// Options common to all commands.
struct CommonOptions: Equatable, Sendable {
  enum Color: String, Sendable { case auto, always, never }

  var store: String?
  var node: String?
  var isJSON = false
  var isQuiet = false
  var isVerbose = false
  var color = Color.auto
  var showsSecrets = false
}

struct InitOptions: Equatable, Sendable {
  enum Sharing: Equatable, Sendable {
    case owner
    /// With this group, or with the directory's own.
    case group(String?)
  }

  var directory: String?
  var config: String?
  var sharing = Sharing.owner
  var isForced = false
}

struct AddOptions: Equatable, Sendable {
  enum Kind: String, Sendable { case array, map, document }

  var file: String
  var name: String?
  var clients: [String] = []
  /// JSON Pointers as typed.
  var at: String?
  var ids: [String] = []
  var kind: Kind?
  var dialect: String?
  var isForced = false
}

enum WatchMode: Equatable, Sendable {
  /// With inotify where it works.
  case events
  case polling(Duration)
  case once
}

struct ImportOptions: Equatable, Sendable {
  enum Base: Equatable, Sendable {
    case generation(Int)
    case file(String)
  }

  var file: String
  var document: String
  var base: Base?
  var client: String?
  /// Milliseconds since 1970, UTC; nil = the file's mtime.
  var time: UInt64?
  var isDryRun = false
}

struct MergeOptions: Equatable, Sendable {
  var base: String
  var ours: String
  var theirs: String
  var output: String?
  var config: String?
  var clientOfTheirs: String?
  var preference = MergeDocuments.Preference.ours
}

/// Which entries of the history are shown, and how.
struct LogFilter: Equatable, Sendable {
  var limit: Int?
  var document: String?
  var record: IDPattern?
  var path: JSONPointer?
  var node: String?
  var client: String?
  /// Empty = all kinds.
  var kinds: [String] = []
  var since: TimePoint?
  var until: TimePoint?
  var isOpenOnly = false
  /// Also ordinary overwrites.
  var includesOverwrites = false
  var isReversed = false
  var isOneLine = false
  var isFollowing = false
}
