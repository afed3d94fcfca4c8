package import SystemCalls

/// Documents that are reached through symbolic links.
extension FileStore {
  /// The name that a path gives a file: links in its directories are followed, the file itself may
  /// be a link or absent.
  package func named(_ path: FilePath) throws(StorageError) -> FilePath {
    do throws(SystemError) {
      return try realPath(path.parent).appending(path.lastComponent)
    } catch {
      throw error.errno == .ENOENT ? .missing(path.parent) : StorageError(error)
    }
  }

  /// Every link between a name and its file, where it lies: whoever watches these names sees each
  /// change of where they lead.
  ///
  /// Ends with the name that is missing, where one is. Costs one call for the name and one for each
  /// component of a link's target.
  /// - Parameter name: in a directory without links, as `named(_:)` makes it.
  package func links(from name: FilePath) -> [DocumentPlace] {
    var links: [DocumentPlace] = []
    var here = name.parent
    var rest = [name.lastComponent]
    while let component = rest.first, links.count < StorageLimits.linksFollowedMax {
      rest.removeFirst()
      if component.utf8.elementsEqual("..".utf8) {
        here = here.parent
        continue
      }
      let next = here.appending(component)
      do throws(Errno) {
        let target = FilePath(try system.readLink(currentDirectoryDescriptor, next.string))
        links.append(DocumentPlace(realPath: next))
        rest = target.components + rest
        if target.isAbsolute { here = FilePath("/") }
      } catch {
        guard error == .EINVAL else { return links + [DocumentPlace(realPath: next)] }
        here = next
      }
    }
    return links
  }
}
