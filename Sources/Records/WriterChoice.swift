import LosslessJSON
import Merging

/// Which of the possible programs wrote a rewrite.
struct WriterChoice {
  var profile: ClientProfile
  /// Nil: undeclared.
  var name: String?
  /// Whether other profiles would fit as well.
  var isAssumed = false
  /// Whether the content, or the user, told the writer: its look can be learned.
  var isTold = false

  init(_ request: ImportRequest) {
    switch request.writer {
    case .named(let profile):
      self.init(profile: profile, name: profile.name, isTold: true)
    case .oneOf(let profiles):
      self.init(profiles, request)
    }
  }

  private init(profile: ClientProfile, name: String?, isAssumed: Bool = false, isTold: Bool) {
    self.profile = profile
    self.name = name
    self.isAssumed = isAssumed
    self.isTold = isTold
  }

  private init(_ profiles: [ClientProfile], _ request: ImportRequest) {
    let possible = profiles.filter {
      !$0.cannotHaveWritten(request.incoming, document: request.document)
    }
    guard let oldest = possible.first else {
      self.init(profile: .undeclared(name: ""), name: nil, isTold: false)
      return
    }
    if possible.count == 1 {
      self.init(profile: oldest, name: oldest.name, isTold: profiles.count > 1)
      return
    }
    if let fitting = Self.fitting(possible, request) {
      self.init(profile: fitting, name: fitting.name, isTold: false)
    } else {
      self.init(profile: oldest, name: oldest.name, isAssumed: true, isTold: false)
    }
  }

  /// The one profile whose known look is that of the rewrite, if the looks differ.
  private static func fitting(
    _ profiles: [ClientProfile], _ request: ImportRequest
  ) -> ClientProfile? {
    let known = profiles.compactMap { request.fingerprints[$0.name] }
    guard known.count == profiles.count, Set(known).count > 1 else { return nil }
    let look = Fingerprint(request.incoming.tree)
    let fitting = profiles.filter { request.fingerprints[$0.name] == look }
    return fitting.count == 1 ? fitting[0] : nil
  }
}

extension ClientProfile {
  /// Whether a document carries members or raw values that this client would have dropped.
  func cannotHaveWritten(
    _ incoming: SplitDocument, document: Configuration.Document
  ) -> Bool {
    let outside = MergeRules.Place(document: document.name, collection: nil)
    if let schema = schema(outside),
      schema.isForeign(incoming.frameTree.root, at: schema.root, .root, document.shape)
    {
      return true
    }
    return document.shape.recordCollections.contains { collection in
      let place = MergeRules.Place(document: document.name, collection: collection.name)
      guard let schema = schema(place) else { return false }
      return incoming.records(of: collection.name).contains {
        schema.isForeign($0.node, at: schema.root)
      }
    }
  }
}

extension JSONSchema {
  /// The same outside the collections, whose places themselves say nothing.
  func isForeign(
    _ value: JSONNode, at place: Place, _ path: JSONPointer, _ shape: DocumentShape
  ) -> Bool {
    guard shape.hasCollection(atOrBelow: path), value.kind == .object else {
      return isForeign(value, at: place)
    }
    return value.members.contains { member in
      let inner = path.appending(member.key)
      return shape.collection(at: inner) == nil
        && isForeign(member.value, at: self.member(member.key, of: place), inner, shape)
    }
  }

  /// Whether a value holds what a client with this schema would not have written.
  func isForeign(_ value: JSONNode, at place: Place) -> Bool {
    guard case .node = place else { return place == .unknown }
    if let known = enumeration(at: place), known.fallback != nil,
      !known.values.contains(where: { $0.hasSameValue(as: value.text) })
    {
      return true
    }
    switch value.kind {
    case .object:
      return value.members.contains { isForeign($0.value, at: member($0.key, of: place)) }
    case .array:
      let inner = element(of: place)
      return value.elements.contains { isForeign($0, at: inner) }
    case .string, .number, .true, .false, .null: return false
    }
  }
}
