import SystemCalls

// Looks for texts on which LosslessJSON and Records go wrong. `Tools/fuzz` builds and runs it.

let usage = """
  usage: Fuzz make TARGET [--seconds N] [--seed N]    texts made of tokens, each shown if it fails
         Fuzz read TARGET FILE…                       the files, one after the other
         Fuzz libfuzzer TARGET [OPTION…]              coverage-guided; options of libFuzzer
         Fuzz values files FILE…                      the texts and their values, a line each
         Fuzz values made [--count N] [--seed N]      the same of texts made of tokens
  targets: parse, edit, split, schema

  """

func fail(_ text: String) -> Never {
  // Nothing is left to do if even this fails.
  try? StandardStream.error.write(text)
  ExitStatus.end(64)
}

var words = Array(CommandLine.arguments.dropFirst())
do {
  if words.count >= 2, words[0] == "values" {
    try ReadValues.run(words[1], Array(words.dropFirst(2)))
    ExitStatus.end(0)
  }
  guard words.count >= 2, let target = FuzzTarget(rawValue: words[1]) else { fail(usage) }
  switch words[0] {
  case "make": try MadeInputs.run(target, Array(words.dropFirst(2)))
  case "read":
    for path in words.dropFirst(2) {
      let file = try FileDescriptor.open(FilePath(path), .read, system: LiveFileSystem())
      target.run(try file.read(at: 0, count: 1 << 24))
    }
    try StandardStream.output.write("\(target.rawValue): \(words.count - 2) files, no finding\n")
  #if FUZZER
    case "libfuzzer": CoverageGuided.run(target, Array(words.dropFirst(2)))
  #endif
  default: fail(usage)
  }
} catch {
  fail("Fuzz: \(error)\n")
}
