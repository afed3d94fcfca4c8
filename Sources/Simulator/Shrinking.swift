/// Makes a failing plan small: fewer steps, fewer kinds of trouble, fewer machines.
struct Shrinking {
  private(set) var plan: Plan
  private(set) var violation: Violation
  private(set) var tries = 0
  private let triesMax: Int

  init(_ plan: Plan, _ violation: Violation, triesMax: Int = 600) {
    self.plan = plan
    self.violation = violation
    self.triesMax = triesMax
  }

  mutating func run() {
    var before: Plan?
    while before != plan {
      before = plan
      shorten()
      simplify()
    }
  }

  /// Leaves out runs of steps, long ones first.
  private mutating func shorten() {
    var size = max(1, plan.steps.count / 2)
    while size > 0 {
      var start = 0
      while start < plan.steps.count {
        var steps = plan.steps
        steps.removeSubrange(start..<min(start + size, steps.count))
        if !accept(plan.with(steps: steps)) { start += size }
      }
      size /= 2
    }
  }

  private mutating func simplify() {
    for feature in plan.features.sorted(by: { $0.rawValue < $1.rawValue }) {
      _ = accept(plan.with(features: plan.features.subtracting([feature])))
    }
    if plan.machines > 1 { _ = accept(plan.with(machines: plan.machines - 1)) }
    for index in plan.steps.indices where plan.steps[index].machine > 0 {
      var steps = plan.steps
      let step = steps[index]
      steps[index] = Step(action: step.action, machine: 0, number: step.number)
      _ = accept(plan.with(steps: steps))
    }
  }

  /// Takes a plan that fails in the same way.
  private mutating func accept(_ candidate: Plan) -> Bool {
    guard candidate != plan, tries < triesMax else { return false }
    tries += 1
    guard let found = Run(candidate).violation, found.check == violation.check else { return false }
    (plan, violation) = (candidate, found)
    return true
  }
}
