import SystemCalls
import TestSupport
import Testing

@testable import Simulation

/// The simulated disk answers as the kernel does: the same calls on both, made from seeds.
struct LikenessTests {
  private static let names = ["a", "b", "dir", "dir/a", "link", "none/a"]

  @Test(arguments: 0..<40)
  func `random calls have the same answers as on a real file system`(seed: UInt64) throws {
    let scratch = try ScratchDirectory(isDurable: false)
    let (live, simulated) = (
      try Side(scratch.path, LiveFileSystem()), try Side(FilePath("/"), SimulatedDisk().process())
    )
    var chance = SeededChance(seed: seed)
    for number in 0..<120 {
      let call = Call(&chance)
      let (expected, found) = (live.answer(call), simulated.answer(call))
      try #require(expected == found, "call \(number): \(call)")
    }
    #expect(try live.tree() == simulated.tree())
  }

  /// One call with everything that it needs.
  private struct Call: CustomStringConvertible {
    let kind: Int
    let name: String
    let target: String
    let access: FileAccess
    let count: Int

    init(_ chance: inout SeededChance) {
      kind = chance.below(12)
      name = LikenessTests.names[chance.below(LikenessTests.names.count)]
      target = LikenessTests.names[chance.below(LikenessTests.names.count)]
      var access: FileAccess = chance.below(2) == 0 ? [.read] : [.read, .write]
      let options: [FileAccess] = [
        .create, .exclusive, .noFollow, .truncate, .append, .directory, .beneath,
      ]
      for option in options where chance.below(4) == 0 { access.insert(option) }
      if access.contains(.exclusive) { access.insert(.create) }
      // Combinations that no caller of ours has, and that kernels answer differently.
      if access.contains(.directory) { access = access.subtracting([.create, .exclusive]) }
      if !access.contains(.write) { access = access.subtracting([.truncate, .append]) }
      self.access = access
      count = chance.below(1500)
    }

    var description: String { "\(kind) \(name) \(target) \(access.rawValue) \(count)" }
  }

  /// One of the two, and what it says.
  private struct Side {
    let root: FileDescriptorBox
    let system: any FileSystem

    init(_ path: FilePath, _ system: any FileSystem) throws {
      root = FileDescriptorBox(try FileDescriptor.open(path, [.read, .directory], system: system))
      self.system = system
    }

    func answer(_ call: Call) -> String {
      do throws(Errno) { return try made(call) } catch { return "\(error)" }
    }

    private func made(_ call: Call) throws(Errno) -> String {
      let directory = root.file.raw
      switch call.kind {
      case 0, 1, 2: return try written(call)
      case 3: try system.unlink(directory, call.name, isDirectory: call.count % 2 == 0)
      case 4: try system.makeDirectory(directory, call.name, mode: 0o755)
      case 5: try system.makeSymbolicLink(directory, call.name, to: call.target)
      case 6: return try system.readLink(directory, call.name)
      case 7: try system.link(directory, call.name, to: call.target, in: directory)
      default:
        let rules: [RenameRule] = [.replace, .exchange, .noReplace]
        // A directory into itself and a file in its place are refused in several ways.
        let status = try system.status(directory, call.name, followingLink: false)
        guard status.kind != .directory else { return "directory, \(status.links > 0)" }
        if call.count % 4 == 3 { return "\(status.kind) \(status.sizeBytes) \(status.links)" }
        let there = try? system.status(directory, call.target, followingLink: false)
        guard there?.kind != .directory else { return "directory" }
        try system.rename(
          directory, call.name, to: call.target, in: directory, rules[call.count % 4])
      }
      return "done"
    }

    private func written(_ call: Call) throws(Errno) -> String {
      let file = try system.open(root.file.raw, call.name, call.access, mode: 0o644)
      defer { try? system.close(file) }
      var answer = "\(try system.status(of: file).kind)"
      if call.access.contains(.write) {
        var failure: Errno?
        let bytes = (0..<call.count).map { UInt8(truncatingIfNeeded: $0) }
        bytes.withUnsafeBytes { buffer in
          do throws(Errno) {
            answer += " \(try system.write(file, buffer))"
            if call.count % 5 == 0 { try system.truncate(file, sizeBytes: UInt64(call.count / 2)) }
          } catch { failure = error }
        }
        if let failure { throw failure }
      }
      let status = try system.status(of: file)
      // What a directory's size means is the file system's own business.
      return status.kind == .directory ? answer : answer + " \(status.sizeBytes)"
    }

    /// Every name with what it is and has.
    func tree(_ path: String = ".") throws -> [String] {
      let directory = try root.file.open(path, [.read, .directory])
      return try directory.names().flatMap { name in
        let status = try directory.status(of: name)
        let whole = "\(path)/\(name)"
        switch status.kind {
        case .directory: return ["\(whole)/"] + (try tree(whole))
        case .symbolicLink: return ["\(whole) -> \(try directory.readLink(name))"]
        default:
          let bytes = try directory.open(name, .read).read(at: 0, count: 100_000)
          return ["\(whole) \(status.links) \(bytes)"]
        }
      }
    }
  }

  private final class FileDescriptorBox: Sendable {
    let file: FileDescriptor
    init(_ file: consuming FileDescriptor) { self.file = file }
  }
}
