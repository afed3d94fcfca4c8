public import FoundationEssentials
import LosslessJSON
import Merging
public import Records
import Replication
import UseCases

/// One decision in which a value replaced another; see docs/MERGING.md for the kinds.
public struct HistoryEntry: Sendable {
  /// One side of a decision.
  public struct Version: Sendable {
    /// The value; nil where this side is a deletion.
    public let value: RawJSON?
    /// The name of the node that wrote it, where it is known.
    public let node: String?
    /// The program whose rewrite the node took in; nil for its own write.
    public let client: String?
    /// When it was written, by the writer's clock.
    public let time: Date?
  }

  /// By which `replicator show` finds it: 16 hexadecimal digits, the same on all machines.
  public let id: String
  /// When it was decided.
  public let time: Date
  /// What was decided, as `concurrent` or `stripped`; later releases may know more.
  public let kind: String
  /// The collection; nil for what lies outside of all.
  public let collection: String?
  /// The record, where one was meant.
  public let record: RecordID?
  /// The field, as a JSON Pointer inside the record; empty for the record as a whole, nil where there is
  /// no single one.
  public let path: String?
  /// Whether nobody has restored, accepted, dismissed or overwritten it.
  public let isOpen: Bool
  /// What is shown, where the entry is about values.
  public let kept: Version?
  /// What is not shown, and can be restored.
  public let discarded: [Version]

  init(_ entry: LogResponse.Entry) {
    let journaled = entry.entry
    func version(_ side: JournalEntry.Side) -> Version {
      Version(
        value: side.value.map { RawJSON($0) },
        node: side.node.flatMap { entry.nodeNames[Hex.string($0.raw)] }, client: side.client,
        time: side.stamp.map { Date(milliseconds: $0.milliseconds) })
    }
    id = Hex.string(journaled.id)
    time = Date(milliseconds: journaled.time)
    kind = journaled.kind.rawValue
    collection = journaled.collection
    record = journaled.record.flatMap { RecordID(text: $0) }
    path = journaled.path?.description
    isOpen = entry.isOpen
    kept = journaled.kept.map { version($0) }
    discarded = journaled.discarded.map { version($0) }
  }
}

extension Date {
  fileprivate init(milliseconds: UInt64) {
    self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
  }
}
