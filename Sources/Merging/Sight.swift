/// A context in the small numbers of one state: per branch the last sequence seen, and singles.
///
/// A branch is an unforked run of one writer. Branches that are missing at the end were not seen.
struct Sight: Equatable {
  var reach: [UInt32] = []
  /// Numbers of transactions seen although something of their branch before them was not; sorted.
  var singles: [UInt32] = []

  func reach(of branch: UInt32) -> UInt32 {
    Int(branch) < reach.count ? reach[Int(branch)] : 0
  }

  mutating func extend(_ branch: UInt32, to sequence: UInt32) {
    while reach.count <= Int(branch) { reach.append(0) }
    if sequence > reach[Int(branch)] { reach[Int(branch)] = sequence }
  }

  mutating func insertSingle(_ transaction: UInt32) {
    let place = singles.firstIndex { $0 >= transaction } ?? singles.endIndex
    if place < singles.endIndex, singles[place] == transaction { return }
    singles.insert(transaction, at: place)
  }

  func holdsSingle(_ transaction: UInt32) -> Bool {
    var low = 0
    var high = singles.count
    while low < high {
      let middle = (low + high) / 2
      if singles[middle] < transaction { low = middle + 1 } else { high = middle }
    }
    return low < singles.count && singles[low] == transaction
  }
}
