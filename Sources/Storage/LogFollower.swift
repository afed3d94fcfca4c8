/// Whoever reads a log that this process also writes: the state that its next lines continue.
///
/// A `SegmentLog` keeps no position of its own. Under the lock it brings its follower up to date,
/// and what it has made durable it hands over, so no line is read from the file twice.
package protocol LogFollower: AnyObject {
  /// Where the follower stands.
  var reader: SegmentReader { get set }
  /// Takes in lines that `reader` has just been moved over.
  func take(_ arrival: Arrival)
  /// Looks at the whole directory and takes in all that is new there.
  func catchUp() throws(StorageError)
}
