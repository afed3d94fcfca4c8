import LosslessJSON
import Replication
import SystemCalls

/// That what somebody wrote over what he had read is no conflict.
///
/// Known for sure only where nobody but our own processes writes, and no lines get lost: what a file still shows
/// of such is written again, and the first writing of it may come back from elsewhere.
extension World {
  func checkCausality(_ machine: Machine) throws {
    guard plan.has(.direct), !plan.has(.power), !ledger.hasLostLines else { return }
    for entry in try machine.entries() where entry.kind == .concurrent && entry.group == nil {
      let kept = Tokens.all(in: Array(entry.kept?.value?.bytes ?? []))
      for old in entry.discarded.flatMap({ Tokens.all(in: Array($0.value?.bytes ?? [])) })
      // The first values are adopted on each machine; one of these may have been seen and not the other.
      where old >= Document.firstToken && !kept.isDisjoint(with: ledger.successors[old] ?? []) {
        throw Violation(
          .causality, "\(kept.map(Tokens.text)) was written over t\(old), which its author had read"
        )
      }
    }
  }

  /// That nothing was set aside as no document where nobody left half of one.
  func checkWholeness(_ machine: Machine) throws {
    let wasBroken = machines.contains { $0.workplace.state.withLock { $0.wasBroken } }
    guard !wasBroken, try machine.entries().contains(where: \.isOfUnreadableDocument) else {
      return
    }
    throw Violation(.document, "a document was set aside on \(machine.number), and all were whole")
  }
}

extension JournalEntry {
  /// A configuration that cannot be read has an entry too: a disk that fails is enough for that.
  var isOfUnreadableDocument: Bool {
    kind == .unreadable && document != Replica.configurationName
  }
}
