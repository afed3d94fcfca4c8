/// A label that a writer gave to several lines: its node was copied, or it was restored.
package struct Fork: Hashable, Sendable {
  package var writer: WriterID
  package var sequence: UInt64
  /// The lines with this label, in order.
  package var hashes: [LineHash]

  package init(writer: WriterID, sequence: UInt64, hashes: [LineHash]) {
    self.writer = writer
    self.sequence = sequence
    self.hashes = hashes
  }
}

extension MergeState {
  /// Everything that is applied, as a context.
  package var context: Context { context(of: everything) }

  /// Whether a transaction is in a context; tells the branches of a fork apart.
  package func isSeen(_ id: TransactionID, by context: Context) -> Bool {
    guard let number = numbersByHash[id.hash] else { return context.named.contains(id) }
    return contains(resolve(context), number)
  }

  /// What two contexts hold together; exact also where a writer has forked.
  package func union(_ left: Context, _ right: Context) -> Context {
    var sight = resolve(left)
    let other = resolve(right)
    for (branch, reach) in other.reach.enumerated() where reach > 0 {
      sight.extend(UInt32(branch), to: reach)
    }
    for single in other.singles { sight.insertSingle(single) }
    settleSingles(&sight)
    return context(of: sight)
  }

  /// Every label with several lines.
  package var forks: [Fork] {
    var forks: [Fork] = []
    for (writer, numbers) in branchesByWriter where numbers.count > 1 {
      var lines: [UInt32: [LineHash]] = [:]
      for row in numbers.flatMap({ branches[Int($0)].transactions }) {
        lines[rows[Int(row)].sequence, default: []].append(rows[Int(row)].hash)
      }
      for (sequence, hashes) in lines where hashes.count > 1 {
        forks.append(
          Fork(writer: writer, sequence: UInt64(sequence), hashes: hashes.sorted()))
      }
    }
    return forks.sorted { ($0.writer, $0.sequence) < ($1.writer, $1.sequence) }
  }

  var everything: Sight {
    Sight(reach: branches.map(\.lastSequence))
  }

  /// A context in the numbers of this state; what is not applied is left out.
  func resolve(_ context: Context) -> Sight {
    var sight = Sight()
    var absent: [WriterID] = []
    for (writer, reach) in context.writers where reach.sequence > 0 {
      if let number = numbersByHash[reach.hash] {
        extend(&sight, along: rows[Int(number)].branch, to: rows[Int(number)].sequence)
      } else if branchesByWriter[writer] != nil {
        absent.append(writer)
      }
    }
    if !absent.isEmpty { extend(&sight, toWhatIsKnownOf: absent) }
    guard !context.singles.isEmpty else { return sight }
    for single in context.singles {
      if let number = numbersByHash[single.hash] { sight.insertSingle(number) }
    }
    settleSingles(&sight)
    return sight
  }

  /// A reach on a branch holds also what the branch grew from.
  private func extend(_ sight: inout Sight, along branch: UInt32, to sequence: UInt32) {
    sight.extend(branch, to: sequence)
    var parent = branches[Int(branch)].parent
    while let (branch, sequence) = parent {
      sight.extend(branch, to: sequence)
      parent = branches[Int(branch)].parent
    }
  }

  /// Where the line is not here that a context ends with, its number tells nothing of the lines before:
  /// a writer that was set back gives it to another line. A context is causally closed, so what the
  /// authors of its other lines had seen is in it.
  ///
  /// - Complexity: all lines of the context, for each branch of these writers.
  private func extend(_ sight: inout Sight, toWhatIsKnownOf writers: [WriterID]) {
    let known = sight
    let wanted = writers.flatMap { branchesByWriter[$0] ?? [] }
    for (branch, reach) in known.reach.enumerated() where reach > 0 {
      for row in branches[branch].transactions where rows[Int(row)].sequence <= reach {
        for other in wanted where rows.reach(of: row, on: other) > 0 {
          extend(&sight, along: other, to: rows.reach(of: row, on: other))
        }
      }
    }
  }

  /// Turns singles that continue a reach into reach, so that equal contexts have one form.
  private func settleSingles(_ sight: inout Sight) {
    guard !sight.singles.isEmpty else { return }
    let ordered = sight.singles.sorted { rows[Int($0)].sequence < rows[Int($1)].sequence }
    var rest: [UInt32] = []
    for single in ordered {
      let row = rows[Int(single)]
      let branch = branches[Int(row.branch)]
      let reach = sight.reach(of: row.branch)
      if row.sequence <= reach { continue }
      let continuesParent =
        reach == 0 && row.sequence == branch.firstSequence
        && (branch.parent.map { sight.reach(of: $0.branch) >= $0.sequence } ?? true)
      if continuesParent || (reach > 0 && row.sequence == reach + 1) {
        sight.extend(row.branch, to: row.sequence)
      } else {
        rest.append(single)
      }
    }
    sight.singles = rest.sorted()
  }

  /// The one spelling of a context: per writer its furthest branch, the others as singles.
  func context(of sight: Sight) -> Context {
    var writers: [WriterID: Context.Reach] = [:]
    var singles = Set(sight.singles.map { rows.id($0) })
    for (writer, numbers) in branchesByWriter {
      let seen = numbers.filter { sight.reach(of: $0) >= branches[Int($0)].firstSequence }
      let tips = seen.map { last(of: $0, in: sight) }
      guard
        let main = tips.max(by: { ($0.sequence, $0.hash) < ($1.sequence, $1.hash) }),
        let number = numbersByHash[main.hash]
      else { continue }
      writers[writer] = Context.Reach(sequence: main.sequence, hash: main.hash)
      guard seen.count > 1 else { continue }
      var chain = Sight()
      extend(&chain, along: rows[Int(number)].branch, to: rows[Int(number)].sequence)
      for branch in seen {
        for row in branches[Int(branch)].transactions
        where rows[Int(row)].sequence <= sight.reach(of: branch) && !contains(chain, row) {
          singles.insert(rows.id(row))
        }
      }
    }
    return Context(writers: writers, singles: singles)
  }

  func last(of branch: UInt32, in sight: Sight) -> TransactionID {
    let row = branches[Int(branch)]
    let place = Int(min(sight.reach(of: branch), row.lastSequence) - row.firstSequence)
    return rows.id(row.transactions[place])
  }
}
