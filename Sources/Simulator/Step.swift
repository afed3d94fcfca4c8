/// One thing that happens in a run.
///
/// A step means something after any others: what makes no sense there does nothing. So any part of a
/// run is a run, and a failing one is made small by leaving steps out.
struct Step: Equatable, Sendable {
  enum Action: String, CaseIterable, Sendable {
    // Programs and people
    case read, write, look
    // Programs that use the library
    case open, save
    // Our own commands
    case pass, sync, set, delete, restore, accept, dismiss, compact, retire, configure
    // The carrier
    case carry, part, join, newer
    // What goes wrong
    case arm, clock, wait, stop, powerOff, backUp, setBack
  }

  let action: Action
  /// The machine on which it happens.
  let machine: Int
  /// Decides what the step leaves to chance.
  let number: UInt64

  var chance: Chance { Chance(number) }
}

extension Step: CustomStringConvertible {
  var description: String { "\(action.rawValue) \(machine) \(number)" }

  init?(_ text: some StringProtocol) {
    let words = text.split(separator: " ")
    guard words.count == 3, let action = Action(rawValue: String(words[0])),
      let machine = Int(words[1]), let number = UInt64(words[2])
    else { return nil }
    self.init(action: action, machine: machine, number: number)
  }
}
