import LosslessJSON

/// A plan as a file, so that a run which once failed can be repeated for ever.
extension Plan {
  struct Unreadable: Error, CustomStringConvertible {
    let description: String
  }

  /// - Parameter finding: what was wrong when it was stored, for people.
  func json(_ finding: String) -> String {
    func list(_ words: [String], _ separator: String) -> String {
      words.map { "\"\($0)\"" }.joined(separator: separator)
    }
    return """
      {
        "finding": \(JSONText.string(JSONKey(finding))),
        "seed": \(seed),
        "machines": \(machines),
        "features": [\(list(features.map(\.rawValue).sorted(), ", "))],
        "steps": [
          \(list(steps.map(\.description), ",\n    "))
        ]
      }

      """
  }

  init(parsing bytes: [UInt8]) throws {
    let root = try JSONTree(parsing: bytes).root
    guard let seed = root.member("seed").flatMap({ UInt64($0.text.description) }),
      let machines = root.member("machines").flatMap({ Int($0.text.description) })
    else { throw Unreadable(description: "it has no seed or no machines") }
    func words(_ name: JSONKey) -> [Substring] {
      root.member(name)?.elements.map { $0.text.description.dropFirst().dropLast() } ?? []
    }
    let features = try words("features").map { word in
      guard let feature = Feature(rawValue: String(word)) else {
        throw Unreadable(description: "there is no '\(word)'")
      }
      return feature
    }
    let steps = try words("steps").map { word in
      guard let step = Step(word) else { throw Unreadable(description: "'\(word)' is no step") }
      return step
    }
    self.init(seed: seed, machines: machines, features: Set(features), steps: steps)
  }
}
