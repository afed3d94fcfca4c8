/// The release of the executable; it stands in node.json and in the manual page.
enum Release {
  static let version = "0.1.0"
}
