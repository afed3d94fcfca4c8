package import LosslessJSON
import Merging

extension SplitDocument {
  /// Takes a document apart.
  ///
  /// - Parameter foldBytesMin: from so many bytes on the records stay text until they are asked for;
  ///   what is in a smaller document is worth its memory.
  /// - Throws: where the bytes are no document of the shape's dialect.
  /// - Complexity: one pass over the text, and a second one over each record for its id; some 32
  ///   bytes of memory a record beside the text, and 8 a value of a small document.
  package init(
    bytes: [UInt8], shape: DocumentShape, foldBytesMin: Int = 1 << 20
  ) throws(JSONError) {
    self.init(
      tree: try JSONTree(
        parsing: bytes, dialect: shape.dialect.scanner,
        foldDepth: bytes.count < foldBytesMin ? .max : shape.recordDepth, foldKey: shape.idKey),
      shape: shape)
  }

  package init(tree: JSONTree, shape: DocumentShape) {
    var splitter = Splitter(tree: tree, shape: shape)
    for number in shape.recordCollections.indices { splitter.split(number) }
    let root = tree.root
    let bytes = tree.bytes
    let frame = splitter.frame(root, at: .root)
    let texts = shape.recordCollections.compactMap { collection in
      splitter.layouts[collection.name].map { (collection.name, $0.text) }
    }
    self.shape = shape
    self.frame = JSONText(unchecked: frame)
    frameLayout = LayoutText.object([
      ("prefix", LayoutText.string(bytes[..<root.range.lowerBound])),
      ("suffix", LayoutText.string(bytes[root.range.upperBound...])),
      ("collections", LayoutText.object(texts)),
    ])
    ranges = splitter.ranges
    missing = splitter.missing
    layouts = splitter.layouts
    table = RecordTable(splitter.table)
    tables = [table]
    records = SplitRecords(
      runs: [SplitRecords.Run(table: table, start: 0, from: 0, count: table.count)])
    // The frame is made of parts of a parsed document; if it did not parse, the root stands for it.
    frameTree = (try? JSONTree(parsing: self.frame)) ?? tree
  }
}

extension DocumentShape {
  /// How many containers are around each record, or more; beyond all where there are no records.
  fileprivate var recordDepth: Int {
    recordCollections.map { $0.at.tokens.count + 1 }.max() ?? .max
  }

  /// The member by which the records of an array are known, if it is one.
  fileprivate var idKey: JSONKey? { recordCollections.lazy.compactMap(\.idKey).first }
}

/// The work of taking one document apart.
private struct Splitter {
  let tree: JSONTree
  let shape: DocumentShape
  var table: RecordTableBuilder
  var ranges: [String: Range<Int>] = [:]
  var missing: [String: Bool] = [:]
  var layouts: [String: CollectionLayout] = [:]

  init(tree: JSONTree, shape: DocumentShape) {
    self.tree = tree
    self.shape = shape
    table = RecordTableBuilder(tree: tree, collections: shape.recordCollections)
  }

  /// One item of a container: a record, or an excepted member of a map.
  private struct Item {
    var key: JSONMember?
    var value: JSONNode
    var start: Int
  }

  /// The items of a container, in four bytes each.
  private struct Items {
    let tree: JSONTree
    let isMap: Bool
    var positions: [JSONPosition]

    var count: Int { positions.count }

    subscript(position: Int) -> Item {
      let value = tree.node(at: positions[position])
      guard isMap else { return Item(key: nil, value: value, start: value.range.lowerBound) }
      let member = tree.member(valueAt: positions[position])
      return Item(key: member, value: value, start: member.keyRange.lowerBound)
    }
  }

  mutating func split(_ number: Int) {
    let collection = table.collections[number]
    let start = table.count
    defer {
      ranges[collection.name] = start..<table.count
      table.ranges.append(start..<table.count)
    }
    guard let container = tree.node(at: collection.at) else {
      missing[collection.name] = false
      return
    }
    guard container.kind == (collection.kind == .map ? .object : .array) else {
      missing[collection.name] = true
      return
    }
    let isMap = container.kind == .object
    let items = Items(
      tree: tree, isMap: isMap,
      positions: isMap
        ? container.members.map(\.value.position) : container.elements.map(\.position))
    var layout = defaults(items, in: container)
    table.reserve(items.count)
    layout.slot = (0..<items.count).prefix { isExcepted(items[$0], collection) }.count
    add(items, of: number, in: container, &layout)
    layouts[collection.name] = layout
  }

  private func isExcepted(_ item: Item, _ collection: DocumentShape.Collection) -> Bool {
    guard !collection.except.isEmpty, let key = item.key else { return false }
    return collection.except.contains(key.key)
  }

