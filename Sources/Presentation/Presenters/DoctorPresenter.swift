import LosslessJSON
package import UseCases

/// The answer of `doctor`.
package enum DoctorPresenter {
  package static func answer(_ response: ExaminationResponse) -> Answer {
    var lines = ["store \(response.store), node \(response.node)"]
    if let watching = response.watching {
      lines.append(
        "watching: \(watching.mode)" + (watching.reason.map { " (\($0))" } ?? ""))
    }
    lines.append("checkpoint: \(checkpoint(response.checkpoint))")
    for directory in response.directories { lines += paragraph(directory) }
    lines += leftovers("Left by replicator; the next pass clears them up", response.ownLeftovers)
    lines += leftovers("Left by other programs; never touched", response.foreignLeftovers)
    lines += ["", "Limits of this release"]
    lines += Columns.lines(response.limits.map { [limit($0.name), String($0.value)] })
      .map { "  " + $0 }
    let advice = advice(response)
    lines += ["", advice.isEmpty ? "Nothing to change." : "What to change"]
    lines += advice.map { "  - \($0)" }
    return Answer(lines: lines.map(Visible.text), json: json(response, advice))
  }

  private static func paragraph(_ directory: ExaminationResponse.Directory) -> [String] {
    guard let type = directory.type else {
      return ["", directory.path, "  cannot be tried: \(directory.problem ?? "unknown")"]
    }
    var rows = directory.abilities.map { ability in
      [words(ability.name), ability.failure.map { "no (\($0))" } ?? "yes"]
    }
    if let time = directory.syncNanoseconds {
      rows.append(["until 4 KiB are durable", "\(time / 1000) µs"])
    }
    return ["", "\(directory.path), on \(FileSystemNames.name(type))"]
      + Columns.lines(rows).map { "  " + $0 }
  }

  private static func checkpoint(_ found: (bytes: UInt64?, isUsed: Bool)) -> String {
    guard let bytes = found.bytes else {
      return "none yet; the logs are read, and one is made when they have grown"
    }
    return found.isUsed
      ? "\(bytes) bytes; the store is opened by it"
      : "\(bytes) bytes that do not fit to the logs; these are read, and it is made anew"
  }

  private static func leftovers(_ title: String, _ paths: [String]) -> [String] {
    paths.isEmpty ? [] : ["", title] + paths.map { "  \($0)" }
  }

  private static func words(_ ability: String) -> String {
    switch ability {
    case "exchange": "exchanges two files in one step"
    case "leases": "tells who has a file open"
    case "locks": "locks of open files"
    case "hardLinks": "hard links"
    case "symbolicLinks": "symbolic links"
    case "allocation": "reserves room beforehand"
    case "directorySync": "makes names durable"
    default: ability
    }
  }

  private static func limit(_ name: String) -> String {
    switch name {
    case "documentBytes": "bytes of a document"
    case "lineBytes": "bytes of a line of a log"
    case "smallFileBytes": "bytes of a configuration"
    case "segmentsOfALog": "segments of one log"
    case "depth": "nesting of a document"
    default: name
    }
  }

  /// What lies in the user's hands, with what it costs to leave it.
  private static func advice(_ response: ExaminationResponse) -> [String] {
    var advice: [String] = []
    for (number, directory) in response.directories.enumerated() {
      let path = "'\(directory.path)'"
      if let problem = directory.problem {
        advice.append("\(path) cannot be written to (\(problem)): nothing can be exported there")
      }
      if directory.type == FileSystemNames.tmpfs {
        advice.append("\(path) is in memory: nothing there survives a reboot")
      }
      if directory.lacks("locks") {
        advice.append(
          "\(path) has no locks between processes: let only one process work on it at a time")
      }
      if directory.lacks("exchange"), number > 0 {
        advice.append(
          "\(path) cannot exchange files: what a program writes within microseconds of an export"
            + " may be lost; such an export is journaled as unguarded-replace")
      }
      if directory.lacks("leases"), number > 0 {
        advice.append(
          "\(path) does not tell who writes: keep 'replicator watch' running, which finds what is"
            + " written into a replaced file within 30 s")
      }
      if directory.lacks("directorySync") {
        advice.append("\(path) cannot make names durable: a power cut may bring back old files")
      }
    }
    if !response.hasReserve {
      advice.append(
        "no space is kept for the journal on a full disk: make room, the next writing command takes"
          + " it")
    }
    if let reason = response.watching?.reason {
      advice.append("changes are found by looking, not by events: \(reason)")
    }
    return advice + response.remarks.map(\.sentence)
  }

  private static func json(_ response: ExaminationResponse, _ advice: [String]) -> JSONText {
    var json = JSONObjectWriter()
    json.add("store", .string(response.store))
    json.add("node", .string(response.node))
    if let watching = response.watching {
      var watcher = JSONObjectWriter()
      watcher.add("mode", .string(watching.mode))
      watcher.add("reason", ifPresent: watching.reason.map { .string($0) })
      json.add("watcher", watcher.text)
    }
    var checkpoint = JSONObjectWriter()
    checkpoint.add("bytes", .unsigned(response.checkpoint.bytes ?? 0))
    checkpoint.add("used", .bool(response.checkpoint.isUsed))
    json.add("checkpoint", checkpoint.text)
    json.add("reserve", .bool(response.hasReserve))
    json.add("directories", JSONArrayWriter.text(response.directories.map(object)))
    json.add("ownLeftovers", .strings(response.ownLeftovers))
    json.add("foreignLeftovers", .strings(response.foreignLeftovers))
    var limits = JSONObjectWriter()
    for (name, value) in response.limits { limits.add(JSONKey(name), .unsigned(value)) }
    json.add("limits", limits.text)
    json.add("advice", .strings(advice))
    return json.text
  }

  private static func object(_ directory: ExaminationResponse.Directory) -> JSONText {
    var json = JSONObjectWriter()
    json.add("path", .string(directory.path))
    json.add("fileSystem", ifPresent: directory.type.map { .string(FileSystemNames.name($0)) })
    var abilities = JSONObjectWriter()
    for ability in directory.abilities {
      abilities.add(JSONKey(ability.name), .bool(ability.failure == nil))
    }
    json.add("abilities", abilities.text)
    json.add("syncMicroseconds", ifPresent: directory.syncNanoseconds.map { .unsigned($0 / 1000) })
    json.add("problem", ifPresent: directory.problem.map { .string($0) })
    return json.text
  }
}

/// Names of file systems by their magic number; from statfs(2) and linux/magic.h.
enum FileSystemNames {
  static let tmpfs: UInt32 = 0x0102_1994

  static func name(_ magic: UInt32) -> String {
    names[magic] ?? "a file system of the unknown kind 0x\(String(magic, radix: 16))"
  }

  private static let names: [UInt32: String] = [
    0xef53: "ext4", 0x5846_5342: "xfs", 0x9123_683e: "btrfs", tmpfs: "tmpfs",
    0x8584_58f6: "ramfs", 0x794c_7630: "overlayfs", 0xf2f5_2010: "f2fs", 0x2fc1_2fc1: "zfs",
    0xca45_1a4e: "bcachefs", 0x4d44: "vfat", 0x2011_bab0: "exfat", 0x7366_746e: "ntfs3",
    0x6969: "NFS", 0xff53_4d42: "SMB", 0xfe53_4d42: "SMB", 0x0102_1997: "9p",
    0x6573_5546: "FUSE", 0x00c3_6400: "Ceph", 0x5346_414f: "AFS", 0x6b41_4653: "AFS",
  ]
}
