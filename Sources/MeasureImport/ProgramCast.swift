import Records

/// The programs of one history.
struct ProgramCast {
  private(set) var programs: [Program] = []
  /// Whether every rewrite comes with the name of its program.
  let namesWriters: Bool

  init(_ chance: inout Chance) throws {
    namesWriters = chance.happens(percent: 60)
    // Without names all are declared for the document, or none is: a program that is not among
    // those declared would be taken for one of them.
    let areDeclared = chance.happens(percent: 65)
    // Releases of one program damage alike; only so it does not matter which of them wrote.
    let rounds = chance.happens(percent: 25)
    for number in 1...chance.number(1...3) {
      var program = Program(name: "program\(number)")
      if chance.happens(percent: 60) { program.knows = Field.ofOldPrograms }
      program.rounds = namesWriters ? chance.happens(percent: 25) : rounds
      program.coerces = program.isOld && chance.happens(percent: 50)
      program.fills = program.isOld && chance.happens(percent: 30)
      program.sortsRecords = chance.happens(percent: 20)
      program.sortsMembers = chance.happens(percent: 20)
      program.writesInPlace = chance.happens(percent: 35)
      program.rereads = [100, 100, 60, 25, 5][chance.below(5)]
      program.reverts = [0, 5, 10, 30][chance.below(4)]
      let isDeclared = namesWriters ? chance.happens(percent: 65) : areDeclared
      if isDeclared { try program.declare() }
      programs.append(program)
    }
    if !namesWriters, areDeclared { makeReleasesAlike() }
  }

  /// All old releases of a document whose writers are not named damage in the same way.
  private mutating func makeReleasesAlike() {
    guard let first = programs.first(where: \.isOld) else { return }
    for index in programs.indices where programs[index].isOld {
      programs[index].coerces = first.coerces
      programs[index].fills = first.fills
      var profile = first.profile
      profile?.name = programs[index].name
      programs[index].profile = profile
    }
  }
}
