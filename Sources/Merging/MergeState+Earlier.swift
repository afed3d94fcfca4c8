package import LosslessJSON

extension MergeState {
  /// What an address showed without the greatest transaction on it, without the two greatest, and
  /// so on: the same on all nodes that have the same transactions.
  ///
  /// - Complexity: an evaluation for each text that is asked for.
  package func earlierTexts(at address: RecordAddress, countMax: Int) -> [JSONText] {
    guard let record = recordNumber(at: address) else { return [] }
    let all = history(record)
    var greatest: [UInt32: UInt32] = [:]
    for head in all {
      let transaction = heads[Int(head)].transaction
      guard let known = greatest[transaction], !ranks(known, below: head) else {
        greatest[transaction] = head
        continue
      }
    }
    let ordered = greatest.values.sorted { ranks($1, below: $0) }.prefix(countMax)
    var without: Set<UInt32> = []
    var texts: [JSONText] = []
    for head in ordered {
      without.insert(heads[Int(head)].transaction)
      let rest = all.filter { !without.contains(heads[Int($0)].transaction) }
      guard let text = slots(of: rest, record: record).first?.view.text else { break }
      texts.append(text)
    }
    return texts
  }
}