  private mutating func add(
    _ items: Items, of number: Int, in container: JSONNode, _ layout: inout CollectionLayout
  ) {
    let bytes = tree.bytes
    let collection = table.collections[number]
    var before = container.inside.lowerBound + layout.open.count
    var slot = 0
    var position = 0
    while position < items.count {
      let plain = addPlain(items, of: number, layout, from: position, at: before)
      if plain > position {
        // Behind the comma of the last one.
        before = items[plain - 1].value.range.upperBound + 1
        position = plain
        continue
      }
      defer { position += 1 }
      let item = items[position]
      let lead = bytes[before..<item.start]
      var own = ItemLayout()
      let end = item.value.range.upperBound
      let tail: ArraySlice<UInt8>
      if position + 1 < items.count {
        let next: ArraySlice<UInt8>
        (tail, next) = gap(end..<items[position + 1].start, container)
        before = LayoutText.endOfLineComments(next)
        if before > next.startIndex { own.after = Array(next[..<before]) }
      } else {
        tail = []
        let after = self.after(close: bytes[end..<container.inside.upperBound])
        if !after.isEmpty { own.after = Array(after) }
      }
      if !lead.elementsEqual(position == 0 ? layout.first : layout.lead) { own.lead = Array(lead) }
      if position + 1 < items.count, !tail.elementsEqual(layout.tail) { own.tail = Array(tail) }
      if let key = item.key {
        let colon = bytes[key.keyRange.upperBound..<item.value.range.lowerBound]
        if !colon.elementsEqual(layout.colon) { own.colon = Array(colon) }
      }
      if isExcepted(item, collection) {
        slot += 1
        if let key = item.key { layout.excepted[key.key, default: []].append(own) }
        continue
      }
      if slot != layout.slot { own.slot = slot }
      table.add(item.value, name: item.key, number, layout: own.text)
    }
  }

  /// Adds the records from one on that are as most are: known by a plain string, which none has before
  /// it, and around them what the collection says. Returns the first one that is not.
  ///
  /// - Parameter start: where the text before the first one begins.
  private mutating func addPlain(
    _ items: Items, of number: Int, _ layout: CollectionLayout, from first: Int, at start: Int
  ) -> Int {
    guard let key = table.collections[number].idKey, !tree.hasLines, first > 0, layout.tail.isEmpty
    else { return first }
    let (tree, lead) = (tree, layout.lead)
    let origin = tree.bytes.startIndex
    return tree.bytes.withUnsafeBytes { bytes in
      var (position, before) = (first, start)
      while position + 1 < items.count {
        let node = tree.node(at: items.positions[position])
        let (range, next) = (node.range, tree.node(at: items.positions[position + 1]).range)
        guard range.lowerBound - before == lead.count,
          next.lowerBound - range.upperBound == lead.count + 1,
          bytes[range.upperBound - origin] == LayoutText.comma,
          bytes[before - origin..<range.lowerBound - origin].elementsEqual(lead),
          bytes[range.upperBound + 1 - origin..<next.lowerBound - origin].elementsEqual(lead),
          let id = node.member(key)?.plainString, table.addPlain(node, id: id, number)
        else { break }
        before = range.upperBound + 1
        position += 1
      }
      return position
    }
  }

  /// What stands between two items: up to the comma, and behind it.
  private func gap(
    _ range: Range<Int>, _ container: JSONNode
  ) -> (tail: ArraySlice<UInt8>, lead: ArraySlice<UInt8>) {
    let between = tree.bytes[range]
    // Nearly always the comma comes at once; lines have none.
    if between.first == LayoutText.comma { return ([], between.dropFirst()) }
    return container.hasLines ? ([], between) : LayoutText.gap(between)
  }

  /// The comments on the line of the last item, behind a trailing comma where there is one.
  private func after(close: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard LayoutText.hasComment(close) else { return [] }
    let (tail, lead) = LayoutText.gap(close)
    let hasComma = tail.endIndex < close.endIndex
    // What stands before a trailing comma stays there.
    if hasComma, LayoutText.hasComment(tail) { return [] }
    let line = hasComma ? lead : close
    return line[..<LayoutText.endOfLineComments(line)]
  }

