import LosslessJSON
import Merging
import Records
import Storage

/// A whole document that a program wrote, to be taken in.
struct Rewrite {
  var document: SplitDocument
  /// XXH3-128 of its bytes, 32 hexadecimal digits.
  var hash: String
  /// When it was written, milliseconds since 1970.
  var time: UInt64
  /// The profile that the user named.
  var client: ClientProfile?
  var base: Base?
  /// The entry that held it, where it is applied after all.
  var accepted: UInt64?
  /// How many of the retained contents, from the oldest, its writer can have read; nil: all.
  var readableCount: Int?
  /// False for a content that never was the document at this place.
  var isFromDocument = true
  /// True for what a program wrote here, while watches told who opened what.
  var isSeen = true
  var isDryRun = false
  /// True for a content that was merged once: what it lacks was deleted on purpose.
  var mayDeleteMuch = false

  enum Base {
    case generation(Int)
    /// A content that was retained nowhere.
    case file(SplitDocument)
    /// A content that is no longer retained, and what its author had seen.
    case remade(SplitDocument, Context)
  }

  init(document: SplitDocument, hash: String, time: UInt64) {
    self.document = document
    self.hash = hash
    self.time = time
  }

  /// Names this rewrite over this base: what has it in the log was imported.
  func importKey(document name: String, base context: Context) -> UInt64 {
    var line = LineBuilder()
    line.openArray()
    line.string(name)
    line.string(hash)
    context.write(to: &line)
    if let accepted { line.hex(accepted) }
    line.closeArray()
    return XXH3.hash128(line.bytes).high
  }
}
