import Merging
import TestSupport
import Testing

@Suite struct FractionTests {
  @Test func `appended fractions rise and stay short`() {
    var last = Fraction.first
    for _ in 1..<200_000 {
      let next = Fraction.next(after: last)
      if !(last < next) { Issue.record("\(next) does not follow \(last)") }
      last = next
    }
    #expect(last.text.count <= 5)
  }

  @Test func `there is always room before, between and behind`() {
    var chance = SeededChance(seed: 7)
    var list: [Fraction] = []
    for _ in 0..<2000 {
      let place = chance.below(list.count + 1)
      let low = place > 0 ? list[place - 1] : nil
      let high = place < list.count ? list[place] : nil
      let new = Fraction.between(low, high)
      #expect(new.isValid)
      if let low { #expect(low < new) }
      if let high { #expect(new < high) }
      list.insert(new, at: place)
    }
  }

  @Test func `always inserting in front or at one place keeps the order`() {
    var front = Fraction.first
    for _ in 0..<5000 {
      let next = Fraction.between(nil, front)
      if !(next < front) { Issue.record("\(next) is not before \(front)") }
      front = next
    }
    var high = Fraction.next(after: .first)
    for _ in 0..<200 {
      let next = Fraction.between(.first, high)
      #expect(Fraction.first < next && next < high)
      high = next
    }
  }

  @Test func `text that is no fraction and crossed bounds do not trap`() {
    let broken = Fraction(text: Array("!!".utf8))
    #expect(!broken.isValid)
    #expect(Fraction.between(broken, nil) == .first)
    #expect(Fraction.between(.first, .first) == .first)
    #expect(Fraction.between(Fraction.next(after: .first), .first).isValid)
  }

  @Test func `what is outside the longest increasing run was moved`() {
    #expect(longestIncreasingRun(of: []) == [])
    #expect(longestIncreasingRun(of: [0, 1, 2]) == [0, 1, 2])
    #expect(longestIncreasingRun(of: [3, 0, 1, 2]) == [1, 2, 3])
    #expect(longestIncreasingRun(of: [1, 2, 3, 0]) == [0, 1, 2])
    #expect(longestIncreasingRun(of: [2, 1, 0]).count == 1)
  }
}

@Suite struct HybridClockTests {
  @Test func `stamps rise whatever the wall clock does`() {
    var clock = HybridClock()
    let one = clock.now(wallMilliseconds: 1000)
    let two = clock.now(wallMilliseconds: 1000)
    let three = clock.now(wallMilliseconds: 10)
    let four = clock.now(wallMilliseconds: 2000)
    #expect(one < two && two < three && three < four)
    #expect(one == Stamp(milliseconds: 1000) && four == Stamp(milliseconds: 2000))
  }

  @Test func `a foreign stamp far ahead is reported and not absorbed`() {
    var clock = HybridClock()
    #expect(clock.absorb(Stamp(milliseconds: 300_000), wallMilliseconds: 0) == nil)
    #expect(clock.latest == Stamp(milliseconds: 300_000))
    #expect(clock.absorb(Stamp(milliseconds: 300_001), wallMilliseconds: 0) == 300_001)
    #expect(clock.latest == Stamp(milliseconds: 300_000))
  }

  @Test func `the counter carries and the maximum saturates`() {
    var clock = HybridClock(latest: Stamp(raw: 0xFFFF))
    #expect(clock.now(wallMilliseconds: 0) == Stamp(milliseconds: 1))
    clock = HybridClock(latest: Stamp(raw: .max))
    #expect(clock.now(wallMilliseconds: 0) == Stamp(raw: .max))
  }
}
