extension Configuration.Document {
  /// A document without rules and clients.
  package init(
    name: String, file: String, shape: DocumentShape
  ) {
    self.name = name
    self.file = file
    self.shape = shape
    self.rules = [:]
    secrets = []
    marker = nil
    massDelete = Configuration.MassDelete()
    clients = []
  }
}
