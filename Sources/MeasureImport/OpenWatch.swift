/// What a watch on the inodes of exported files notices: who opened what, but not who it was.
struct OpenWatch {
  /// Only so many exported files are watched at once.
  private static let watchedMax = 8

  private(set) var isRunning = true
  private var watched: [(generation: Int, isOpened: Bool)] = []
  /// Generations opened since the last import.
  private(set) var recent: Set<Int> = []
  /// The last write of each program that could be told, and the newest generation at that time;
  /// nothing newer has been opened since.
  private var untouchedSince: [String: (snapshot: Int, newest: Int)] = [:]

  mutating func didExport(_ generation: Int) {
    guard isRunning else { return }
    watched.append((generation, false))
    if watched.count > Self.watchedMax { watched.removeFirst() }
  }

  mutating func wasOpened(_ generation: Int) {
    guard let index = watched.firstIndex(where: { $0.generation == generation }) else { return }
    watched[index].isOpened = true
    recent.insert(generation)
    untouchedSince = untouchedSince.filter { generation <= $0.value.newest }
  }

  /// A rewrite was imported; opens from now on speak for the next one.
  mutating func didImport(snapshot: Int?, of program: String?, newest: Int) {
    recent = []
    guard let program else { return }
    untouchedSince[program] = nil
    if isRunning, let snapshot { untouchedSince[program] = (snapshot, newest) }
  }

  /// Stops, so that nothing of what was exported until it starts again is known.
  mutating func toggle() {
    isRunning.toggle()
    watched = []
    recent = []
    untouchedSince = [:]
  }

  /// Generations watched from their first moment on that nobody has opened.
  var unread: Set<Int> { Set(watched.filter { !$0.isOpened }.map(\.generation)) }

  /// The program's own last write, where nobody has read anything newer since.
  func ownWrite(of program: String) -> Int? { untouchedSince[program]?.snapshot }
}
