import Replication
import SystemCalls
import UseCases

/// What it costs to open a store, and beside that to take in what programs wrote into its documents.
enum ImportTime {
  static func run(_ arguments: BenchArguments) throws {
    ThisProcess.returnFreedBlocks()
    let begin = MonotonicTime.nanoseconds
    let session = try StoreSession(
      root: FilePath(try arguments.required("the store")),
      nodeName: arguments.text("--node") ?? "bench",
      surroundings: Surroundings(
        system: LiveFileSystem(), clock: LiveWallClock(), entropy: LiveEntropy(),
        machineID: Machine.machineID, bootID: Machine.bootID,
        // A checkpoint is for the release that wrote it.
        release: arguments.text("--release") ?? "bench"))
    let opened = MonotonicTime.nanoseconds
    let (openPeak, openBytes) = (ThisProcess.residentPeakBytes ?? 0, ThisProcess.residentBytes ?? 0)
    try forgetPeak()
    let response = try Synchronize().execute(in: session)
    let end = MonotonicTime.nanoseconds
    let peak = ThisProcess.residentPeakBytes ?? 0
    try StandardStream.output.write(
      "{\"openSeconds\":\(seconds(opened - begin)),\"openPeakBytes\":\(openPeak),"
        + "\"openBytes\":\(openBytes),\"imported\":\(response.imported),"
        + "\"importSeconds\":\(seconds(end - opened)),"
        + "\"importBytes\":\(peak - min(peak, openBytes)),\"peakBytes\":\(peak)}\n")
  }

  private static func seconds(_ nanoseconds: UInt64) -> Double {
    Double(nanoseconds / 1_000_000) / 1000
  }

  /// From now on the peak of memory is that of what follows.
  private static func forgetPeak() throws {
    let file = try FileDescriptor.open(
      FilePath("/proc/self/clear_refs"), .write, system: LiveFileSystem())
    try file.write(Array("5".utf8))
  }
}
