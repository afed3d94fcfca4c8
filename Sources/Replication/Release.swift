/// The release of this program; it stands in node.json and in the manual page.
package enum Release {
  package static let version = "0.1.0"
}
