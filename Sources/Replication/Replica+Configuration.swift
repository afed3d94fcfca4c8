import LosslessJSON
import Merging
package import Records
import Storage

extension Replica {
  /// Takes the configuration file as a first guess, so that the logs need evaluating only once.
  func guessConfiguration() throws(ReplicationError) {
    let bytes = try storing { () throws(StorageError) in
      try store.readSmall(StoreLayout.config)
    }
    guard let bytes else { return }
    do throws(ConfigurationError) {
      use(try parseConfiguration(bytes))
    } catch {
      // The merged configuration decides; a file that does not parse is only no guess.
      return
    }
  }

  /// Follows the merged configuration; one that does not parse leaves the last valid in force.
  func adoptMergedConfiguration() {
    guard let text = state.outside(document: Replica.configurationName)?.text else { return }
    let bytes = Array(text.bytes)
    guard bytes != configurationText else { return }
    configurationText = bytes
    do throws(ConfigurationError) {
      use(try parseConfiguration(bytes))
      configurationProblem = nil
    } catch {
      configurationProblem = error
    }
  }

  package func parseConfiguration(
    _ bytes: [UInt8]
  ) throws(ConfigurationError) -> Configuration {
    try Configuration(parsing: bytes, schemaFile: { name in schema(named: name) })
  }

  private func use(_ configuration: Configuration) {
    self.configuration = configuration
    let rules = configuration.mergeRules
    if rules != state.rules { state.setRules(rules) }
  }

  /// A schema file beside the configuration, else the shipped one of that name.
  private func schema(named name: String) -> [UInt8]? {
    do throws(StorageError) {
      if let bytes = try store.readSmall(name) { return bytes }
    } catch {
      // A schema that cannot be read is reported by the caller as one that is not there.
    }
    return ShippedFiles.schemas.first { $0.path.utf8.elementsEqual(name.utf8) }.map {
      Array($0.text.utf8)
    }
  }
}
