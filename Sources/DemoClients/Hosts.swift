/// Release 1: a closed enum, and no member beyond those it was made for.
struct OldHost: DemoRecord {
  enum ConnectionMethod: String, Codable {
    case ssh, mosh

    /// What a newer release wrote becomes the default, as in many programs.
    init(from decoder: any Decoder) throws {
      let raw = try decoder.singleValueContainer().decode(String.self)
      self = ConnectionMethod(rawValue: raw) ?? .ssh
    }
  }

  static let program = "hosts, release 1"

  var id: String
  var name: String
  var hostname: String
  var port: Int?
  var username: String?
  var connectionMethod: ConnectionMethod?
  var identity: String?
  var jump: String?
  var tags: [String]?
  var options: [String: String]?
  var createdAt: String?
  var updatedAt: String?

  init(id: String, name: String, detail: String) {
    self.id = id
    self.name = name
    hostname = detail
    connectionMethod = .ssh
  }

  mutating func set(_ member: String, _ text: String) throws {
    switch member {
    case "name": name = text
    case "hostname": hostname = text
    case "port": port = try integer(text)
    case "username": username = text
    case "connectionMethod":
      guard let method = ConnectionMethod(rawValue: text) else {
        throw ClientError("release 1 knows ssh and mosh, not '\(text)'")
      }
      connectionMethod = method
    case "identity": identity = text
    case "jump": jump = text
    case "tags": tags = words(text)
    case "createdAt": createdAt = text
    case "updatedAt": updatedAt = text
    default: throw unknownMember(member)
    }
  }
}

/// Release 2: knows `et` and tunnels, drops what only release 3 will know.
struct NewHost: DemoRecord {
  struct Tunnel: Codable {
    var name: String
    var kind: String
    var listen: Int
    var target: String
  }

  static let program = "hosts, release 2"

  var id: String
  var name: String
  var hostname: String
  var port: Int?
  var username: String?
  /// Raw, so that nothing is lost.
  var connectionMethod: String?
  var identity: String?
  var jump: String?
  var tags: [String]?
  var options: [String: String]?
  var createdAt: String?
  var updatedAt: String?
  var tunnels: [Tunnel]?

  init(id: String, name: String, detail: String) {
    self.id = id
    self.name = name
    hostname = detail
    connectionMethod = "et"
  }

  mutating func set(_ member: String, _ text: String) throws {
    switch member {
    case "name": name = text
    case "hostname": hostname = text
    case "port": port = try integer(text)
    case "username": username = text
    case "connectionMethod": connectionMethod = text
    case "identity": identity = text
    case "jump": jump = text
    case "tags": tags = words(text)
    case "createdAt": createdAt = text
    case "updatedAt": updatedAt = text
    case "tunnel": try addTunnel(text)
    default: throw unknownMember(member)
    }
  }

  /// `NAME,LISTEN,TARGET`
  private mutating func addTunnel(_ text: String) throws {
    let parts = words(text)
    guard parts.count == 3 else { throw ClientError("write tunnel=NAME,LISTEN,TARGET") }
    let tunnel = Tunnel(
      name: parts[0], kind: "local", listen: try integer(parts[1]), target: parts[2])
    tunnels = (tunnels ?? []).filter { $0.name != tunnel.name } + [tunnel]
  }
}
