import Glibc
package import HostManager
package import ReplicatorKit

/// Release 2 uses the type that comes with the library: it knows `et` and tunnels.
extension Host: ManagedHost {
  package static var program: String { "host-manager-2" }

  package static var settable: [SettableField<Host>] {
    [
      SettableField("name", sample: { "two \($0)" }) { $0.name = $1 },
      SettableField("hostname", sample: { "two-\($0).example.org" }) { $0.hostname = $1 },
      SettableField("port", sample: { String(2000 + $0 % 60_000) }) { $0.port = Int($1) },
      SettableField("identity", sample: { "two\($0)" }) { $0.identity = $1 },
      SettableField("connectionMethod", sample: { $0 % 2 == 0 ? "et" : "mosh" }) {
        $0.connectionMethod = OpenValue(rawValue: $1)
      },
      SettableField("forwardAgent", sample: { $0 % 2 == 0 ? "yes" : "no" }) { host, text in
        if host.options == nil { host.options = Host.Options() }
        host.options?.forwardAgent = OpenValue(rawValue: text)
      },
      SettableField("tunnel", sample: { "two,\(1 + $0 % 60_000),db:5432" }) { host, text in
        host.setTunnel(text)
      },
    ]
  }

  /// `NAME,LISTEN,TARGET`: the tunnel of that name, or a new one.
  private mutating func setTunnel(_ text: String) {
    let parts = text.split(separator: ",").map(String.init)
    guard parts.count == 3 else { return }
    var tunnels = self.tunnels ?? []
    var tunnel = tunnels.first { $0.name == parts[0] } ?? Tunnel()
    tunnel.name = parts[0]
    tunnel.kind = tunnel.kind ?? OpenValue(.local)
    tunnel.listen = Int(parts[1])
    tunnel.target = parts[2]
    tunnels.removeAll { $0.name == parts[0] }
    self.tunnels = tunnels + [tunnel]
  }
}

exit(await HostManager<Host>.run(Array(CommandLine.arguments.dropFirst())))
