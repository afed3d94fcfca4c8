import LosslessJSON
import UseCases

/// What was learned of programs without a profile, for `status --verbose`.
enum LearnedWords {
  static func lines(
    _ profile: StatusResponse.LearnedProfile, _ localTime: (UInt64) -> String
  ) -> [String] {
    let name = profile.client.map { "'\($0)', which has no profile," } ?? "programs without a name"
    let rows = profile.habits.map { habit in
      [words(of: habit), counted(habit.times, "time"), "last \(localTime(habit.last))"]
    }
    return ["    \(name) as this node has seen them:"] + Columns.lines(rows).map { "      " + $0 }
  }

  static func json(
    _ profile: StatusResponse.LearnedProfile, _ rfc3339: (UInt64) -> String
  ) -> JSONText {
    var json = JSONObjectWriter()
    json.add("client", ifPresent: profile.client.map { .string($0) })
    json.add(
      "habits",
      JSONArrayWriter.text(
        profile.habits.map { habit in
          var json = JSONObjectWriter()
          json.add("kind", .string(habit.kind))
          json.add("collection", ifPresent: habit.collection.map { .string($0) })
          json.add("path", ifPresent: habit.path.map { .string($0) })
          json.add("times", .number(habit.times))
          json.add("last", .string(rfc3339(habit.last)))
          return json.text
        }))
    return json.text
  }

  private static func words(of habit: StatusResponse.LearnedProfile.Habit) -> String {
    let place = (habit.collection.map { "\($0)" } ?? "") + (habit.path ?? "")
    return switch habit.kind {
    case "stripped", "strip-ambiguous":
      habit.path == nil ? "leaves out records of \(place)" : "leaves out \(place)"
    case "coerced", "coerce-ambiguous": "replaces values of \(place) by another"
    case "lossy-echo": "writes \(place) less exactly"
    case "default-fill": "fills in \(place)"
    case "resort": "sorts \(place.isEmpty ? "the records" : place)"
    default: "writes an older state once more"
    }
  }
}
