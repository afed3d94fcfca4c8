/// The limits of this release that concern bytes on disk, in one place.
package enum StorageLimits {
  package static let documentBytesMax: UInt64 = 1 << 30
  /// A line holds at most one value that is larger than 16 MiB, and that value is in a document.
  package static let lineBytesMax: UInt64 = documentBytesMax + (16 << 20)
  /// Small JSON files of a store: node.json, nodes.json, binding.json, config.json.
  package static let smallFileBytesMax: UInt64 = 64 << 20
  /// From this size on a segment gets no more lines and the next one is begun.
  package static let segmentBytesMax: UInt64 = 16 << 20
  /// From this size on an old segment gets no more lines, so that it can be folded.
  package static let foldedBytesMin: UInt64 = 1 << 10
  /// How much of one segment is read into memory at once, unless one line is longer.
  package static let readBytesMax: UInt64 = 256 << 20
  /// Segments of one log that are looked at; more are a sign of a stranger's mischief.
  package static let segmentsMax = 100_000
  /// Space that is kept for the journal when the disk is full.
  package static let reserveBytes: UInt64 = 1 << 20
  package static let readAttemptsMax = 50
  package static let linksFollowedMax = 40
  /// How often a lease is asked for, 2 ms apart, before a document is written without one.
  package static let leaseAttemptsMax = 25
}
