import LosslessJSON

/// How values of a rewrite that laid out the whole document anew get the white space of its base.
///
/// A program that writes its own indentation means nothing by it; one that left the document as it was
/// wrote each byte of what it changed. Characters of strings, names and numbers are kept by both.
struct Relayout {
  private let source: JSONStyle
  private let target: JSONStyle

  /// Nil where the rewrite has the white space of its base in what they have in common.
  init?(from incoming: SplitDocument, to base: SplitDocument) {
    // What has nothing in it has no style to go by.
    guard !base.isEmpty else { return nil }
    let (written, known) = (incoming.sample, base.sample)
    source = JSONStyle.detect(in: written).withoutEscapes
    target = JSONStyle.detect(in: known).withoutEscapes
    guard source != target, known.isLaidOutAnew(in: written) else { return nil }
  }

  func restyled(_ text: JSONText, depth: Int) -> JSONText {
    text.restyled(from: source, as: target, depth: depth)
  }
}
