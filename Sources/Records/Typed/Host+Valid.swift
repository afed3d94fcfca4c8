public import FoundationEssentials

extension Host {
  /// A host as it is meant: checked, with what is left out filled in. Nothing of it is written back
  /// but by `update(to:)`.
  public struct Valid: Sendable, Hashable {
    /// What it is called in lists; never empty.
    public var name: String
    /// A name or address; never empty, without white space.
    public var hostname: String
    /// 1 to 65535.
    public var port: Int
    /// Who to log in as; nil = whoever connects.
    public var username: String?
    /// How to connect. A method of a later release is none that is wrong.
    public var connectionMethod: OpenValue<ConnectionMethod>
    /// A key file, or the name of an identity.
    public var identity: String?
    /// The host to jump through.
    public var jump: RecordID?
    /// Words to find it by, each once.
    public var tags: [String]
    /// When the record was made.
    public var createdAt: Date?
    /// When a person changed it last.
    public var updatedAt: Date?

    /// A host with defaults for all that is not said.
    public init(name: String, hostname: String) {
      self.name = name
      self.hostname = hostname
      port = Self.portDefault
      connectionMethod = OpenValue(.ssh)
      tags = []
    }

    /// The port of a host that names none.
    public static let portDefault = 22

    /// Reads what is meant by a record.
    ///
    /// - Throws: everything that is wrong with it, at once.
    public init(_ host: Host) throws(ValidationError) {
      var check = Validation(host)
      self.init(
        name: check.text(host.name ?? host.hostname, "/name"),
        hostname: check.word(host.hostname, "/hostname"))
      port = check.number(host.port ?? Self.portDefault, in: 1...65_535, "/port")
      username = host.username
      connectionMethod = host.connectionMethod ?? OpenValue(.ssh)
      identity = host.identity
      jump = host.jump
      if let jump, jump == host.id { check.add(.refersToItself("/jump")) }
      tags = check.unique(host.tags ?? [], "/tags")
      createdAt = host.createdAt
      updatedAt = host.updatedAt
      for (index, tunnel) in (host.tunnels ?? []).enumerated() {
        _ = check.text(tunnel.name, "/tunnels/\(index)/name")
        _ = check.number(tunnel.listen ?? 0, in: 1...65_535, "/tunnels/\(index)/listen")
      }
      try check.finish()
    }
  }

  /// Writes what is meant into the record: only fields that mean something else now are touched, and a
  /// default is not written where nothing stood.
  public mutating func update(to valid: Valid) {
    self.name = self.name == nil && valid.name == self.hostname ? nil : valid.name
    self.hostname = valid.hostname
    if self.port != nil || valid.port != Valid.portDefault { self.port = valid.port }
    self.username = valid.username
    if self.connectionMethod != nil || valid.connectionMethod != OpenValue(.ssh) {
      self.connectionMethod = valid.connectionMethod
    }
    self.identity = valid.identity
    self.jump = valid.jump
    if self.tags != nil || !valid.tags.isEmpty { self.tags = valid.tags }
    self.createdAt = valid.createdAt
    self.updatedAt = valid.updatedAt
  }
}
