package import SystemCalls

/// Reads and replaces documents that programs without any knowledge of us write at the same time.
///
/// At every instant, and after a crash at any point, a document is a complete old or a complete
/// new version, and every version that was displaced exists under some name. The caller holds the
/// document's lock during `replace` and `recover`; foreign programs take no lock and need none.
package struct FileStore: Sendable {
  let system: any FileSystem
  let entropy: any Entropy
  package let limitBytes: UInt64

  package init(
    system: any FileSystem, entropy: any Entropy,
    limitBytes: UInt64 = StorageLimits.documentBytesMax
  ) {
    self.system = system
    self.entropy = entropy
    self.limitBytes = limitBytes
  }

  /// Finds where a document really lies. Its own symbolic links are followed anywhere; it may
  /// not exist yet, its directory must.
  package func place(of path: FilePath) throws(StorageError) -> DocumentPlace {
    var path = path
    for _ in 0..<StorageLimits.linksFollowedMax {
      do throws(Errno) {
        return DocumentPlace(realPath: FilePath(try system.realPath(path.string)))
      } catch {
        guard error == .ENOENT else {
          throw .failed(
            SystemError(call: "realpath", path: path, errno: error), .nothingChanged)
        }
      }
      let (directory, name) = (path.parent, path.lastComponent)
      let parent: FilePath
      do throws(SystemError) { parent = try realPath(directory) } catch {
        throw error.errno == .ENOENT ? .missing(directory) : StorageError(error)
      }
      guard let target = try danglingTarget(of: name, in: parent) else {
        return DocumentPlace(realPath: parent.appending(name))
      }
      path = parent.appending(target)
    }
    throw .failed(SystemError(call: "realpath", path: path, errno: .ELOOP), .nothingChanged)
  }

  /// The document as it is now, or nil when there is none.
  ///
  /// Reads again until nothing changed between the first and the last look, so the bytes are
  /// those of one moment unless a program writes in place without changing any time stamp.
  /// - Throws: `.notRegular`, `.tooLarge`, `.unstable`, `.failed`; `.missing` when its directory
  ///   is gone, since that says nothing about the document.
  package func read(
    _ place: DocumentPlace, probingWriters: Bool = false
  ) throws(StorageError) -> FileContent? {
    try read(place.name, in: openDirectory(of: place), probingWriters: probingWriters)
  }

  /// The present stamp, nil when there is no such file.
  package func stamp(of place: DocumentPlace) throws(StorageError) -> FileStamp? {
    let directory = try openDirectory(of: place)
    return try harmless { () throws(SystemError) in
      try directory.statusIfPresent(of: place.name).map(FileStamp.init)
    }
  }

  func openDirectory(of place: DocumentPlace) throws(StorageError) -> FileDescriptor {
    do throws(SystemError) {
      return try FileDescriptor.open(place.directory, [.read, .directory], system: system)
    } catch {
      throw error.errno == .ENOENT ? .missing(place.directory) : StorageError(error)
    }
  }

  func read(
    _ name: String, in directory: borrowing FileDescriptor, probingWriters: Bool
  ) throws(StorageError) -> FileContent? {
    for attempt in 0..<StorageLimits.readAttemptsMax {
      if attempt > 0 { system.pause(nanoseconds: 1_000_000) }
      switch try readOnce(name, in: directory, probingWriters: probingWriters) {
      case .content(let content): return content
      case .absent: return nil
      case .changed: continue
      }
    }
    throw .unstable(directory.path.appending(name), attempts: StorageLimits.readAttemptsMax)
  }

  private enum Attempt {
    case content(FileContent)
    case absent
    case changed
  }

  private func readOnce(
    _ name: String, in directory: borrowing FileDescriptor, probingWriters: Bool
  ) throws(StorageError) -> Attempt {
    let path = directory.path.appending(name)
    let file: FileDescriptor
    do throws(SystemError) {
      file = try directory.open(name, [.read, .noFollow, .nonBlocking])
    } catch {
      switch error.errno {
      case .ENOENT: return .absent
      case .ELOOP: throw .notRegular(path, .symbolicLink)
      case .ENXIO: throw .notRegular(path, .socket)
      // A file under a write lease answers a non-blocking open like this.
      case .EAGAIN: return .changed
      default: throw StorageError(error)
      }
    }
    let before = try harmless { () throws(SystemError) in try file.status() }
    guard before.kind == .regular else { throw .notRegular(path, before.kind) }
    guard before.sizeBytes <= limitBytes else {
      throw .tooLarge(path, sizeBytes: before.sizeBytes, limitBytes: limitBytes)
    }
    do throws(SystemError) {
      let bytes = try file.read(at: 0, count: Int(before.sizeBytes))
      let writers = probingWriters ? file.writers() : .unknown
      let after = try file.status()
      guard FileStamp(after) == FileStamp(before), bytes.count == Int(after.sizeBytes),
        let now = try directory.statusIfPresent(of: name), FileStamp(now) == FileStamp(before)
      else { return .changed }
      let hash = ContentHash(of: bytes)
      return .content(FileContent(bytes: bytes, hash: hash, status: after, writers: writers))
    } catch {
      throw StorageError(error)
    }
  }

  /// Whether a file has a content and no program writes into it, at one moment; false also where that
  /// cannot be told. The bytes are read, but not kept.
  func holds(_ hash: ContentHash, _ name: String, in directory: borrowing FileDescriptor) -> Bool {
    do throws(SystemError) {
      let file = try directory.open(name, [.read, .noFollow, .nonBlocking])
      let before = try file.status()
      guard before.kind == .regular, before.sizeBytes <= limitBytes else { return false }
      let actual = try RunningHash.hash(of: file, count: Int(before.sizeBytes))
      let writers = file.writers()
      let after = try file.status()
      guard let now = try directory.statusIfPresent(of: name) else { return false }
      return actual == hash && writers != .some && FileStamp(after) == FileStamp(before)
        && FileStamp(now) == FileStamp(before)
    } catch {
      return false
    }
  }

  func realPath(_ path: FilePath) throws(SystemError) -> FilePath {
    do throws(Errno) {
      return FilePath(try system.realPath(path.string))
    } catch {
      throw SystemError(call: "realpath", path: path, errno: error)
    }
  }

  private func danglingTarget(
    of name: String, in parent: FilePath
  ) throws(StorageError) -> String? {
    try harmless { () throws(SystemError) in
      let directory = try FileDescriptor.open(parent, [.read, .directory], system: system)
      guard let status = try directory.statusIfPresent(of: name) else { return nil }
      return status.kind == .symbolicLink ? try directory.readLink(name) : nil
    }
  }
}
