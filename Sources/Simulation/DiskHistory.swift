/// Everything that was done to a disk since it was last durable as a whole, in order.
package struct DiskHistory: Sendable {
  struct Step: Sendable {
    let effect: DiskEffect
    let nanoseconds: Int64
    /// The moment of the history at which it was done.
    let issuedAt: Int
    /// The moment at which it became durable, if ever.
    var durableAt: Int?
  }

  let base: DiskImage
  private(set) var steps: [Step] = []
  private(set) var made: [DiskFile] = []
  private(set) var acknowledgements: [(at: Int, what: String)] = []
  /// Moments; one for each effect, sync and acknowledgement.
  package private(set) var count = 0
  private var loose: [Int] = []

  init(base: DiskImage) { self.base = base }

  mutating func make(_ file: DiskFile) { made.append(file) }

  mutating func append(_ effect: DiskEffect, at nanoseconds: Int64) {
    loose.append(steps.count)
    steps.append(Step(effect: effect, nanoseconds: nanoseconds, issuedAt: count))
    count += 1
  }

  mutating func synchronize(_ file: UInt64, dataOnly: Bool) {
    for index in takeLoose(file, dataOnly: dataOnly) { steps[index].durableAt = count }
    count += 1
  }

  /// A sync that failed: the pages count as clean from now on, and no later sync writes them.
  mutating func forsake(_ file: UInt64) {
    _ = takeLoose(file, dataOnly: true)
    count += 1
  }

  mutating func acknowledge(_ what: String) {
    acknowledgements.append((count, what))
    count += 1
  }

  /// The disk without those effects that are not durable and that `survives` refuses.
  func image(_ survives: (DiskEffect) -> Bool) -> DiskImage {
    var image = base
    for file in made { _ = image.add(file) }
    for step in steps where step.durableAt != nil || survives(step.effect) {
      image.apply(step.effect, at: step.nanoseconds)
    }
    return image
  }

  private mutating func takeLoose(_ file: UInt64, dataOnly: Bool) -> [Int] {
    let taken = loose.filter {
      steps[$0].effect.file == file && (!dataOnly || steps[$0].effect.isData)
    }
    let set = Set(taken)
    loose.removeAll { set.contains($0) }
    return taken
  }
}
