#if FUZZER
  import SystemCalls

  /// Hands the process over to libFuzzer, which is linked in only for this.
  enum CoverageGuided {
    /// Written before the driver starts, which calls a C function and can hand nothing through.
    fileprivate static let chosen = Guarded(FuzzTarget.parse)

    static func run(_ target: FuzzTarget, _ options: [String]) {
      chosen.withLock { $0 = target }
      let words = ["fuzz"] + options
      // The driver keeps them, and never returns.
      let list = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(
        capacity: words.count + 1)
      list.initialize(repeating: nil, count: words.count + 1)
      for (position, word) in words.enumerated() {
        let bytes = Array(word.utf8CString)
        let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
        copy.initialize(from: bytes, count: bytes.count)
        list[position] = copy
      }
      var count = Int32(words.count)
      var start = list
      _ = runDriver(&count, &start, tryOne)
    }
  }

  private func tryOne(_ bytes: UnsafePointer<UInt8>?, _ length: Int) -> Int32 {
    var input: [UInt8] = []
    if let bytes { input += UnsafeBufferPointer(start: bytes, count: length) }
    CoverageGuided.chosen.withLock { $0 }.run(input)
    return 0
  }

  /// How the driver makes a new text of one that it has: half of the time by whole values.
  @_cdecl("LLVMFuzzerCustomMutator")
  func mutate(
    _ bytes: UnsafeMutablePointer<UInt8>, _ length: Int, _ lengthMax: Int, _ seed: UInt32
  ) -> Int {
    let old = Array(UnsafeBufferPointer(start: bytes, count: length))
    guard seed % 2 == 0, let new = ValueMutation.changed(old, seed: UInt64(seed)),
      new.count <= lengthMax
    else { return mutateBytes(bytes, length, lengthMax) }
    bytes.update(from: new, count: new.count)
    return new.count
  }

  @_silgen_name("LLVMFuzzerMutate")
  private func mutateBytes(
    _ bytes: UnsafeMutablePointer<UInt8>, _ length: Int, _ lengthMax: Int
  ) -> Int

  @_silgen_name("LLVMFuzzerRunDriver")
  private func runDriver(
    _ count: UnsafeMutablePointer<Int32>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ one: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
  ) -> Int32
#endif
