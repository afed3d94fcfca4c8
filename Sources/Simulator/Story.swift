import LosslessJSON
import Replication
import SystemCalls

/// What happened in a run, in words, for whoever wants to understand it.
extension World {
  func tell(_ machine: Machine, _ text: () -> String) {
    machine.workplace.state.withLock { $0.tell(text) }
  }

  func beginStory() {
    for machine in machines { machine.workplace.state.withLock { $0.story = [] } }
  }

  /// What the journals tell.
  func entryLines() -> [String] {
    machines.flatMap { machine in
      // A journal that cannot be read tells nothing.
      ((try? machine.entries()) ?? []).map { entry -> String in
        let place = [entry.record?.description, entry.path?.description].compactMap { $0 }
        let values = (entry.discarded.map(\.value) + [entry.kept?.value])
          .map { $0?.description ?? "none" }
        let words = [entry.kind.rawValue] + place + values + [entry.rule ?? ""]
        return "(\(machine.number)) " + words.joined(separator: " ")
      }
    }
  }

  /// What was told since the last time, and what the documents are now.
  func takeStory() -> [String] {
    machines.flatMap { machine -> [String] in
      // A document that cannot be read has no text.
      let bytes = (try? machine.workplace.bytes()) ?? []
      return machine.workplace.state.withLock { state in
        guard let story = state.story else { return [] }
        state.story = []
        let shown = String(decoding: bytes, as: UTF8.self)
        return (story.isEmpty ? [] : story + [shown]).map { "(\(machine.number)) " + $0 }
      }
    }
  }
}
