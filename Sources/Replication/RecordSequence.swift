import LosslessJSON
import Merging

/// The records of a collection in their order, as a transaction that is being built leaves them.
///
/// A list of links, so that a rewrite which brings or moves many records takes time in proportion.
struct RecordSequence {
  /// What a record in the order is known by.
  enum Name: Hashable {
    case start
    case shown(RecordAddress, Incarnation)
    case created(Int)
  }

  private struct Link {
    var fraction: Fraction?
    var previous: Int
    var next: Int
  }

  private static let end = -1
  /// The first link stands before all records.
  private var links = [Link(fraction: nil, previous: end, next: end)]
  private var last = 0
  private var indices: [Name: Int] = [.start: 0]
  /// For a reference to a record that has another incarnation by now.
  private var byAddress: [RecordAddress: Int] = [:]

  init(_ views: RecordViews) {
    links.reserveCapacity(views.count + 1)
    indices.reserveCapacity(views.count + 1)
    for view in views {
      let index = links.count
      links.append(Link(fraction: view.fraction, previous: last, next: Self.end))
      links[last].next = index
      last = index
      indices[.shown(view.address, view.incarnation)] = index
      if byAddress[view.address] == nil { byAddress[view.address] = index }
    }
  }

  /// Puts a new record behind another one; one that is not there counts as the last.
  mutating func insert(
    _ name: Name, behind reference: Name, address: RecordAddress
  ) -> Fraction {
    let index = links.count
    links.append(Link(fraction: nil, previous: Self.end, next: Self.end))
    indices[name] = index
    if byAddress[address] == nil { byAddress[address] = index }
    return put(index, behind: self.index(of: reference) ?? last)
  }

  /// Puts a record behind another one.
  mutating func move(_ name: Name, behind reference: Name) -> Fraction {
    let target = index(of: reference) ?? last
    guard let index = index(of: name), index != target, index != 0 else {
      return place(behind: target)
    }
    unlink(index)
    return put(index, behind: target)
  }

  private func index(of name: Name) -> Int? {
    if let index = indices[name] { return index }
    guard case .shown(let address, _) = name else { return nil }
    return byAddress[address]
  }

  private mutating func unlink(_ index: Int) {
    let (previous, next) = (links[index].previous, links[index].next)
    links[previous].next = next
    if next == Self.end { last = previous } else { links[next].previous = previous }
  }

  private mutating func put(_ index: Int, behind target: Int) -> Fraction {
    let fraction = place(behind: target)
    let next = links[target].next
    links[index] = Link(fraction: fraction, previous: target, next: next)
    links[target].next = index
    if next == Self.end { last = index } else { links[next].previous = index }
    return fraction
  }

  /// A fraction between a record and the next one; neighbours that two nodes put at one place
  /// share a fraction, and the next free one is behind them.
  private func place(behind target: Int) -> Fraction {
    let low = links[target].fraction
    var next = links[target].next
    while next != Self.end {
      if let fraction = links[next].fraction, low.map({ fraction > $0 }) ?? true {
        return Fraction.between(low, fraction)
      }
      next = links[next].next
    }
    return Fraction.between(low, nil)
  }
}
