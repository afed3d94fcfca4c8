/// What `status` shows: nodes, documents, watcher, copies lying around, bytes, damage.
package struct StatusResponse: Sendable {
  package struct Node: Sendable {
    /// 16 hexadecimal digits.
    package var id: String
    package var name: String
    package var release: String
    /// The last transaction of it that is here.
    package var sequence: UInt64
    /// When its last transaction was stamped, milliseconds since 1970; nil = it never wrote.
    package var seen: UInt64?
    /// Writers (`NODE.EPOCH`) of which something that this node had seen has not arrived here.
    package var missing: [String]
    /// How many of its transactions are here and are not merged until that arrives.
    package var waiting: Int
    package var isRetired: Bool
    /// True if it belongs to this machine.
    package var isLocal: Bool
    /// True if it was continued in two places, both of which are merged.
    package var isForked = false
  }

  package struct Document: Sendable {
    package struct Collection: Sendable {
      package var name: String
      package var records: Int
    }

    /// What the file had before our exports and could not get again.
    package struct NotKept: Sendable {
      package var owner: UInt32?
      package var group: UInt32?
      /// Names of extended attributes.
      package var attributes: [String]
    }

    package var name: String
    /// Where this node keeps it.
    package var path: String
    package var collections: [Collection]
    /// Generation at this path; nil before the first contact.
    package var generation: Int?
    /// Why the state has not reached the file yet; nil = it has.
    package var pendingExport: String?
    /// True if the file holds something that has not been imported yet.
    package var isPendingImport: Bool
    /// Entries (16 hexadecimal digits) of held rewrites.
    package var held: [String]
    package var openConflicts: Int
    /// What this node has learned of programs without a profile.
    package var learned: [LearnedProfile] = []
    /// nil where everything was kept.
    package var notKept: NotKept?
    /// How exports are written, where not by an exchange: `in-place` or `unguarded`.
    package var degraded: String?
    /// The link by which the document was named, where nothing has that name any more.
    package var missingLink: String?
  }

  package struct Watcher: Sendable {
    /// `none`, `inotify`, `inotify and polling`, `polling`; `unknown` where it cannot be told.
    package var mode: String
    package var reason: String?
    /// How many processes follow.
    package var processes = 0
  }

  package var store: String
  package var node: (id: String?, name: String)
  package var nodes: [Node]
  package var documents: [Document]
  /// How this node is followed now; mode `none` where no process does.
  package var watcher: Watcher
  /// Paths of files that a sync engine left beside a document.
  package var conflictCopies: [String]
  /// Kind of file → bytes, in a fixed order.
  package var bytes: [(kind: String, bytes: UInt64)]
  package var damage: [Damage]
  /// What the configuration says and is not acted on as it is written.
  package var remarks: [Remark] = []
}

/// Something that the configuration says and that is not acted on as it is written.
package struct Remark: Sendable {
  /// A sentence without a full stop.
  package var sentence: String
  /// JSON Pointer: in the schema if there is a keyword, else in the configuration.
  package var path: String
  /// What a keyword stands in: the schema of a client for a place.
  package var keyword: (name: String, client: String, place: String, file: String?, count: Int)?
  /// Whether the client counts as undeclared there.
  package var isUndeclared = false
}

/// Something in a store that is not as it was written.
package struct Damage: Sendable {
  package var path: String
  /// Byte offset, where one can be named.
  package var offset: UInt64?
  /// What was found, as half a sentence: "a line whose checksum does not fit".
  package var finding: String
}
