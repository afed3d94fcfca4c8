import LosslessJSON

/// A simulated program with a document in memory.
struct RunningProgram {
  /// What the next rewrite starts from.
  enum Base: Equatable {
    case nothing
    /// A generation that it read.
    case export(Int)
    /// Its own last write.
    case own
  }

  let program: Program
  private(set) var base = Base.nothing
  /// What it believes that the document holds.
  private(set) var memory = Content()
  /// The same without what its codec lost, so that an edit can be told from a loss.
  private(set) var seen = Content()
  /// All that it has seen since it read last: that, and what it made of it with each rewrite.
  private(set) var versions: [Content] = []
  /// What it meant with rewrites since it read last.
  private var earlier: [Intent.Place: JSONText?] = [:]
  private var deleted: Set<Int> = []
  /// The bytes of its last write.
  private(set) var lastWrite: [UInt8] = []

  init(_ program: Program) { self.program = program }

  mutating func read(_ content: Content, generation: Int) {
    memory = program.decode(content)
    seen = content
    versions = [content]
    earlier = [:]
    deleted = []
    base = .export(generation)
  }

  /// A rewrite with what was meant by it. `older` are contents that it may bring values back from.
  mutating func rewrite(
    _ chance: inout Chance, ids: inout Int, older: [Content]
  ) -> (bytes: [UInt8], intent: Intent) {
    var intent = Intent()
    let counts = [0, 1, 1, 1, 1, 1, 2, 2, 3]
    for _ in 0..<counts[chance.below(counts.count)] { edit(&chance, &ids, older, &intent) }
    intent.incidental = earlier.filter { intent.edits[$0.key] == nil }
    intent.deletedEarlier = deleted.filter { memory[$0] == nil }
    if program.profile == nil {
      for item in memory.items {
        for field in Field.allCases {
          let place = Intent.Place(id: item.id, field: field)
          guard let value = item[field], let known = seen[item.id], known[field] != value,
            intent.edits[place] == nil, intent.created[item.id] == nil
          else { continue }
          intent.incidental[place] = .some(value)
        }
      }
    }
    return (memory.bytes(sortsMembers: program.sortsMembers), intent)
  }

  /// The rewrite was written: from now on it goes on from that.
  mutating func didWrite(_ bytes: [UInt8], _ intent: Intent) {
    base = .own
    lastWrite = bytes
    seen = intent.applied(to: seen)
    versions.append(seen)
    versions.append(memory)
    earlier.merge(intent.incidental) { $1 }
    earlier.merge(intent.edits) { $1 }
    deleted.formUnion(intent.deleted)
  }

  private mutating func edit(
    _ chance: inout Chance, _ ids: inout Int, _ older: [Content], _ intent: inout Intent
  ) {
    let what = chance.below(100)
    if what < 8 {
      create(&chance, &ids, &intent)
    } else if what < 15 {
      guard memory.items.count > 1, let item = chance.pick(memory.items),
        intent.created[item.id] == nil, !intent.edits(of: item.id)
      else { return }
      memory.remove(item.id)
      intent.deleted.insert(item.id)
    } else if let item = chance.pick(memory.items), intent.created[item.id] == nil {
      change(item, &chance, &ids, older, &intent)
    }
  }

  private mutating func create(
    _ chance: inout Chance, _ ids: inout Int, _ intent: inout Intent
  ) {
    ids += 1
    var item = Item(id: ids)
    for field in Field.allCases where program.knows.contains(field) {
      if Field.optional.contains(field), chance.happens(percent: 30) { continue }
      item[field] = value(field, &chance, &ids)
    }
    if program.fills, item[.port] == nil { item[.port] = Field.filledPort }
    memory.items.append(item)
    intent.created[item.id] = item
  }

  private mutating func change(
    _ item: Item, _ chance: inout Chance, _ ids: inout Int, _ older: [Content],
    _ intent: inout Intent
  ) {
    let known = Field.allCases.filter(program.knows.contains)
    guard let field = chance.pick(known) else { return }
    var value: JSONText?
    if chance.happens(percent: program.reverts) {
      let past = older.compactMap { program.decode($0)[item.id]?[field] }
      value = chance.pick(past.filter { $0 != item[field] })
      guard value != nil else { return }
    } else if Field.optional.contains(field), item[field] != nil, chance.happens(percent: 8) {
      guard !(program.fills && field == .port) else { return }
    } else {
      value = self.value(field, &chance, &ids)
    }
    guard value != item[field] else { return }
    memory.set(field, value, of: item.id)
    let place = Intent.Place(id: item.id, field: field)
    // Back to what it had seen is no change of this rewrite.
    if program.decode(seen)[item.id]?[field] == value {
      intent.edits[place] = nil
    } else {
      intent.edits[place] = .some(value)
    }
  }

  private func value(_ field: Field, _ chance: inout Chance, _ ids: inout Int) -> JSONText {
    ids += 1
    let value = field.value(&chance, fresh: ids)
    if field == .kind, program.coerces, !Field.kindsOfOldPrograms.contains(value) {
      return Field.fallbackKind
    }
    return program.rounds && field == .big ? Field.rounded(value) : value
  }
}
