import LosslessJSON
package import Records
package import Replication

extension DocumentStyle {
  /// The style of the document as the state shows it; two blanks where there is none yet.
  package init(of document: Configuration.Document, in replica: Replica) {
    guard let bytes = replica.render(document),
      let tree = try? JSONTree(parsing: bytes, dialect: document.shape.dialect.scanner)
    else {
      self.init(.pretty)
      return
    }
    self.init(of: tree)
  }
}
