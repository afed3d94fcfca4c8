public import FoundationEssentials

/// A machine to connect to, as it stands in a document.
///
/// This is the form on disk: every member may be missing or of another release. `Host.Valid` is what is
/// meant by it.
public struct Host: ForwardCompatibleRecord {
  /// The members that this release knows. Release 1 knows all but `tunnels`.
  public struct Fields: Sendable {
    /// What the host is known by.
    public let id = Field<RecordID>("id")
    /// What it is called in lists.
    public let name = Field<String>("name")
    /// A name or address that can be resolved.
    public let hostname = Field<String>("hostname")
    /// The TCP port; 22 where it is absent.
    public let port = Field<Int>("port")
    /// Who to log in as.
    public let username = Field<String>("username")
    /// How to connect; ssh where it is absent.
    public let connectionMethod = Field<OpenValue<ConnectionMethod>>("connectionMethod")
    /// A key file, or the name of an identity.
    public let identity = Field<String>("identity")
    /// The host to jump through.
    public let jump = Field<RecordID>("jump")
    /// Words to find it by.
    public let tags = Field<[String]>("tags")
    /// What else is told to the program that connects.
    public let options = Field<Options>("options")
    /// When the record was made.
    public let createdAt = Field<Date>("createdAt")
    /// When a person changed it last.
    public let updatedAt = Field<Date>("updatedAt")
    /// Port forwards, each with a name; since release 2.
    public let tunnels = Field<[Tunnel]>("tunnels")
  }

  /// How to connect. Later releases may know more.
  public enum ConnectionMethod: String, Sendable, CaseIterable {
    /// Secure shell.
    case ssh
    /// Mobile shell.
    case mosh
    /// Eternal terminal; since release 2.
    case et
  }

  /// Options of a connection. Those that are not named here are kept like any unknown member.
  public struct Options: ForwardCompatibleRecord {
    /// The members that this release knows.
    public struct Fields: Sendable {
      /// Whether the agent is forwarded.
      public let forwardAgent = Field<OpenValue<Switch>>("forwardAgent")
      /// Whether the connection is compressed.
      public let compression = Field<OpenValue<Switch>>("compression")
    }

    /// On or off, as ssh_config(5) spells it.
    public enum Switch: String, Sendable, CaseIterable {
      /// On.
      case yes
      /// Off.
      case no
    }

    /// The members that this release knows.
    public static let fields = Fields()

    /// The object as it stands in the record.
    public var raw: RawJSON

    /// The view of a value.
    public init(raw: RawJSON) { self.raw = raw }
  }

  /// A port that is forwarded; since release 2.
  public struct Tunnel: ForwardCompatibleRecord {
    /// The members that this release knows.
    public struct Fields: Sendable {
      /// What the tunnel is known by, within its host.
      public let name = Field<String>("name")
      /// In which direction; local where it is absent.
      public let kind = Field<OpenValue<Kind>>("kind")
      /// The port to listen on.
      public let listen = Field<Int>("listen")
      /// Where it leads, as `HOST:PORT`.
      public let target = Field<String>("target")
    }

    /// The direction of a tunnel.
    public enum Kind: String, Sendable, CaseIterable {
      /// From here to there.
      case local
      /// From there to here.
      case remote
    }

    /// The members that this release knows.
    public static let fields = Fields()

    /// The object as it stands in the record.
    public var raw: RawJSON

    /// The view of a value.
    public init(raw: RawJSON) { self.raw = raw }
  }

  /// The members that this release knows.
  public static let fields = Fields()

  /// The record as it stands in its document.
  public var raw: RawJSON

  /// The view of a value.
  public init(raw: RawJSON) { self.raw = raw }
}
