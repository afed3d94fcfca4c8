/// A place in an ordered list that always leaves room between two others: a fractional index.
///
/// A text of digits in base 62, compared byte by byte: a head that tells the length of the whole
/// part, the whole part, and a fraction without a trailing zero digit.
/// Source of the scheme: Evan Wallace, "Realtime Editing of Ordered Sequences".
package struct Fraction: Hashable, Comparable, Sendable {
  package let text: [UInt8]

  package init(text: [UInt8]) { self.text = text }

  package static func < (left: Fraction, right: Fraction) -> Bool {
    left.text.lexicographicallyPrecedes(right.text)
  }
}
