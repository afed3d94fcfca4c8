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
  ///
  /// Which one that is follows from the logs alone, so that every node and every process, also one
  /// that has just been started, goes by the same.
  func adoptMergedConfiguration() {
    guard let text = state.outside(document: Replica.configurationName)?.text else { return }
    let bytes = Array(text.bytes)
    guard bytes != configurationText else { return }
    configurationText = bytes
    configurationProblem = nil
    do throws(ConfigurationError) {
      use(try parseConfiguration(bytes))
      for remark in configuration.remarks {
        pendingNotices.append(
          Notice(
            kind: .notUnderstood, document: Replica.configurationName, rule: "\(remark)",
            identity: "\(remark)"))
      }
    } catch {
      configurationProblem = error
      pendingNotices.append(
        Notice(
          kind: .unreadable, document: Replica.configurationName,
          rule: "\(error); the last valid configuration stays in force",
          identity: ContentHash(of: bytes).hex))
      useLastValid()
    }
  }

  private func useLastValid() {
    let address = RecordAddress(
      document: Replica.configurationName, collection: nil, key: .outside)
    for text in state.earlierTexts(at: address, countMax: Replica.configurationsMax) {
      do throws(ConfigurationError) {
        return use(try parseConfiguration(Array(text.bytes)))
      } catch {
        // The one before it, then.
        continue
      }
    }
  }

  /// So many edits of the configuration in a row may be invalid.
  private static let configurationsMax = 200

  package func parseConfiguration(
    _ bytes: [UInt8]
  ) throws(ConfigurationError) -> Configuration {
    try Configuration(parsing: bytes, schemaFile: { name in schema(named: name) })
  }

  private func use(_ configuration: Configuration) {
    self.configuration = configuration
    parsed.removeAll()
    // A document that was as it should be may have to be another one now.
    quiet = [:]
    configurationVersion += 1
    let rules = configuration.mergeRules
    if rules != state.rules {
      state.setRules(rules)
      rulesVersion += 1
    }
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
