import LosslessJSON

/// A field whose value is of another kind than this release reads. It keeps its bytes.
public struct FieldProblem: Sendable, Hashable, CustomStringConvertible {
  /// Where it stands in the record, as a JSON Pointer; empty for the record as a whole.
  public let path: String
  /// The type that was expected.
  public let expected: String
  /// What stands there.
  public let found: RawJSON

  package init(path: String, expected: String, found: RawJSON) {
    self.path = path
    self.expected = expected
    self.found = found
  }

  /// Half a sentence for logs.
  public var description: String { "'\(path)' is no \(expected) but \(found.kind.rawValue)" }
}

extension ForwardCompatibleRecord {
  /// The fields that cannot be read; they show nil and keep their bytes.
  ///
  /// - Complexity: a look at every member.
  public var problems: [FieldProblem] { inspected.problems }

  /// What this release does not know of the record, at any depth.
  ///
  /// - Complexity: a look at every member.
  public var unknownFields: UnknownFields { UnknownFields(inspected.unknown) }

  private var inspected: RecordInspection {
    var inspection = RecordInspection()
    inspection.look(at: raw, as: Self.self)
    return inspection
  }
}

/// A walk over records by their types; one value serves for many records.
package struct RecordInspection {
  package private(set) var problems: [FieldProblem] = []
  package private(set) var unknown: [UnknownFields.Element] = []
  /// The fields of each type that was met, which are found by reflection once.
  private var tables: [ObjectIdentifier: [any AnyField]] = [:]

  package init() {}

  package mutating func look(at raw: RawJSON, as type: any ForwardCompatibleRecord.Type) {
    look(at: raw, as: type, path: .root)
  }

  /// The fields that a type declares, in their order.
  package static func fields(of type: any ForwardCompatibleRecord.Type) -> [any AnyField] {
    func list<Record: ForwardCompatibleRecord>(_ type: Record.Type) -> [any AnyField] {
      Mirror(reflecting: Record.fields).children.compactMap { $0.value as? any AnyField }
    }
    return list(type)
  }

  /// Calls itself once a level of records, of which the parser admits so many.
  private mutating func look(
    at raw: RawJSON, as type: any ForwardCompatibleRecord.Type, path: JSONPointer
  ) {
    guard raw.kind == .object else {
      problems.append(
        FieldProblem(path: path.description, expected: String(describing: type), found: raw))
      return
    }
    let fields = fields(of: type)
    let counting = raw.node.countingMembers()
    for member in raw.node.members {
      let (key, json) = (member.key, RawJSON(member.value))
      let inner = path.appending(key)
      guard let field = fields.first(where: { $0.key == key }) else {
        unknown.append(UnknownFields.Element(path: inner.description, json: json))
        continue
      }
      // Of several members of one name the last counts; the others are nobody's.
      guard counting[key]?.range == member.value.range else {
        unknown.append(UnknownFields.Element(path: inner.description, json: json))
        continue
      }
      if !field.isReadable(json) {
        problems.append(
          FieldProblem(path: inner.description, expected: field.expectation, found: json))
      } else if json.kind != .null {
        look(into: json, as: field.valueType, path: inner)
      }
    }
  }

  private mutating func look(
    into json: RawJSON, as type: any RecordValue.Type, path: JSONPointer
  ) {
    if let record = type as? any ForwardCompatibleRecord.Type {
      look(at: json, as: record, path: path)
    } else if let list = type as? any ListValue.Type {
      for (index, element) in (json.elements ?? []).enumerated() {
        look(into: element, as: list.elementType, path: path.appending(JSONKey(String(index))))
      }
    }
  }

  private mutating func fields(of type: any ForwardCompatibleRecord.Type) -> [any AnyField] {
    let id = ObjectIdentifier(type)
    if let known = tables[id] { return known }
    let fields = Self.fields(of: type)
    tables[id] = fields
    return fields
  }
}

extension RawJSON {
  /// The record with what an old one has and a type does not know or cannot read: whoever writes a
  /// record anew does not mean to remove that.
  ///
  /// Calls itself once a level of records, of which the parser admits so many.
  func keeping(
    unknownOf old: RawJSON, as type: any ForwardCompatibleRecord.Type
  ) -> RawJSON {
    guard kind == .object, old.kind == .object, self != old else { return self }
    var kept = self
    var fields: [any AnyField]?
    for (key, value) in old.node.members.map({ ($0.key, RawJSON($0.value)) }) {
      let present = kept[key]
      // A field that has no parts is as it was set.
      if let present, present == value || present.kind != .object || value.kind != .object {
        continue
      }
      let known = fields ?? RecordInspection.fields(of: type)
      fields = known
      let field = known.first { $0.key == key }
      if let present {
        guard let inner = field?.valueType as? any ForwardCompatibleRecord.Type else { continue }
        let merged = present.keeping(unknownOf: value, as: inner)
        if merged != present { kept[key] = merged }
      } else if !(field?.isReadable(value) ?? false) {
        kept[key] = old[key]
      }
    }
    return kept
  }
}

/// A list, whatever it is a list of.
private protocol ListValue {
  static var elementType: any RecordValue.Type { get }
}

extension Array: ListValue where Element: RecordValue {
  fileprivate static var elementType: any RecordValue.Type { Element.self }
}
