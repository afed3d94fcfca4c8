import Replication
import UseCases

/// What a running `watch` holds of its store, and how it stands.
struct FollowedStore {
  private(set) var session: StoreSession
  private(set) var node: LocalNodes.Node
  private(set) var presence: WatchPresence?
  private(set) var follower: FollowDocuments
  /// The problem that was told last; nil = the last round succeeded.
  private(set) var told: String?
  private(set) var waitMilliseconds = FollowedStore.waitMillisecondsMin

  private static let waitMillisecondsMin: UInt64 = 2000
  private static let waitMillisecondsMax: UInt64 = 30_000

  init(session: StoreSession, node: LocalNodes.Node, presence: WatchPresence?) {
    self.session = session
    self.node = node
    self.presence = presence
    follower = FollowDocuments(session, .later)
  }

  /// What was told stays told: being opened does not make a store usable.
  mutating func move(
    to session: StoreSession, node: LocalNodes.Node, presence: WatchPresence?
  ) {
    let (told, waitMilliseconds) = (told, waitMilliseconds)
    self = FollowedStore(session: session, node: node, presence: presence)
    (self.told, self.waitMilliseconds) = (told, waitMilliseconds)
  }

  mutating func didSucceed() {
    told = nil
    waitMilliseconds = Self.waitMillisecondsMin
  }

  mutating func didFail(_ problem: String) {
    waitMilliseconds =
      told == nil
      ? Self.waitMillisecondsMin : min(waitMilliseconds * 2, Self.waitMillisecondsMax)
    told = problem
  }
}
