import FoundationEssentials
import Records
import SystemCalls

/// Reading a document of hosts as typed records, and the same by Foundation's decoder. Both look at every
/// field; processor time counts, and of each the shortest of its rounds, which take turns: what disturbs
/// a round only makes it longer.
enum TypedReads {
  private struct PlainDocument: Decodable {
    var items: [PlainHost]
  }

  private struct PlainHost: Decodable {
    var id: String
    var name: String?
    var hostname: String?
    var port: Int?
    var username: String?
    var connectionMethod: String?
    var identity: String?
    var jump: String?
    var tags: [String]?
    var createdAt: String?
    var updatedAt: String?
  }

  static func run(_ arguments: BenchArguments) throws {
    let bytes = try ExportTime.contents(of: FilePath(try arguments.required("a document")))
    let data = Data(bytes)
    let rounds = try arguments.number("--rounds", 5)
    var (ours, theirs, sums): ([UInt64], [UInt64], Set<Int>) = ([], [], [])
    for _ in 0..<rounds {
      ours.append(
        try ParseTime.processorTime { sums.insert(try typed(RecordDocument<Host>(bytes))) })
      theirs.append(
        try ParseTime.processorTime {
          sums.insert(
            plain(try JSONDecoder().decode(PlainDocument.self, from: data).items))
        })
    }
    guard sums.count == 1 else {
      throw BenchArguments.Wrong(description: "both read something else: \(sums)")
    }
    try StandardStream.output.write(
      "{\"bytes\":\(bytes.count),\"typedSeconds\":\(ParseTime.shortest(ours))"
        + ",\"decoderSeconds\":\(ParseTime.shortest(theirs))}\n")
  }

  private static func typed(_ document: RecordDocument<Host>) -> Int {
    var sum = 0
    for (_, host) in document.records {
      sum += (host.id?.description.utf8.count ?? 0) + (host.port ?? 0)
      sum += length(host.name) + length(host.hostname) + length(host.username)
      sum += length(host.connectionMethod?.rawValue) + length(host.identity)
      sum += length(host.jump?.description) + (host.tags ?? []).reduce(0) { $0 + $1.utf8.count }
      // As text, since that is what the other one reads.
      sum += length(host.raw[member: "createdAt"]?.string)
      sum += length(host.raw[member: "updatedAt"]?.string)
    }
    return sum
  }

  private static func plain(_ hosts: [PlainHost]) -> Int {
    var sum = 0
    for host in hosts {
      sum += host.id.utf8.count + (host.port ?? 0)
      sum += length(host.name) + length(host.hostname) + length(host.username)
      sum += length(host.connectionMethod) + length(host.identity) + length(host.jump)
      sum += (host.tags ?? []).reduce(0) { $0 + $1.utf8.count }
      sum += length(host.createdAt) + length(host.updatedAt)
    }
    return sum
  }

  private static func length(_ text: String?) -> Int { text?.utf8.count ?? 0 }
}
