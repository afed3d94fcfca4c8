import Simulation
import Storage
import SystemCalls

/// Small files of a store are replaced and removed, and contents are kept under their hashes.
struct SmallFileScenario: CrashScenario {
  let name = "small files and contents"

  private static let file = "local/nodes.json"
  private static let binding = "00000000000000b1"
  private static func text(_ number: Int) -> [UInt8] {
    Array("{\"number\":\(number),\"text\":\"\(String(repeating: "y", count: 600))\"}".utf8)
  }

  func prepare(_ machine: SimulatedMachine) throws {
    let store = try machine.makeStore()
    try store.makeDirectories(StoreLayout.generations(Self.binding))
    try store.makeDirectories(StoreLayout.quarantine(Self.binding))
    try store.writeSmall(Self.file, Self.text(0))
  }

  private func contents(_ machine: SimulatedMachine) throws -> (BlobStore, BlobStore) {
    let store = try machine.store(machine.process())
    return (
      BlobStore(store, directory: StoreLayout.generations(Self.binding), isCompressed: true),
      BlobStore(store, directory: StoreLayout.quarantine(Self.binding), isCompressed: false)
    )
  }

  func run(_ machine: SimulatedMachine) throws {
    let store = try machine.store(machine.process())
    let (generations, quarantine) = try contents(machine)
    for number in 1...2 {
      try store.writeSmall(Self.file, Self.text(number))
      machine.disk.acknowledge("small \(number)")
      try generations.write(Self.text(number))
      machine.disk.acknowledge("content \(number)")
      try quarantine.write(Self.text(number))
      machine.disk.acknowledge("set aside \(number)")
    }
    // What is there already is acknowledged without being written.
    try quarantine.write(Self.text(1))
    try store.createSmall("local/marker", Self.text(3))
    machine.disk.acknowledge("marker")
    try store.remove("local/marker")
    machine.disk.acknowledge("no marker")
  }

  func recover(_ machine: SimulatedMachine) throws {
    let store = try machine.store(machine.process())
    let directories = [
      "local", StoreLayout.generations(Self.binding), StoreLayout.quarantine(Self.binding),
    ]
    for name in directories { try store.removeParts(in: name) }
    // Perhaps the one before us wrote it, and its name is not durable yet.
    let (_, quarantine) = try contents(machine)
    try quarantine.write(Self.text(1))
    machine.disk.acknowledge("set aside 1")
  }

  func violation(
    _ machine: SimulatedMachine, _ acknowledged: Set<String>, isRecovered: Bool
  ) throws -> Violation? {
    let store = try machine.store(machine.process())
    let (generations, quarantine) = try contents(machine)
    let shown = try store.readSmall(Self.file)
    guard let number = (0...2).first(where: { Self.text($0) == shown }) else {
      return Violation(.unreadable, "the small file is neither old nor new")
    }
    for seen in 1...2 {
      let hash = ContentHash(of: Self.text(seen))
      if acknowledged.contains("small \(seen)"), number < seen {
        return Violation(.lostWrite, "small file \(seen)")
      }
      if acknowledged.contains("content \(seen)"),
        try generations.read(hash) != Self.text(seen)
      {
        return Violation(.lostWrite, "content \(seen)")
      }
      if acknowledged.contains("set aside \(seen)"),
        try quarantine.read(hash) != Self.text(seen)
      {
        return Violation(.lostWrite, "content \(seen) that was set aside")
      }
    }
    let marker = try store.readSmall("local/marker")
    if acknowledged.contains("no marker") {
      if marker != nil { return Violation(.lostWrite, "a removed file came back") }
    } else if acknowledged.contains("marker"), marker == nil {
      // Its removal may have begun.
      return nil
    }
    return marker == nil || marker == Self.text(3)
      ? nil : Violation(.unreadable, "a new small file is not whole")
  }
}
