package import Storage
package import SystemCalls

/// The machine as a replica sees it: disk, time, chance and names come in here and nowhere else.
package struct Surroundings: Sendable {
  package var system: any FileSystem
  package var clock: any WallClock
  package var entropy: any Entropy
  package var machineID: String
  package var bootID: String
  /// The release of this program, for node.json.
  package var release: String
  /// Is told when something that was read before cannot be read any more, before anything is made of
  /// what is missing. If it returns, nothing is written from then on.
  package var whenUnreadable: (@Sendable (StorageError) -> Void)?

  package init(
    system: any FileSystem, clock: any WallClock, entropy: any Entropy, machineID: String,
    bootID: String, release: String
  ) {
    self.system = system
    self.clock = clock
    self.entropy = entropy
    self.machineID = machineID
    self.bootID = bootID
    self.release = release
  }
}
