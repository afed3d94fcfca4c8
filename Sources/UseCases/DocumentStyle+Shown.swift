import LosslessJSON
package import Records
package import Replication

extension DocumentStyle {
  /// The style of the document as the state shows it; see the initialiser for a tree.
  package init(of document: Configuration.Document, in replica: Replica) {
    let tree = replica.render(document).flatMap {
      // What a state shows parses.
      try? JSONTree(parsing: $0, dialect: document.shape.dialect.scanner)
    }
    self.init(of: tree, configured: document.style)
  }
}
