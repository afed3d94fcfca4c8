#if FUZZER
  import SystemCalls

  /// Hands the process over to libFuzzer, which is linked in only for this.
  enum CoverageGuided {
    static func run(_ target: FuzzTarget, _ options: [String]) {
      chosen.withLock { $0 = target }
      var arguments = (["fuzz"] + options).map { word in
        let copy = UnsafeMutablePointer<CChar>.allocate(capacity: word.utf8.count + 1)
        for (index, byte) in word.utf8.enumerated() { copy[index] = CChar(bitPattern: byte) }
        copy[word.utf8.count] = 0
        return Optional(copy)
      }
      arguments.append(nil)
      var count = Int32(arguments.count - 1)
      arguments.withUnsafeMutableBufferPointer { buffer in
        var list = buffer.baseAddress
        _ = runDriver(&count, &list) { bytes, length in
          let input = bytes.map { Array(UnsafeBufferPointer(start: $0, count: length)) } ?? []
          chosen.withLock { $0 }.run(input)
          return 0
        }
      }
    }

    /// Written before the driver starts, which calls a C function and can hand nothing through.
    private static let chosen = Guarded(FuzzTarget.parse)
  }

  @_silgen_name("LLVMFuzzerRunDriver")
  private func runDriver(
    _ count: UnsafeMutablePointer<Int32>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ one: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
  ) -> Int32
#endif
