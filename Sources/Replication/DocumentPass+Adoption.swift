import LosslessJSON
package import Merging
package import Records
import Storage
import SystemCalls

extension DocumentPass {
  /// Adopts a document that was there before: its values lie below everything written on purpose.
  mutating func firstContact(_ content: FileContent) throws(ReplicationError) -> Bool {
    if let wait = waitForWriter(content) {
      report.retryMilliseconds = wait
      return true
    }
    let split: SplitDocument
    switch parse(content) {
    case .success(let document): split = document
    case .failure(let error): return try unreadableAtFirstContact(content, error)
    }
    let written = rendered(over: content)
    if written.map({ ContentHash(of: $0) }) != content.hash {
      let draft = TransactionDraft(
        stamp: Stamp(milliseconds: time(of: content)), context: .empty,
        operations: Adoption.operations(of: split, document: document.configuration))
      _ = try replica.commit(draft, as: node)
      report.adoptedRecords = split.records.count
    }
    return try export(over: content)
  }

  func parse(_ content: FileContent) -> Result<SplitDocument, JSONError> {
    Result { () throws(JSONError) in
      try SplitDocument(bytes: content.bytes, shape: document.configuration.shape)
    }
  }

  private mutating func unreadableAtFirstContact(
    _ content: FileContent, _ error: JSONError
  ) throws(ReplicationError) -> Bool {
    try setAside(content, error: error)
    guard replica.render(document.configuration) == nil else { return try export(over: content) }
    report.pendingExport = PendingExport(
      "the file is no JSON and nothing else is known of the document")
    return true
  }

  /// Takes in versions that programs wrote while the file was being replaced; they lie beside it.
  mutating func takeInUnseen() throws(ReplicationError) {
    while let version = unseen.popLast() {
      if version.isStillBeingWritten {
        waitFor(version)
        continue
      }
      guard case .bytes(let content) = version.content else { continue }
      switch parse(content) {
      case .success(let split):
        var rewrite = Rewrite(document: split, hash: content.hash.hex, time: time(of: content))
        rewrite.isFromDocument = false
        rewrite.readableCount = readableCount(of: version)
        try importUnseen(rewrite)
        if version.wasWrittenSince { try noticeOrphan(content, nil) }
        keepingBackups { [files, replica] () throws(StorageError) in
          try replica.fileStore.keep(version, in: files, milliseconds: replica.now)
        }
      case .failure(let error):
        // No backup: a version that is no document must not push a good one out.
        try setAside(content, error: error)
        keepingBackups { [replica] () throws(StorageError) in
          try replica.fileStore.discard(version, storedAs: content.hash)
        }
      }
    }
  }

  /// A program that keeps the displaced file open for long holds nobody up; it is looked at again.
  private mutating func waitFor(_ version: UnseenVersion) {
    guard case .bytes(let content) = version.content,
      replica.now &- time(of: content) < DocumentPass.writerMilliseconds
    else {
      report.lookAgainMilliseconds = DocumentPass.absenceMilliseconds
      return
    }
    report.retryMilliseconds = DocumentPass.settleMilliseconds
  }

  mutating func importUnseen(_ rewrite: Rewrite) throws(ReplicationError) {
    guard generations.index.entries.last(where: { $0.hash == rewrite.hash })?.kind != .export
    else { return }
    try importRewrite(rewrite)
  }

  /// Its writer had not read the export that took the document's name from it, nor any later one.
  private func readableCount(of version: UnseenVersion) -> Int? {
    let (name, former) = (version.path.lastComponent, FilePath(document.binding.path))
    guard
      case .ready(let hash) = TemporaryName.parse(name, of: document.place.name)
        ?? TemporaryName.parse(name, of: former.lastComponent),
      let export = generations.index.entries.lastIndex(where: {
        $0.hash == hash.hex && $0.kind == .export
      }), export > 0
    else { return nil }
    return export
  }
}

/// The operations that bring a document which was there before.
package enum Adoption {
  package static func operations(
    of split: SplitDocument, document configuration: Configuration.Document
  ) -> [Operation] {
    let document = configuration.name
    func text(_ text: JSONText, _ collection: String?) -> JSONText {
      BindingMembers.without(configuration.rules(collection: collection).local, text)
    }
    var operations = [
      Operation(
        target: RecordAddress(document: document, collection: nil, key: .outside), id: nil,
        incarnation: .adopted,
        action: .create(text(split.frame, nil), position: nil, layout: split.frameLayout),
        operationClass: .adopted)
    ]
    operations.reserveCapacity(split.records.count + 1)
    var last: [String: Fraction] = [:]
    for record in split.records {
      let position = Fraction.next(after: last[record.collection])
      last[record.collection] = position
      // All adoptions of an id share one incarnation; a second record of the id is one of its own.
      operations.append(
        Operation(
          target: RecordAddress(
            document: document, collection: record.collection, key: record.key),
          id: record.id,
          incarnation: record.occurrence == 0 ? .adopted : .own(ordinal: operations.count),
          action: .create(
            text(record.text, record.collection), position: position, layout: record.layout),
          operationClass: .adopted))
    }
    return operations
  }
}
