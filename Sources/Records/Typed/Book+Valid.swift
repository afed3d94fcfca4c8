public import FoundationEssentials

extension Book {
  /// A book as it is meant: checked, with what is left out filled in. Nothing of it is written back
  /// but by `update(to:)`.
  public struct Valid: Sendable, Hashable {
    /// Its title; never empty.
    public var title: String
    /// Who wrote it, in the order of the title page.
    public var authors: [String]
    /// Ten or thirteen digits with a fitting check digit, as it is spelt, perhaps with hyphens.
    public var isbn: String?
    /// The year it came out.
    public var year: Int?
    /// Whether it was read. A status of a later release is none that is wrong.
    public var status: OpenValue<Status>
    /// Words to find it by, each once.
    public var tags: [String]
    /// What the reader has to say.
    public var notes: String?
    /// When the record was made.
    public var createdAt: Date?
    /// When a person changed it last.
    public var updatedAt: Date?

    /// A book with defaults for all that is not said.
    public init(title: String) {
      self.title = title
      authors = []
      status = OpenValue(.unread)
      tags = []
    }

    /// Reads what is meant by a record.
    ///
    /// - Throws: everything that is wrong with it, at once.
    public init(_ book: Book) throws(ValidationError) {
      var check = Validation(book)
      self.init(title: check.text(book.title, "/title"))
      authors = book.authors ?? []
      isbn = book.isbn
      if let isbn, !Self.isISBN(isbn) { check.add(.notAnISBN("/isbn", isbn)) }
      year = book.year.map { check.number($0, in: -9999...9999, "/year") }
      status = book.status ?? OpenValue(.unread)
      tags = check.unique(book.tags ?? [], "/tags")
      notes = book.notes
      createdAt = book.createdAt
      updatedAt = book.updatedAt
      if let position = book.series?.position {
        _ = check.number(position, in: 1...Int(Int32.max), "/series/position")
      }
      try check.finish()
    }

    /// Whether a text is an ISBN: ten or thirteen characters beside hyphens and blanks whose check digit
    /// fits.
    public static func isISBN(_ text: String) -> Bool {
      let characters = text.utf8.filter { $0 != UInt8(ascii: "-") && $0 != 0x20 }
      var digits: [Int] = []
      for (index, byte) in characters.enumerated() {
        if (0x30...0x39).contains(byte) {
          digits.append(Int(byte) - 0x30)
        } else if index == 9, characters.count == 10, byte == UInt8(ascii: "X") {
          digits.append(10)
        } else {
          return false
        }
      }
      switch digits.count {
      case 10:
        return digits.enumerated().reduce(0) { $0 + (10 - $1.offset) * $1.element } % 11 == 0
      case 13:
        return digits.enumerated().reduce(0) { $0 + ($1.offset % 2 == 0 ? 1 : 3) * $1.element } % 10
          == 0
      default: return false
      }
    }
  }

  /// Writes what is meant into the record: only fields that mean something else now are touched, and a
  /// default is not written where nothing stood.
  public mutating func update(to valid: Valid) {
    self.title = valid.title
    if self.authors != nil || !valid.authors.isEmpty { self.authors = valid.authors }
    self.isbn = valid.isbn
    self.year = valid.year
    if self.status != nil || valid.status != OpenValue(.unread) { self.status = valid.status }
    if self.tags != nil || !valid.tags.isEmpty { self.tags = valid.tags }
    self.notes = valid.notes
    self.createdAt = valid.createdAt
    self.updatedAt = valid.updatedAt
  }
}
