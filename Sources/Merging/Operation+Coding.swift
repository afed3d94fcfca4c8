internal import LosslessJSON

/// An operation as a checkpoint keeps it: all that the small numbers beside it do not say.
///
/// A byte of flags, the incarnation, the id, the layout or the member before, each with its length,
/// and the value up to the end.
extension Operation {
  private struct Flags: OptionSet {
    let rawValue: UInt8
    static let action = Flags(rawValue: 0b0000_0111)
    static let hasID = Flags(rawValue: 0b0000_1000)
    static let hasMore = Flags(rawValue: 0b0001_0000)
    static let isCreated = Flags(rawValue: 0b0010_0000)
    static let isOwn = Flags(rawValue: 0b0100_0000)
  }

  private enum Verb: UInt8 {
    case create
    case set
    case remove
    case deleteRecord
    case move
    case folded
  }

  func write(to text: inout TableWriter) {
    let verb: Verb
    var more: [UInt8]?
    var value: ArraySlice<UInt8> = []
    switch action {
    case .create(let record, position: _, let layout):
      (verb, more, value) = (.create, layout.map { Array($0.bytes) }, record.bytes)
    case .set(_, let written, let after): (verb, more, value) = (.set, after?.bytes, written.bytes)
    case .remove: verb = .remove
    case .deleteRecord: verb = .deleteRecord
    case .move: verb = .move
    case .folded: verb = .folded
    }
    var flags = Flags(rawValue: verb.rawValue)
    if id != nil { flags.insert(.hasID) }
    if more != nil { flags.insert(.hasMore) }
    switch incarnation {
    case .adopted: text.append(flags.rawValue)
    case .created(by: let hash, let ordinal):
      text.append(flags.union(.isCreated).rawValue)
      text.append(hash.raw)
      text.append(length: ordinal)
    case .own(let ordinal):
      text.append(flags.union(.isOwn).rawValue)
      text.append(length: ordinal)
    }
    if let id { text.append(counted: id.bytes) }
    if let more { text.append(counted: more[...]) }
    text.append(raw: value)
  }

  /// Nil for a text that no operation was written to.
  init?(coded text: [UInt8], target: RecordAddress, path: JSONPointer, fraction: Fraction?) {
    var reader = TableReader(text[...])
    do throws(TableError) {
      let flags = Flags(rawValue: try reader.value(UInt8.self))
      guard let verb = Verb(rawValue: flags.intersection(.action).rawValue) else { return nil }
      var incarnation = Incarnation.adopted
      if flags.contains(.isCreated) {
        let hash = LineHash(raw: try reader.value(UInt64.self))
        incarnation = .created(by: hash, ordinal: try reader.length())
      } else if flags.contains(.isOwn) {
        incarnation = .own(ordinal: try reader.length())
      }
      let id = flags.contains(.hasID) ? JSONText(unchecked: try reader.countedBytes()) : nil
      let more = flags.contains(.hasMore) ? try reader.countedBytes() : nil
      let value = JSONText(unchecked: reader.rest())
      let action: Action
      switch verb {
      case .create:
        action = .create(
          value, position: fraction, layout: more.map { JSONText(unchecked: $0) })
      case .set:
        action = .set(path, value, after: more.map { JSONKey(uncheckedWTF8: Array($0)) })
      case .remove: action = .remove(path)
      case .deleteRecord: action = .deleteRecord
      case .move:
        guard let fraction else { return nil }
        action = .move(fraction)
      case .folded: action = .folded(path)
      }
      self.init(target: target, id: id, incarnation: incarnation, action: action)
    } catch {
      return nil
    }
  }
}
