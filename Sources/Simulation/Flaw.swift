/// A known way of getting storage wrong. Our program is made to do it, and the check must notice.
package enum Flaw: String, CaseIterable, Sendable {
  /// Directories are never synchronised.
  case noDirectorySync
  /// Files are never synchronised.
  case noFileSync
  /// The document is replaced by a plain rename.
  case plainRename
  /// The old version gets a second name, then a plain rename follows; nothing is synchronised between.
  case linkThenRename
  /// The old version moves away before the new one is complete.
  case rotatesFirst
  /// A backup is moved into its directory and not linked first.
  case movedBackup
  /// Lines are appended behind a torn one without a newline.
  case unsealedTail
  /// A document is written in place with nothing kept before.
  case noIntent
  /// A failed fsync is tried again, and believed.
  case retriedSync
}
