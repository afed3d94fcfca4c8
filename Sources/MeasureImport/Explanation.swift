import LosslessJSON
import Merging
import Records

/// What happened in a history, line by line, for people.
final class Trace {
  private(set) var lines: [String] = []

  func add(_ line: String) { lines.append(line) }
}

extension Program: CustomStringConvertible {
  var description: String {
    let habits = [
      (isOld, "drops what is new"), (coerces, "coerces kinds"), (rounds, "rounds numbers"),
      (fills, "fills in ports"), (sortsRecords, "sorts records"), (sortsMembers, "sorts members"),
      (writesInPlace, "writes in place"),
    ].filter(\.0).map(\.1)
    return "\(name), \(profile == nil ? "undeclared" : "declared"), reads again \(rereads) %, "
      + "reverts \(reverts) %" + habits.map { ", \($0)" }.joined()
  }
}

extension Intent: CustomStringConvertible {
  var description: String {
    var words: [String] = []
    for (place, value) in edits {
      words.append(value.map { "set \(place) \($0)" } ?? "remove \(place)")
    }
    for (place, value) in incidental {
      words.append("(\(place) \(value?.description ?? "absent"))")
    }
    words += created.values.map { "create \($0.text())" } + deleted.map { "delete \($0)" }
    return words.isEmpty ? "nothing" : words.sorted().joined(separator: "; ")
  }
}

extension Intent.Place: CustomStringConvertible {
  var description: String { "\(id)\(field.pointer)" }
}

extension Finding: CustomStringConvertible {
  var description: String {
    "\(kind.rawValue) of \(id)\(field?.pointer.description ?? ""), "
      + (hasLine ? "in the journal" : "without an entry")
  }
}

extension JournalLines.Line: CustomStringConvertible {
  var description: String {
    let texts = values.map { $0?.description ?? "nothing" }.joined(separator: " against ")
    return "\(kind) \(id.map(String.init) ?? "rewrite")\(path?.description ?? "") \(texts)"
  }
}

extension ImportPlan {
  /// The changes as short lines.
  var changeLines: [String] {
    changes.map { change in
      let place = "\(change.place.id?.description ?? "")\(change.path?.description ?? "")"
      switch change {
      case .create(let creation): return "create \(creation.text)"
      case .set(_, _, let text, _, let operationClass):
        return "\(operationClass == .fill ? "fill" : "set") \(place) \(text)"
      case .remove: return "remove \(place)"
      case .delete: return "delete \(place)"
      case .move: return "move \(place)"
      }
    }
  }
}
