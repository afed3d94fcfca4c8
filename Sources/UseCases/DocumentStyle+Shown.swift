import LosslessJSON
package import Records
package import Replication

extension DocumentStyle {
  /// The style of the document as the state shows it; where there is none yet the configured one, else
  /// two blanks.
  package init(of document: Configuration.Document, in replica: Replica) {
    // What a state shows parses.
    let tree = document.sample(from: replica.state).flatMap {
      try? JSONTree(parsing: $0, dialect: document.shape.dialect.scanner)
    }
    self.init(
      of: tree, configured: document.style, collections: document.shape.recordCollections)
  }
}
