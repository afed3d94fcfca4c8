import Glibc

/// Adds up what inotify tells of documents, and sets aside what other processes of this program do.
///
/// Those mark when they begin to work on a document and, if nobody else came between, when they
/// have finished. Events come in one order, so what lies between the two marks is theirs.
struct OpenLedger: Sendable {
  struct Inode: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64

    init(device: UInt64, inode: UInt64) {
      self.device = device
      self.inode = inode
    }

    init(_ status: FileStatus) { self.init(device: status.device, inode: status.inode) }
  }

  /// What happened between the marks of one process.
  private struct Bracket: Sendable {
    var counts: [Int32: InodeOpens.Counts] = [:]
    var installs = 0
    var hasOpens = false
  }

  private struct Place: Sendable {
    /// False from the moment on when another process of ours put a file there, until somebody
    /// opens or replaces it by name.
    var isTouched = true
    /// How often a file got the name outside of brackets.
    var installs = 0
    var bracket: Bracket?
  }

  /// By inode, what watches it.
  private(set) var watches: [Inode: Int32] = [:]
  private var counts: [Int32: InodeOpens.Counts] = [:]
  /// The place that a watched file was at.
  private var placeOfFile: [Int32: Int32] = [:]
  private var places: [Int32: Place] = [:]
  /// By directory and name.
  private var names: [Int32: [String: Int32]] = [:]
  private(set) var hasLost = false
  /// While this process makes a mark of its own.
  var isMarking = false

  // MARK: - What is watched

  mutating func begin(_ watch: Int32, _ inode: Inode, of place: Int32?) {
    watches[inode] = watch
    placeOfFile[watch] = place
    if counts[watch] == nil { counts[watch] = InodeOpens.Counts() }
  }

  mutating func end(_ watch: Int32) {
    watches = watches.filter { $0.value != watch }
    placeOfFile[watch] = nil
    counts[watch] = nil
  }

  mutating func follow(_ place: Int32, name: String, in directory: Int32) {
    names[directory, default: [:]][name] = place
    if places[place] == nil { places[place] = Place() }
  }

  /// Our own opens and closes, after their events have been noted.
  mutating func subtract(opens: Int = 0, closes: Int = 0, from watch: Int32) {
    counts[watch]?.opens -= opens
    counts[watch]?.closes -= closes
  }

  // MARK: - What happened

  mutating func note(_ watch: Int32, _ mask: UInt32, _ name: String) {
    func has(_ bits: Int32) -> Bool { mask & UInt32(bits) != 0 }
    // The kernel's queue was full and events were dropped.
    if has(IN_Q_OVERFLOW) { return lose() }
    if let named = names[watch], let place = named[name] {
      return noteName(place, isInstall: has(IN_MOVED_TO | IN_CREATE))
    }
    if places[watch] != nil {
      guard !isMarking else { return }
      if has(IN_MODIFY) { openBracket(watch) }
      if has(IN_ATTRIB) { closeBracket(watch) }
      return
    }
    // The file is gone, and its number may be given to another one.
    if has(IN_IGNORED) { watches = watches.filter { $0.value != watch } }
    guard counts[watch] != nil else { return }
    var added = InodeOpens.Counts()
    if has(IN_OPEN) { added.opens = 1 }
    if has(IN_CLOSE_WRITE | IN_CLOSE_NOWRITE) { added.closes = 1 }
    if has(IN_CLOSE_WRITE) { added.writes = 1 }
    if let place = placeOfFile[watch], places[place]?.bracket != nil {
      places[place]?.bracket?.counts[watch, default: InodeOpens.Counts()].add(added)
    } else {
      counts[watch]?.add(added)
    }
  }

  private mutating func noteName(_ place: Int32, isInstall: Bool) {
    if places[place]?.bracket != nil {
      if isInstall { places[place]?.bracket?.installs += 1 }
      places[place]?.bracket?.hasOpens = true
    } else {
      if isInstall { places[place]?.installs += 1 }
      places[place]?.isTouched = true
    }
  }

  private mutating func openBracket(_ place: Int32) {
    flush(place)
    places[place]?.bracket = Bracket()
  }

  /// Nobody else came between: what was counted was the process itself.
  private mutating func closeBracket(_ place: Int32) {
    guard let bracket = places[place]?.bracket else { return }
    places[place]?.bracket = nil
    if bracket.installs > 0 { places[place]?.isTouched = bracket.installs > 1 }
  }

  /// A bracket that nobody will close: its process died, or somebody came between.
  mutating func flush(_ place: Int32) {
    guard let bracket = places[place]?.bracket else { return }
    places[place]?.bracket = nil
    if bracket.hasOpens { places[place]?.isTouched = true }
    places[place]?.installs += bracket.installs
    for (watch, added) in bracket.counts { counts[watch]?.add(added) }
  }

  private mutating func lose() {
    hasLost = true
    for place in places.keys { places[place] = Place() }
  }

  // MARK: - What is known

  /// Whether a file that another process of ours put there has not been opened by name since.
  func isUntouched(_ place: Int32) -> Bool { places[place]?.isTouched == false }

  /// From now on this process works at the place itself.
  mutating func takeOver(_ place: Int32) {
    places[place]?.isTouched = true
    places[place]?.installs = 0
  }

  func installs(_ place: Int32) -> Int { places[place]?.installs ?? 0 }

  /// The counts since the last call; nil when events were lost.
  mutating func take() -> [Int32: InodeOpens.Counts]? {
    let found = counts.filter { $0.value != InodeOpens.Counts() }
    for watch in found.keys { counts[watch] = InodeOpens.Counts() }
    defer { hasLost = false }
    return hasLost ? nil : found
  }
}

extension InodeOpens.Counts {
  mutating func add(_ other: InodeOpens.Counts) {
    opens += other.opens
    closes += other.closes
    writes += other.writes
  }
}
