package import SystemCalls

/// A disk as a power cut may have left it.
package struct CrashState: Sendable {
  package let image: DiskImage
  /// What had been acknowledged by then.
  package let acknowledged: Set<String>
  /// The moment of the history at which the power went.
  package let cut: Int
  /// What was done before that and is not on the disk.
  package let lost: [DiskEffect]

  package var description: String {
    "cut at \(cut), lost: " + (lost.isEmpty ? "nothing" : "\(lost.map(\.description))")
  }
}

/// The disks that a power cut at any moment of a history can leave, each once.
///
/// What was synchronised is there. Of the rest any part may be missing, whatever its order: every
/// subset where there are few effects, else the likely ones and as many by chance as `samples` says.
/// Nothing lost is among them: that is what the death of a process leaves.
package struct CrashStates {
  package struct Limits: Sendable {
    /// Every subset of up to so many loose effects.
    package let exhaustiveCountMax: Int
    package let samples: Int

    package init(exhaustiveCountMax: Int, samples: Int) {
      self.exhaustiveCountMax = exhaustiveCountMax
      self.samples = samples
    }
  }

  private let history: DiskHistory
  private let limits: Limits
  private let chance: any Entropy

  package init(_ history: DiskHistory, _ limits: Limits, chance: any Entropy) {
    self.history = history
    self.limits = limits
    self.chance = chance
  }

  package func forEach<Failure: Error>(
    _ body: (CrashState) throws(Failure) -> Void
  ) throws(Failure) {
    var seen: Set<[Int]> = []
    for cut in 0...history.count {
      let acknowledged = history.acknowledgements.prefix { $0.at < cut }
      let newest = history.steps.last { $0.issuedAt == cut - 1 }
      let isFirst = cut == 0 || acknowledged.last?.at == cut - 1
      // Other disks were possible a moment before, under the same obligations.
      guard isFirst || newest != nil else { continue }
      let loose = history.steps.indices.filter {
        let step = history.steps[$0]
        return step.issuedAt < cut && step.durableAt.map { $0 >= cut } ?? true
      }
      for lost in subsets(of: loose, keeping: isFirst ? nil : loose.last) {
        let image = image(cut: cut, lost: lost)
        guard seen.insert([image.digest, acknowledged.count]).inserted else { continue }
        try body(
          CrashState(
            image: image, acknowledged: Set(acknowledged.map(\.what)), cut: cut,
            lost: lost.sorted().map { history.steps[$0].effect }))
      }
    }
  }

  private func image(cut: Int, lost: Set<Int>) -> DiskImage {
    var image = history.base
    for file in history.made { _ = image.add(file) }
    for (index, step) in history.steps.enumerated() {
      guard step.issuedAt < cut else { break }
      if !lost.contains(index) { image.apply(step.effect, at: step.nanoseconds) }
    }
    return image
  }

  private func subsets(of loose: [Int], keeping kept: Int?) -> [Set<Int>] {
    let free = loose.filter { $0 != kept }
    if free.count <= limits.exhaustiveCountMax {
      return (0..<(1 << free.count)).map { bits in
        Set(free.indices.filter { bits >> $0 & 1 == 1 }.map { free[$0] })
      }
    }
    var found: [Set<Int>] = [[], Set(free)]
    for index in free.indices {
      found.append([free[index]])
      found.append(Set(free).subtracting([free[index]]))
      found.append(Set(free[index...]))
    }
    for _ in 0..<limits.samples {
      // Between few and most of them, and not always about half.
      let share = chance.random64() % 255 + 1
      found.append(Set(free.filter { _ in chance.random64() % 256 < share }))
    }
    return found
  }
}
