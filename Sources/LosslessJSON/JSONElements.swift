/// The elements of an array, in their order.
package struct JSONElements: Sequence, Sendable {
  let storage: JSONTree.Storage
  let container: Int?

  package func makeIterator() -> Iterator {
    Iterator(
      storage: storage, index: container.map { $0 + 1 } ?? 0,
      end: container.map { storage.tape.extent($0) - 1 } ?? 0)
  }

  package struct Iterator: IteratorProtocol {
    let storage: JSONTree.Storage
    var index: Int
    let end: Int

    package mutating func next() -> JSONNode? {
      guard index < end else { return nil }
      let element = index
      index = storage.tape.next(element)
      return JSONNode(storage: storage, index: element)
    }

    /// Where the next one stands; no owner of the document is counted for it.
    package mutating func nextPosition() -> JSONPosition? {
      guard index < end else { return nil }
      defer { index = storage.tape.next(index) }
      return JSONPosition(index: UInt32(index))
    }

    /// The next one, at hand with all that is in it.
    package mutating func nextUnfolded() -> JSONNode? {
      guard index < end else { return nil }
      let element = index
      index = storage.tape.next(element)
      if storage.isFolded(element) { return JSONNode(storage: storage, index: element).unfolded }
      return JSONNode(storage: storage, index: element)
    }

    /// How many elements are left.
    ///
    /// - Complexity: proportional to that.
    package var count: Int {
      var (count, at) = (0, index)
      while at < end {
        count += 1
        at = storage.tape.next(at)
      }
      return count
    }
  }
}
