import Simulation

/// What a run consists of: who takes part, what may go wrong, and what happens.
///
/// All of it follows from the seed. Each run has a few of the faults only, and often: where everything goes
/// wrong at once, little of it goes far enough to matter.
struct Plan: Equatable, Sendable {
  /// Something that may be there or not.
  enum Feature: String, CaseIterable, Sendable {
    // Faults of the machine
    case kill, power, errors, shortWrites, fullDisk, clockJumps, frozenClock
    // Faults of the carrier
    case oldVersions, truncation, conflictCopies, partition, disorder, newerNodes
    // Faults of people
    case setBack, retirement
    // Others that are at work
    case meddling, staleProgram, sortingProgram, undeclared, holds, commands, compaction
    case configuration, resolutions, lostEvents
    /// Faults come at the moments that count, and the process may die soon after.
    case rareMoments
    /// Nobody but our own processes writes, so that who had seen what is known.
    case direct
    /// A process of ours runs in the middle of another one.
    case intrusion
    /// Programs that use the library, and write over what they read a while ago.
    case applications
    /// No file can be made beside the document, so it is written in place.
    case inPlace
  }

  let seed: UInt64
  let machines: Int
  let features: Set<Feature>
  let steps: [Step]
  /// A known way of getting it wrong that our code is made to have.
  var variant: Variant?

  init(seed: UInt64, machines: Int, features: Set<Feature>, steps: [Step]) {
    self.seed = seed
    self.machines = machines
    self.features = features
    self.steps = steps
  }

  func has(_ feature: Feature) -> Bool { features.contains(feature) }

  /// Whether programs may save while we replace the document. Where that has to be done in place, what they
  /// save at that very moment can be lost (docs/INVARIANTS.md section 3).
  var mayMeddle: Bool { !has(.inPlace) && !has(.direct) }

  func with(_ variant: Variant?) -> Plan {
    var plan = self
    plan.variant = variant
    return plan
  }

  func with(
    machines: Int? = nil, features: Set<Feature>? = nil, steps: [Step]? = nil
  ) -> Plan {
    Plan(
      seed: seed, machines: machines ?? self.machines, features: features ?? self.features,
      steps: steps ?? self.steps
    ).with(variant)
  }

  init(seed: UInt64) {
    var chance = Chance(seed)
    let machines = chance.pick([1, 2, 2, 2, 3, 3, 4])
    // Of some runs a quarter, of others half of all features.
    let times = chance.pick([2, 3, 4])
    var features = Set(Feature.allCases.filter { _ in chance.once(in: times) })
    // What comes at these moments says something only together with what comes soon after.
    if features.contains(.rareMoments) { features.formUnion([.kill, .power, .meddling, .errors]) }
    let length = 12 + chance.below(40)
    let actions = Self.actions(features, machines)
    let total = actions.reduce(0) { $0 + $1.weight }
    let steps = (0..<length).map { _ in
      var rest = chance.below(total)
      var action = Step.Action.pass
      for (candidate, weight) in actions {
        if rest < weight {
          action = candidate
          break
        }
        rest -= weight
      }
      return Step(action: action, machine: chance.below(machines), number: chance.next())
    }
    self.init(seed: seed, machines: machines, features: features, steps: steps)
  }

  /// What may happen, and how often of each other.
  private static func actions(
    _ features: Set<Feature>, _ machines: Int
  ) -> [(action: Step.Action, weight: Int)] {
    var list: [(action: Step.Action, weight: Int)] = [
      (.look, 1), (.pass, 8), (.sync, 2), (.wait, 2), (.stop, 1),
    ]
    let isDirect = features.contains(.direct)
    if !isDirect { list += [(.read, 3), (.write, 9)] }
    if machines > 1 { list.append((.carry, 7)) }
    if features.contains(.commands) || isDirect { list += [(.set, 4), (.delete, 1)] }
    if features.contains(.applications) { list += [(.open, 3), (.save, 5)] }
    if features.contains(.resolutions), !isDirect {
      list += [(.restore, 3), (.accept, 1), (.dismiss, 1)]
    }
    if features.contains(.compaction) { list.append((.compact, 2)) }
    if features.contains(.configuration) { list.append((.configure, 1)) }
    if machines > 2, features.contains(.retirement) { list.append((.retire, 1)) }
    if features.contains(.newerNodes) { list.append((.newer, 2)) }
    if features.contains(.partition) { list += [(.part, 1), (.join, 1)] }
    let armed: Set<Feature> = [
      .kill, .power, .errors, .shortWrites, .fullDisk, .meddling, .intrusion,
    ]
    if !features.isDisjoint(with: armed) { list.append((.arm, 8)) }
    if features.contains(.clockJumps) || features.contains(.frozenClock) {
      list.append((.clock, 2))
    }
    if features.contains(.power) {
      list.append((.powerOff, features.contains(.rareMoments) ? 3 : 1))
    }
    if features.contains(.setBack) { list += [(.backUp, 1), (.setBack, 1)] }
    return list
  }
}