  /// The frame: the text of a node with the content of all collections in it cut out.
  func frame(_ node: JSONNode, at path: JSONPointer) -> [UInt8] {
    let collection = shape.collection(at: path)
    if let collection, missing[collection.name] == nil, node.kind == .array { return [0x5B, 0x5D] }
    if let collection, missing[collection.name] == nil, node.kind == .object {
      var parts: [[UInt8]] = []
      for member in node.members where collection.except.contains(member.key) {
        // Of several members with one name only the last is the place of a collection.
        let isLast = node.member(member.key)?.range == member.value.range
        let value =
          isLast
          ? frame(member.value, at: path.appending(member.key)) : Array(member.value.text.bytes)
        parts.append(Array(member.keyText.bytes) + [UInt8(ascii: ":")] + value)
      }
      return [0x7B] + parts.joined(separator: [LayoutText.comma]) + [0x7D]
    }
    guard shape.hasCollection(atOrBelow: path), node.kind == .object else {
      return Array(node.text.bytes)
    }
    var output: [UInt8] = []
    var copied = node.range.lowerBound
    for member in node.members {
      let key = member.key
      let inner = path.appending(key)
      // Of several members with one name only the last is the place of a collection.
      guard shape.hasCollection(atOrBelow: inner),
        node.member(key)?.range == member.value.range
      else { continue }
      output += tree.bytes[copied..<member.value.range.lowerBound]
      output += frame(member.value, at: inner)
      copied = member.value.range.upperBound
    }
    return output + tree.bytes[copied..<node.range.upperBound]
  }
}

extension Splitter {
  /// What most items have around them, taken from the first ones that have no comments.
  private func defaults(_ items: Items, in container: JSONNode) -> CollectionLayout {
    let bytes = tree.bytes
    let inner = container.inside
    guard items.count > 0 else {
      var layout = Indentation(of: container, in: tree).layout
      layout.empty = Array(bytes[inner])
      return layout
    }
    let (head, last) = (items[0], items[items.count - 1])
    let start = bytes[inner.lowerBound..<head.start]
    let open = start[..<LayoutText.endOfLineComments(start)]
    let first = LayoutText.withoutComments(start)
    var lead: ArraySlice<UInt8>?
    var tail: ArraySlice<UInt8> = []
    for position in 1..<max(1, min(items.count, 64)) where lead == nil {
      let between = items[position - 1].value.range.upperBound..<items[position].start
      let candidate = gap(between, container)
      guard !LayoutText.hasComment(candidate.lead) else { continue }
      lead = candidate.lead
      // Blank lines between two lines are theirs alone.
      if container.hasLines, let end = candidate.lead.firstIndex(of: 0x0A) {
        lead = candidate.lead[...end]
      }
      if !LayoutText.hasComment(candidate.tail) { tail = candidate.tail }
    }
    let colon = head.key.map { bytes[$0.keyRange.upperBound..<head.value.range.lowerBound] }
    let close = bytes[last.value.range.upperBound..<inner.upperBound]
    let after = self.after(close: close)
    let only = container.hasLines ? Indentation(of: container, in: tree).layout.lead[...] : nil
    return CollectionLayout(
      open: Array(open), first: Array(first),
      lead: Array(lead ?? only ?? onlyLead(first, of: head)), tail: Array(tail),
      close: after.isEmpty
        ? Array(close) : Array(close[..<after.startIndex] + close[after.endIndex...]),
      colon: colon.map(Array.init) ?? [], empty: [])
  }

  /// What a second item would get before it where there is only one.
  private func onlyLead(_ first: ArraySlice<UInt8>, of item: Item) -> ArraySlice<UInt8> {
    guard first.isEmpty else { return first }
    var members = item.value.members.makeIterator()
    guard let one = members.next(), let two = members.next() else { return first }
    let between = tree.bytes[one.range.upperBound..<two.range.lowerBound]
    let lead = LayoutText.gap(between).lead
    return lead.contains(0x0A) || LayoutText.hasComment(lead) ? first : lead
  }
}

extension DocumentShape.Collection {
  fileprivate var idKey: JSONKey? {
    kind != .map && id.count == 1 && id[0].tokens.count == 1 ? id[0].tokens[0] : nil
  }

  /// The id of a record: one value, the first that is there, or the list of all; nil without one.
  package func id(of record: JSONNode) -> JSONText? {
    idNode(of: record)?.text ?? joinedID(of: record)
  }

  /// The value that is the id of a record, where it is a single one.
  func idNode(of record: JSONNode) -> JSONNode? {
    id.count == 1 ? part(id[0], of: record) : nil
  }

  private func joinedID(of folded: JSONNode) -> JSONText? {
    guard id.count != 1 else { return nil }
    let record = folded.unfolded
    let parts = id.map { part($0, of: record) }
    if idMode == .firstPresent { return parts.lazy.compactMap { $0?.text }.first }
    guard parts.contains(where: { $0 != nil }) else { return nil }
    var bytes: [UInt8] = [0x5B]
    for (position, part) in parts.enumerated() {
      if position > 0 { bytes.append(LayoutText.comma) }
      bytes += (part?.text ?? .null).bytes
    }
    return JSONText(unchecked: bytes + [0x5D])
  }

  private func part(_ path: JSONPointer, of record: JSONNode) -> JSONNode? {
    let value =
      path.tokens.count == 1 ? record.member(path.tokens[0]) : record.node(at: path)
    guard let value, value.kind != .null else { return nil }
    return value
  }
}
