/// Colours for a terminal, or none.
package struct Paint: Sendable {
  private let isOn: Bool

  package init(isOn: Bool) { self.isOn = isOn }

  package func id(_ text: String) -> String { wrap(text, "33") }
  package func kind(_ text: String) -> String { wrap(text, "36") }
  package func dim(_ text: String) -> String { wrap(text, "2") }
  package func warning(_ text: String) -> String { wrap(text, "31") }
  package func strong(_ text: String) -> String { wrap(text, "1") }

  private func wrap(_ text: String, _ code: String) -> String {
    isOn ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
