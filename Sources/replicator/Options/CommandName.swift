/// The commands that this release offers; the raw value is what a person types.
enum CommandName: String, CaseIterable, Sendable {
  case `init`
  case add
  case remove
  case watch
  case sync
  case status
  case list
  case get
  case set
  case delete
  case `import`
  case export
  case log
  case show
  case restore
  case accept
  case dismiss
  case backups
  case rollback
  case merge
  case verify
  case doctor
  case compact
  case upgrade
  case nodes
  case completions
  case man
  case help
}
