import Glibc
import HostManager
import ReplicatorKit

/// A host as release 1 knows it: no tunnels, and `et` is a raw value like any other.
struct HostRecord: ManagedHost {
  enum ConnectionMethod: String {
    case ssh, mosh
  }

  struct Fields {
    let id = Field<RecordID>("id")
    let name = Field<String>("name")
    let hostname = Field<String>("hostname")
    let port = Field<Int>("port")
    let username = Field<String>("username")
    let connectionMethod = Field<OpenValue<ConnectionMethod>>("connectionMethod")
    let identity = Field<String>("identity")
    let jump = Field<RecordID>("jump")
    let tags = Field<[String]>("tags")
    let options = Field<RawJSON>("options")
    let createdAt = Field<String>("createdAt")
    let updatedAt = Field<String>("updatedAt")
  }

  static let fields = Fields()
  var raw: RawJSON

  static let program = "host-manager-1"

  static let settable: [SettableField<HostRecord>] = [
    SettableField("name", sample: { "one \($0)" }) { $0.name = $1 },
    SettableField("hostname", sample: { "one-\($0).example.org" }) { $0.hostname = $1 },
    SettableField("port", sample: { String(1000 + $0 % 60_000) }) { $0.port = Int($1) },
    SettableField("username", sample: { "one\($0)" }) { $0.username = $1 },
    SettableField("connectionMethod", sample: { $0 % 2 == 0 ? "ssh" : "mosh" }) {
      $0.connectionMethod = OpenValue(rawValue: $1)
    },
    SettableField("tags", sample: { "one,\($0)" }) {
      $0.tags = $1.split(separator: ",").map(String.init)
    },
  ]
}

exit(await HostManager<HostRecord>.run(Array(CommandLine.arguments.dropFirst())))
