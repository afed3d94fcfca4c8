package import Replication
import SystemCalls

extension Surroundings {
  /// The machine that this process runs on.
  package static var live: Surroundings {
    Surroundings(
      system: LiveFileSystem(), clock: LiveWallClock(), entropy: LiveEntropy(),
      machineID: Machine.machineID, bootID: Machine.bootID, release: Release.version)
  }
}
