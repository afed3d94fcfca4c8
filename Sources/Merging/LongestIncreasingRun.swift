/// The places of a longest strictly increasing run in a list; what is outside it was moved.
///
/// Of several equally long runs it is the one whose members end smallest.
/// - Complexity: n log n.
package func longestIncreasingRun(of values: [Int]) -> [Int] {
  // tails[k] is the place of the smallest value that ends a run of k + 1 values (patience sorting).
  var tails: [Int] = []
  var previous = [Int](repeating: -1, count: values.count)
  for (place, value) in values.enumerated() {
    var low = 0
    var high = tails.count
    while low < high {
      let middle = (low + high) / 2
      if values[tails[middle]] < value { low = middle + 1 } else { high = middle }
    }
    if low > 0 { previous[place] = tails[low - 1] }
    if low == tails.count { tails.append(place) } else { tails[low] = place }
  }
  var run: [Int] = []
  var place = tails.last ?? -1
  while place >= 0 {
    run.append(place)
    place = previous[place]
  }
  return run.reversed()
}
