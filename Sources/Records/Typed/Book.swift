public import FoundationEssentials

/// A book of a library, as it stands in a document.
///
/// This is the form on disk: every member may be missing or of another release. `Book.Valid` is what is
/// meant by it.
public struct Book: ForwardCompatibleRecord {
  /// The members that this release knows. Release 1 knows all but `series`.
  public struct Fields: Sendable {
    /// What the book is known by.
    public let id = Field<RecordID>("id")
    /// Its title.
    public let title = Field<String>("title")
    /// Who wrote it, in the order of the title page.
    public let authors = Field<[String]>("authors")
    /// Ten or thirteen digits: a string, since it begins with zeros and may end with X.
    public let isbn = Field<String>("isbn")
    /// The year it came out.
    public let year = Field<Int>("year")
    /// Whether it was read; unread where it is absent.
    public let status = Field<OpenValue<Status>>("status")
    /// Words to find it by.
    public let tags = Field<[String]>("tags")
    /// What the reader has to say.
    public let notes = Field<String>("notes")
    /// When the record was made.
    public let createdAt = Field<Date>("createdAt")
    /// When a person changed it last.
    public let updatedAt = Field<Date>("updatedAt")
    /// The series it belongs to; since release 2.
    public let series = Field<Series>("series")
  }

  /// Whether a book was read. Later releases may know more.
  public enum Status: String, Sendable, CaseIterable {
    /// Not begun.
    case unread
    /// Begun.
    case reading
    /// Finished.
    case read
    /// Somebody else has it; since release 2.
    case lent
  }

  /// A place in a series; since release 2.
  public struct Series: ForwardCompatibleRecord {
    /// The members that this release knows.
    public struct Fields: Sendable {
      /// What the series is called.
      public let name = Field<String>("name")
      /// Which volume it is, from 1.
      public let position = Field<Int>("position")
    }

    /// The members that this release knows.
    public static let fields = Fields()

    /// The object as it stands in the record.
    public var raw: RawJSON

    /// The view of a value.
    public init(raw: RawJSON) { self.raw = raw }
  }

  /// The members that this release knows.
  public static let fields = Fields()

  /// The record as it stands in its document.
  public var raw: RawJSON

  /// The view of a value.
  public init(raw: RawJSON) { self.raw = raw }
}
