import LosslessJSON
import Merging
import Records
package import Replication
package import SystemCalls

/// Makes a store: configuration, node, and generation 1 of every document.
package struct InitializeStore: Sendable {
  package var root: FilePath
  /// A file with the configuration; nil = the shipped one.
  package var configuration: FilePath?
  /// The configuration itself, where no file has it.
  package var configurationText: [UInt8]?
  package var sharing: Replica.Sharing
  package var isForced: Bool
  package var nodeName: String

  package init(
    root: FilePath, configuration: FilePath?, sharing: Replica.Sharing, isForced: Bool,
    nodeName: String
  ) {
    self.root = root
    self.configuration = configuration
    self.sharing = sharing
    self.isForced = isForced
    self.nodeName = nodeName
  }

  package func execute(
    in surroundings: Surroundings
  ) throws(UseCaseError) -> InitializeResponse {
    let files = InputFiles(surroundings)
    let isUnfinished = Replica.isUnfinished(at: root, surroundings)
    if Replica.store(at: root, surroundings) != nil, !isUnfinished {
      return try open(surroundings, wasThere: true)
    }
    if !isForced, !isUnfinished, let outer = Replica.discover(from: root, surroundings) {
      throw .insideStore(outer)
    }
    let bytes =
      try configuration.map { path throws(UseCaseError) in try files.read(path).bytes }
      ?? configurationText ?? Array(ShippedFiles.configuration.text.utf8)
    let parsed = try parse(bytes, files)
    try checkDocuments(parsed.configuration, files)
    try files.makeDirectory(root)
    try replicating { () throws(ReplicationError) in
      try Replica.create(
        root: root, sharedWith: sharing, configuration: bytes, schemas: parsed.schemas,
        surroundings: surroundings)
    }
    return try open(surroundings, wasThere: false)
  }

  /// Checks the configuration and gathers the schemas that it names.
  private func parse(
    _ bytes: [UInt8], _ files: InputFiles
  ) throws(UseCaseError) -> (
    configuration: Configuration, schemas: [(name: String, bytes: [UInt8])]
  ) {
    var schemas = ShippedFiles.schemas.map { (name: $0.path, bytes: Array($0.text.utf8)) }
    if configuration != nil || configurationText != nil { schemas = [] }
    do throws(ConfigurationError) {
      let parsed = try Configuration(parsing: bytes) { name in
        let beside = configuration.flatMap { files.readIfThere($0.parent.appending(name)) }
        let shipped = ShippedFiles.schemas.first { $0.path.utf8.elementsEqual(name.utf8) }
        guard let found = beside ?? shipped.map({ Array($0.text.utf8) }) else { return nil }
        if !schemas.contains(where: { $0.name == name }) { schemas.append((name, found)) }
        return found
      }
      return (parsed, schemas)
    } catch {
      throw .configuration(path: configuration ?? FilePath("config.json"), error)
    }
  }

  /// A document that is there but does not parse is found before anything is made.
  private func checkDocuments(
    _ configuration: Configuration, _ files: InputFiles
  ) throws(UseCaseError) {
    for document in configuration.documents {
      let path = root.appending(document.file)
      guard let bytes = files.readIfThere(path) else { continue }
      do throws(JSONError) {
        _ = try SplitDocument(bytes: bytes, shape: document.shape)
      } catch {
        throw .unreadableInput(path: path, error)
      }
    }
  }

  private func open(
    _ surroundings: Surroundings, wasThere: Bool
  ) throws(UseCaseError) -> InitializeResponse {
    let root = Replica.store(at: root, surroundings) ?? root
    let session = try StoreSession(root: root, nodeName: nodeName, surroundings: surroundings)
    let node = try session.node()
    var response = InitializeResponse(
      store: root.string, node: nodeName, adopted: [], created: [], wasThere: wasThere)
    for document in session.replica.documents {
      try take(document, node, session, &response)
    }
    // The configuration may have brought documents that were not known before it was adopted.
    for document in session.replica.documents where !session.replica.isKnown(document) {
      try take(document, node, session, &response)
    }
    response.remarks = session.remarks
    return response
  }

  private func take(
    _ document: Configuration.Document, _ node: LocalNodes.Node, _ session: StoreSession,
    _ response: inout InitializeResponse
  ) throws(UseCaseError) {
    let bound = try replicating { () throws(ReplicationError) in
      try session.replica.boundDocument(document, of: node.id)
    }
    guard let bound else { return }
    let report: PassReport
    do throws(ReplicationError) {
      if try session.replica.read(bound.path) == nil, !session.replica.isKnown(document) {
        let hasVersion = configuration == nil
        let content = SplitDocument.emptyDocument(
          document.shape, schemaVersion: hasVersion ? 1 : nil, style: document.style)
        _ = try session.replica.createDocument(bound, content: content, as: node)
        response.created.append((document.name, bound.path.string))
        return
      }
      report = try session.replica.settle(bound, as: node)
    } catch {
      throw .replication(error)
    }
    if report.adoptedRecords != nil, document.name != Replica.configurationName {
      response.adopted.append((document.name, bound.path.string))
    }
  }
}

/// Reads what a person names on the command line.
package struct InputFiles {
  private let surroundings: Surroundings

  package init(_ surroundings: Surroundings) { self.surroundings = surroundings }

  /// The bytes of a file and when it was last changed, milliseconds since 1970.
  package func read(
    _ path: FilePath
  ) throws(UseCaseError) -> (bytes: [UInt8], modified: UInt64) {
    // Looked at before: opening a FIFO waits until somebody writes, perhaps for ever.
    if let kind = kind(of: path), kind != .regular {
      throw .notAFile(path, kind)
    }
    do throws(SystemError) {
      let file = try FileDescriptor.open(path, .read, system: surroundings.system)
      let status = try file.status()
      let bytes = try file.read(at: 0, count: Int(status.sizeBytes))
      return (bytes, UInt64(clamping: status.modifiedNanoseconds / 1_000_000))
    } catch {
      throw .system(error)
    }
  }

  /// What a path names, links followed; nil where it cannot be seen.
  package func kind(of path: FilePath) -> FileStatus.Kind? {
    do throws(Errno) {
      return try surroundings.system.status(
        currentDirectoryDescriptor, path.string, followingLink: true
      ).kind
    } catch {
      // Absent or not to be seen: opening it says which.
      return nil
    }
  }

  func readIfThere(_ path: FilePath) -> [UInt8]? {
    do throws(UseCaseError) { return try read(path).bytes } catch {
      // Absent, or of a kind that is reported when it is used.
      return nil
    }
  }

  func makeDirectory(_ path: FilePath) throws(UseCaseError) {
    do throws(Errno) {
      try surroundings.system.makeDirectory(
        currentDirectoryDescriptor, path.string, mode: 0o777)
    } catch {
      if error == .EEXIST { return }
      throw .system(SystemError(call: "mkdir", path: path, errno: error))
    }
  }
}
