/// One run of a plan from its first step to rest.
struct Run {
  let violation: Violation?
  let marks: Marks
  /// Of all system calls of our code, in order.
  let trace: Trace
  let steps: Int

  /// - Parameter tell: is told what happens, step by step.
  init(_ plan: Plan, tell: ((String) -> Void)? = nil) {
    var done = 0
    do {
      let world = try World(plan)
      if tell != nil { world.beginStory() }
      do {
        for (index, step) in plan.steps.enumerated() {
          done = index
          defer { for line in world.takeStory() { tell?("\(index + 1). \(step): \(line)") } }
          try world.run(step)
        }
        done = plan.steps.count
        defer { for line in world.takeStory() { tell?("at rest: \(line)") } }
        try world.settle()
        violation = nil
      } catch {
        if tell != nil { for line in world.entryLines() { tell?(line) } }
        violation = Self.violation(error, done < plan.steps.count ? done : nil)
      }
      (marks, trace) = (world.marks, world.trace)
    } catch {
      violation = Self.violation(error, nil)
      (marks, trace) = (Marks(), Trace())
    }
    steps = done
  }

  private static func violation(_ error: any Error, _ step: Int?) -> Violation {
    var found = error as? Violation ?? Violation(.harness, "\(error)")
    found.step = step
    return found
  }
}
