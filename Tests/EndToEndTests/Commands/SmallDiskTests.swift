import Testing

/// A file system that is full to the last block, in a mount of its own that ends with the test.
@Suite(.enabled(if: SmallDisk.isPossible, "no file system can be mounted here"))
struct SmallDiskTests {
  /// A document that is gone is exported again, and that it was gone stands in the journal alone.
  private static let script = """
    mount -t tmpfs -o size=4m tmpfs "$1"
    cd "$1"
    "$2" init .
    "$2" set hosts/a name=x
    test "$3" = true || rm .replicator/local/reserve
    rm hosts.json
    cat /dev/zero > filler 2> /dev/null || true
    echo "free $(stat -f -c %a .)"
    "$2" watch --once || true
    test -e .replicator/local/reserve || echo "no reserve"
    "$2" log --json || true
    rm filler
    "$2" watch --once
    "$2" verify
    echo "reserve $(stat -c %s .replicator/local/reserve)"
    cat hosts.json
    """

  @Test(arguments: [true, false])
  func `on a full disk the journal has the space that was kept, and takes it again later`(
    isKept: Bool
  ) throws {
    let directory = try TestDirectory()
    let outcome = try SmallDisk.run(Self.script, [directory.path, Places.replicator, "\(isKept)"])
    let lines = outcome.stdout.split(separator: "\n").map(String.init)
    #expect(outcome.status == 0 && lines.contains("free 0"), "\(outcome)")
    let isWritten = lines.contains { $0.contains("\"kind\":\"document-missing\"") }
    #expect(isWritten == isKept && lines.contains("no reserve"), "\(outcome)")
    #expect(lines.contains("no damage") && lines.contains("reserve 1048576"), "\(outcome)")
    #expect(outcome.stdout.contains("\"name\": \"x\""), "\(outcome)")
  }
}

/// File systems of a few megabytes, mounted where nobody else sees them.
enum SmallDisk {
  /// Runs a script of the shell that may mount.
  static func run(_ script: String, _ arguments: [String]) throws -> ChildProcess.Outcome {
    try ChildProcess(
      // What others unmount meanwhile goes here as well.
      ["unshare", "-Urm", "--propagation", "slave", "sh", "-ec", script, "sh"] + arguments, in: "/",
      environment: ["REPLICATOR_NODE": "one"]
    ).outcome()
  }

  static let isPossible: Bool = {
    // No unshare, or no right to it: then there is no such test.
    let outcome = try? run("mount -t tmpfs tmpfs /mnt", [])
    return outcome?.status == 0
  }()
}
