import Merging

extension BruteForceModel {
  /// A written value that is neither shown, nor replaced by somebody who had seen it, nor in a
  /// journal; nil where there is none.
  ///
  /// What is shown and journaled comes from the engine; who had seen what is asked of the world.
  static func lost(_ ops: [Op], shown: Value?, journal: Set<Entry>) -> String? {
    for op in ops where op.isWrite {
      guard case .scalar(let text) = op.leaf, !isJournaled(op, in: journal, ops) else { continue }
      let isReplaced = ops.contains { later in
        later.seen.contains(op.tx) && later.kind != .move
          && (later.kind != .set || op.path.starts(with: later.root)
            || op.isOfEndpoint && later.isOfEndpoint)
      }
      if isReplaced { continue }
      if op.isArray(at: "list") {
        if let lost = lostElement(op, ops, shown, journal) { return lost }
      } else if op.isArray(at: "tags") {
        let left = shown?.elements(at: ["tags"]) ?? []
        let added = addedTags(op, ops.filter { $0.incarnation == op.incarnation })
        if let tag = added.first(where: { !left.contains($0) }) {
          return "t\(op.tx) tag \(tag.json)"
        }
      } else if shown?.at(op.path)?.json != text {
        return "t\(op.tx) /\(op.path.joined(separator: "/")) = \(text)"
      }
    }
    return nil
  }

  private static func isJournaled(_ op: Op, in journal: Set<Entry>, _ ops: [Op]) -> Bool {
    journal.contains { entry in
      if let path = entry.path {
        return entry.loser == op.tx
          && (op.path.starts(with: path) || path == endpointPath && op.isOfEndpoint)
      }
      guard entry.kind == .createCreate || entry.kind == .deleteEdit else { return false }
      // A record that lost as a whole is in the journal with everything that was written to it.
      return entry.loser == op.tx
        || entry.kind == .createCreate && op.incarnation == entry.loser
          && ops.contains { $0.kind == .create && $0.tx == entry.loser }
    }
  }

  /// The same for what a write of the keyed array did to its elements.
  private static func lostElement(
    _ op: Op, _ ops: [Op], _ shown: Value?, _ journal: Set<Entry>
  ) -> String? {
    let left = elementsByID(shown?.elements(at: ["list"]) ?? [])
    let model = elements(of: ops.filter { $0.incarnation == op.incarnation })
    for (id, list) in model.elements.sorted(by: { $0.key < $1.key }) {
      let own = journal.compactMap { entry -> Entry? in
        guard let path = entry.path, path.starts(with: ["list", id]) else { return nil }
        let rest = path.count == 2 && entry.kind == .createCreate ? nil : Array(path.dropFirst(2))
        return Entry(kind: entry.kind, loser: entry.loser, path: rest)
      }
      // The writes of others that took the element away or changed it stand in the same list.
      let mine = list.filter { $0.tx == op.tx }
      for leaf in mine {
        let others = list.filter { $0.tx != op.tx } + [leaf]
        if let lost = lost(others, shown: left[id], journal: Set(own)) {
          guard lost.hasPrefix("t\(op.tx) ") else { continue }
          return "element \(id): \(lost)"
        }
      }
    }
    return nil
  }
}
