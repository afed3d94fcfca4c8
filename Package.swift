// swift-tools-version: 6.1
import PackageDescription

/// One list of settings for every target. Warnings are errors in CI (`-Xswiftc -warnings-as-errors`),
/// not here, so that other packages can depend on this one.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "replicator",
  products: [
    .executable(name: "replicator", targets: ["replicator"]),
    .library(name: "ReplicatorKit", targets: ["ReplicatorKit"]),
  ],
  targets: [
    // C libraries and headers
    .systemLibrary(
      name: "CInotify", path: "CInotify", providers: [.apt(["libinotifytools0-dev"])]),
    .systemLibrary(name: "CBytes", path: "Sources/CBytes"),
    .systemLibrary(name: "CSystem", path: "Sources/CSystem"),
    .systemLibrary(
      name: "CXXHash", path: "Sources/CXXHash", providers: [.apt(["libxxhash-dev"])]),
    .systemLibrary(name: "CZstd", path: "Sources/CZstd", providers: [.apt(["libzstd-dev"])]),

    // Pure
    .target(name: "LosslessJSON", dependencies: ["CBytes", "CXXHash"], swiftSettings: strict),
    .testTarget(
      name: "LosslessJSONTests", dependencies: ["LosslessJSON", "CBytes"], swiftSettings: strict),
    .target(name: "Merging", dependencies: ["LosslessJSON", "CXXHash"], swiftSettings: strict),
    .target(
      name: "MergeModel", dependencies: ["Merging", "LosslessJSON"], path: "Tests/MergeModel",
      swiftSettings: strict),
    .testTarget(
      name: "MergingTests",
      dependencies: ["Merging", "LosslessJSON", "MergeModel", "SystemCalls", "TestSupport"],
      exclude: ["Fixtures"], swiftSettings: strict),
    .target(name: "Records", dependencies: ["LosslessJSON", "Merging"], swiftSettings: strict),
    .testTarget(
      name: "RecordsTests", dependencies: ["Records", "Merging", "LosslessJSON"],
      exclude: ["Fixtures"], swiftSettings: strict),

    // The machine
    .target(name: "SystemCalls", dependencies: ["CSystem"], swiftSettings: strict),
    .target(
      name: "TestSupport", dependencies: ["SystemCalls"], path: "Tests/TestSupport",
      swiftSettings: strict),
    .testTarget(
      name: "TestSupportTests", dependencies: ["TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "SystemCallsTests", dependencies: ["SystemCalls", "TestSupport"],
      swiftSettings: strict),
    .target(
      name: "Storage", dependencies: ["SystemCalls", "CXXHash", "CZstd"], swiftSettings: strict),
    .testTarget(
      name: "StorageTests", dependencies: ["Storage", "SystemCalls", "TestSupport"],
      swiftSettings: strict),
    .target(name: "Watching", dependencies: ["SystemCalls", "CInotify"], swiftSettings: strict),
    .testTarget(
      name: "WatchingTests", dependencies: ["Watching", "SystemCalls"], swiftSettings: strict),

    // Together
    .target(
      name: "Replication",
      dependencies: ["LosslessJSON", "Merging", "Records", "SystemCalls", "Storage"],
      swiftSettings: strict),
    .testTarget(
      name: "ReplicationTests",
      dependencies: [
        "Replication", "LosslessJSON", "Merging", "Records", "SystemCalls", "Storage",
        "TestSupport",
      ],
      swiftSettings: strict),
    .target(
      name: "UseCases",
      dependencies: ["LosslessJSON", "SystemCalls", "Replication", "Merging", "Records"],
      swiftSettings: strict),
    .target(
      name: "ReplicatorKit",
      dependencies: [
        "LosslessJSON", "Merging", "Records", "SystemCalls", "Storage", "Watching", "Replication",
        "UseCases",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "ReplicatorKitTests",
      dependencies: [
        "ReplicatorKit", "Replication", "SystemCalls", "TestSupport", "UseCases", "Watching",
      ],
      swiftSettings: strict),
    .target(
      name: "Presentation", dependencies: ["UseCases", "LosslessJSON"], swiftSettings: strict),
    .testTarget(
      name: "PresentationTests", dependencies: ["Presentation", "UseCases", "LosslessJSON"],
      swiftSettings: strict),
    .executableTarget(
      name: "replicator",
      dependencies: [
        "LosslessJSON", "Merging", "Records", "SystemCalls", "Storage", "Watching", "Replication",
        "UseCases", "Presentation", "ReplicatorKit",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "CommandLineTests",
      dependencies: ["replicator", "Presentation", "LosslessJSON", "Storage", "SystemCalls"],
      swiftSettings: strict),

    // What Tools/bench measures inside one process
    .executableTarget(
      name: "Bench",
      dependencies: [
        "LosslessJSON", "Merging", "Records", "SystemCalls", "Watching", "Replication", "UseCases",
      ],
      swiftSettings: strict),

    // What Tools/fuzz runs
    .executableTarget(
      name: "Fuzz", dependencies: ["LosslessJSON", "Merging", "Records", "SystemCalls"],
      swiftSettings: strict),

    // What Tools/measure-import runs: random histories against the real planner
    .executableTarget(
      name: "MeasureImport",
      dependencies: ["LosslessJSON", "Merging", "Records", "SystemCalls", "Replication"],
      swiftSettings: strict),
    .testTarget(
      name: "MeasureImportTests",
      dependencies: ["MeasureImport", "LosslessJSON", "Merging", "Records"],
      swiftSettings: strict),

    // Disks in memory whose power may go, and what Tools/faults runs on them
    .target(name: "Simulation", dependencies: ["SystemCalls"], swiftSettings: strict),
    .testTarget(
      name: "SimulationTests", dependencies: ["Simulation", "SystemCalls", "TestSupport"],
      swiftSettings: strict),
    .executableTarget(
      name: "Faults",
      dependencies: [
        "LosslessJSON", "Merging", "Records", "Replication", "Simulation", "Storage",
        "SystemCalls", "UseCases",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "FaultsTests", dependencies: ["Faults", "Simulation", "Storage"],
      swiftSettings: strict),

    // What Tools/simulator runs: whole clusters on such disks
    .executableTarget(
      name: "Simulator",
      dependencies: [
        "LosslessJSON", "MergeModel", "Merging", "Records", "Replication", "Simulation", "Storage",
        "SystemCalls", "UseCases",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "SimulatorTests", dependencies: ["Simulator", "Simulation", "SystemCalls"],
      swiftSettings: strict),

    // A host manager in two releases, as an application would be written, and a naive one
    .target(
      name: "HostManager", dependencies: ["ReplicatorKit"], path: "Sources/Examples/HostManager",
      swiftSettings: strict),
    .executableTarget(
      name: "host-manager-1", dependencies: ["HostManager", "ReplicatorKit"],
      path: "Sources/Examples/HostManager1", swiftSettings: strict),
    .executableTarget(
      name: "host-manager-2", dependencies: ["HostManager", "ReplicatorKit"],
      path: "Sources/Examples/HostManager2", swiftSettings: strict),
    .executableTarget(
      name: "getting-started", dependencies: ["ReplicatorKit"],
      path: "Sources/Examples/GettingStarted", swiftSettings: strict),
    .executableTarget(
      name: "host-manager-naive", path: "Sources/Examples/HostManagerNaive",
      swiftSettings: strict),

    // Plain programs that know nothing of replicator, for demonstration and tests
    .executableTarget(
      name: "demo-client", path: "Sources/DemoClients", swiftSettings: strict),
    .testTarget(
      name: "EndToEndTests", exclude: ["Fixtures"],
      swiftSettings: strict),
    .testTarget(
      name: "TidyTests", dependencies: ["SystemCalls", "Records", "Replication", "replicator"],
      swiftSettings: strict),
  ]
)
