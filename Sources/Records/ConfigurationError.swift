package import LosslessJSON

/// Why a configuration was not accepted, and where in it.
package struct ConfigurationError: Error, Hashable, Sendable {
  package enum Reason: Hashable, Sendable {
    /// The text is no JSON.
    case unreadable(JSONError)
    /// A value of another kind was needed.
    case expected(String)
    /// A needed member is absent.
    case missing(String)
    /// A number outside its limits.
    case outOfRange
    /// A name with other characters than allowed, or too long.
    case badName
    /// A text that is no JSON Pointer.
    case badPointer
    /// One name given twice.
    case duplicateName(String)
    /// A word that is none of those allowed.
    case unknownWord(allowed: [String])
    /// A collection, client or document that is named but not there.
    case unknownReference(String)
    /// A schema file that could not be had.
    case schemaNotFound(String)
    /// A format that this release does not know.
    case format(Int)
    /// Two collections at one place, or one inside the records of another.
    case overlappingCollections
  }

  package var pointer: JSONPointer
  package var reason: Reason

  package init(pointer: JSONPointer, reason: Reason) {
    self.pointer = pointer
    self.reason = reason
  }
}

extension ConfigurationError: CustomStringConvertible {
  package var description: String {
    let place =
      pointer.isRoot ? "the configuration" : String(decoding: pointer.bytes, as: UTF8.self)
    return "\(place): \(reason.sentence)"
  }
}

extension ConfigurationError.Reason {
  var sentence: String {
    switch self {
    case .unreadable(let error):
      "is not JSON at \(error.place), expected \(error.expected.rawValue)"
    case .expected(let what): "must be \(what)"
    case .missing(let member): "has no member \(member)"
    case .outOfRange: "is outside its limits"
    case .badName: "is a name with other characters than A-Z a-z 0-9 . _ - or longer than 64"
    case .badPointer: "is no JSON Pointer"
    case .duplicateName(let name): "the name \(name) is there twice"
    case .unknownWord(let allowed): "must be one of \(allowed.joined(separator: ", "))"
    case .unknownReference(let name): "names \(name), which is not there"
    case .schemaNotFound(let file): "names the schema \(file), which cannot be read"
    case .format(let number): "is \(number); this release knows format 1"
    case .overlappingCollections: "lies at or inside the records of another collection"
    }
  }
}
