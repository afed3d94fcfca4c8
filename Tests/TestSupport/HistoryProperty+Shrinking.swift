extension HistoryProperty {
  /// The smallest failing history that leaving out and simplifying steps finds, and the tries.
  package func shrunk(_ history: [Step]) -> (history: [Step], tries: Int) {
    var small = history
    var tries = 0
    func accept(_ candidate: [Step]) -> Bool {
      guard candidate != small, tries < triesMax else { return false }
      tries += 1
      guard complaint(candidate) != nil else { return false }
      small = candidate
      return true
    }
    var isSmaller = true
    while isSmaller {
      isSmaller = false
      if shorten({ small }, accept) { isSmaller = true }
      if useFewerNodes({ small }, accept) { isSmaller = true }
      if simplify({ small }, accept) { isSmaller = true }
    }
    return (small, tries)
  }

  /// Leaves out runs of steps, long ones first.
  private func shorten(_ small: () -> [Step], _ accept: ([Step]) -> Bool) -> Bool {
    var isShorter = false
    var size = max(1, small().count / 2)
    while size > 0 {
      var start = 0
      while start < small().count {
        var candidate = small()
        candidate.removeSubrange(start..<min(start + size, candidate.count))
        if accept(candidate) { isShorter = true } else { start += size }
      }
      size /= 2
    }
    return isShorter
  }

  /// Gives all steps of one node to one with a smaller number.
  private func useFewerNodes(_ small: () -> [Step], _ accept: ([Step]) -> Bool) -> Bool {
    var isSimpler = false
    for node in (1..<8).reversed() {
      for other in 0..<node
      where accept(small().map { $0.moved(from: node, to: other) }) { isSimpler = true }
    }
    return isSimpler
  }

  /// Puts simpler steps in the place of single ones.
  private func simplify(_ small: () -> [Step], _ accept: ([Step]) -> Bool) -> Bool {
    var isSimpler = false
    for index in small().indices {
      for step in small()[index].simpler {
        var candidate = small()
        candidate[index] = step
        if accept(candidate) {
          isSimpler = true
          break
        }
      }
    }
    return isSimpler
  }
}
