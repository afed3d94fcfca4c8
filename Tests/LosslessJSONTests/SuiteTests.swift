import Foundation
import LosslessJSON
import Testing

enum Vectors {
  static let directory: URL? = {
    guard let path = ProcessInfo.processInfo.environment["REPLICATOR_VECTORS"] else { return nil }
    let directory = URL(fileURLWithPath: path).appendingPathComponent("JSONTestSuite/test_parsing")
    return FileManager.default.fileExists(atPath: directory.path) ? directory : nil
  }()
}

/// JSONTestSuite, where `REPLICATOR_VECTORS` names a directory that has it; skipped otherwise.
@Suite(.enabled(if: Vectors.directory != nil, "REPLICATOR_VECTORS has no JSONTestSuite"))
struct SuiteTests {
  static func files(_ prefix: String) throws -> [URL] {
    let directory = try #require(Vectors.directory)
    return try FileManager.default
      .contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
      .filter { $0.lastPathComponent.hasPrefix(prefix) }
  }

  @Test func `all y_ files are accepted and come back to the byte`() throws {
    let files = try Self.files("y_")
    #expect(files.count == 95)
    for file in files {
      let source = try [UInt8](Data(contentsOf: file))
      let tree = try JSONTree(parsing: source)
      #expect(try tree.applying([]) == source, "\(file.lastPathComponent)")
      #expect(try JSONTree(parsing: source, dialect: .jsonc).root.text == tree.root.text)
    }
  }

  @Test func `all n_ files are rejected with the place and what was expected`() throws {
    let files = try Self.files("n_")
    #expect(files.count == 188)
    for file in files {
      let source = try [UInt8](Data(contentsOf: file))
      let error = #expect(throws: JSONError.self, "\(file.lastPathComponent)") {
        try JSONTree(parsing: source)
      }
      guard let error else { continue }
      // None of these files has a CR: the line and column of the offset, counted anew.
      let lines = source[..<error.offset].split(separator: 0x0A, omittingEmptySubsequences: false)
      #expect(error.line == lines.count, "\(file.lastPathComponent)")
      let column = (lines.last ?? []).count { $0 & 0xC0 != 0x80 } + 1
      #expect(error.column == column, "\(file.lastPathComponent)")
      let isAtEnd = error.reason == .endOfInput
      #expect(isAtEnd == (error.offset == source.count), "\(file.lastPathComponent)")
    }
  }

  /// Free by the standard, decided here: what RFC 8259 lets a text say is kept, other bytes are not.
  static let acceptedFreely: Set<String> = [
    "i_number_double_huge_neg_exp", "i_number_huge_exp", "i_number_neg_int_huge_exp",
    "i_number_pos_double_huge_exp", "i_number_real_neg_overflow", "i_number_real_pos_overflow",
    "i_number_real_underflow", "i_number_too_big_neg_int", "i_number_too_big_pos_int",
    "i_number_very_big_negative_int", "i_object_key_lone_2nd_surrogate",
    "i_string_1st_surrogate_but_2nd_missing", "i_string_1st_valid_surrogate_2nd_invalid",
    "i_string_incomplete_surrogate_and_escape_valid", "i_string_incomplete_surrogate_pair",
    "i_string_incomplete_surrogates_escape_valid", "i_string_invalid_lonely_surrogate",
    "i_string_invalid_surrogate", "i_string_inverted_surrogates_U+1D11E",
    "i_string_lone_second_surrogate", "i_structure_500_nested_arrays",
    "i_structure_UTF-8_BOM_empty_object",
  ]

  @Test func `each i_ file has its decided verdict`() throws {
    let files = try Self.files("i_")
    #expect(!files.isEmpty)
    for file in files {
      let source = try [UInt8](Data(contentsOf: file))
      let name = file.deletingPathExtension().lastPathComponent
      // The verdict is all that counts here; the reason is the business of GrammarTests.
      let isAccepted = (try? JSONTree(parsing: source)) != nil
      #expect(isAccepted == Self.acceptedFreely.contains(name), "\(name)")
    }
  }
}
