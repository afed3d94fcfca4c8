/// What a release does not know of a record: members with their values, byte for byte, in their order.
///
/// Of a member that it does not know it is the whole value; of one that it knows as a record what is
/// unknown inside. They are part of the record and are written with it; nothing has to be done for that.
public struct UnknownFields: Sendable, Hashable {
  /// A member that the release does not know.
  public struct Element: Sendable, Hashable {
    /// Where it stands in the record, as a JSON Pointer.
    public let path: String
    /// Its value as it stands there.
    public let json: RawJSON
  }

  private let elements: [Element]

  package init(_ elements: [Element]) { self.elements = elements }

  /// The value at a JSON Pointer, if that is an unknown member; of several of one name the last.
  public subscript(path: String) -> RawJSON? {
    elements.last { $0.path.utf8.elementsEqual(path.utf8) }?.json
  }
}

extension UnknownFields: RandomAccessCollection {
  /// The first position.
  public var startIndex: Int { 0 }

  /// The position behind the last one.
  public var endIndex: Int { elements.count }

  /// The member at a position.
  public subscript(position: Int) -> Element { elements[position] }
}
