package import SystemCalls

/// What a replacement of a document did.
package enum ReplaceOutcome: Sendable {
  /// The document has these bytes already; nothing was written.
  case unchanged(FileStamp)
  /// The document is not the version that the caller built on; nothing was written.
  case stale
  /// There was no document; now there is.
  case created(Replaced)
  /// The displaced version is the expected one; it was kept as this backup. Without one a note
  /// says why, and the version lies beside the document until `recover` finds it.
  case replaced(Replaced, backup: String?)
  /// A program wrote a version that the caller has not seen. The new bytes are in place, the
  /// unseen version must be imported and then handed to `keep`.
  case displacedUnseen(Replaced, UnseenVersion)
}

/// A document after its replacement.
package struct Replaced: Sendable {
  /// The stamp of the new version, to recognise it as our own. If a program wrote again before
  /// we could look, the document has another stamp already.
  package let stamp: FileStamp
  package let notes: [ReplaceNote]

  /// Whether it is the file that was there before.
  package var isInPlace: Bool {
    notes.contains { note in
      if case .inPlace = note { true } else { false }
    }
  }
}

/// What a replacement could not keep, or did without its usual protection.
package enum ReplaceNote: Hashable, Sendable {
  /// The file belongs to us now; `group` says whether at least its group could be kept.
  case ownerNotKept(owner: UInt32, group: UInt32, groupKept: Bool, Errno)
  /// Extended attributes that the file lacks now, the access list perhaps among them.
  case attributesNotKept([AttributeName])
  /// Other hard links of the file keep the old version.
  case hardLinksDetached(links: UInt64)
  /// The file system has no exchange: a version written within microseconds may be lost unseen.
  case unguarded(Errno)
  /// No other file could get the document's name, so it was written in place: readers may have seen
  /// a part. Without a lease another program may have written at the same moment.
  case inPlace(Errno, isGuarded: Bool)
  /// The displaced version could not be made a backup; it has its name beside the document. After a
  /// write in place the store has its content alone.
  case backupFailed(StorageError)
}

/// A version of a document that was displaced and is not the one that the caller knew.
package struct UnseenVersion: Sendable {
  package enum Content: Sendable {
    case bytes(FileContent)
    case notRegular(FileStatus.Kind)
    case unreadable(StorageError)
  }

  /// Where it lies: a `.ready` file beside the document, until `keep` makes it a backup.
  package let path: FilePath
  package let content: Content
  /// `.some`: a program has it open for writing and may still change it; look again later.
  package let writers: OpenWriters

  package var isStillBeingWritten: Bool { writers == .some }
}

/// The version that a replacement builds on.
package struct ExpectedVersion: Hashable, Sendable {
  package let stamp: FileStamp
  package let hash: ContentHash
  /// False for what is no document and is durable elsewhere: it must not push a good backup out.
  package var becomesBackup = true
  /// True for whatever is there: it is displaced as an unseen version.
  package private(set) var isUnfinished = false

  package init(stamp: FileStamp, hash: ContentHash) {
    self.stamp = stamp
    self.hash = hash
  }

  /// What a program still writes.
  package static func unfinished(_ stamp: FileStamp) -> ExpectedVersion {
    var version = ExpectedVersion(stamp: stamp, hash: ContentHash(of: []))
    version.isUnfinished = true
    return version
  }

  package init(_ content: FileContent) {
    self.init(stamp: content.stamp, hash: content.hash)
  }
}
