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
      defer { index = storage.tape.next(index) }
      return JSONNode(storage: storage, index: index)
    }
  }
}
