import CSystem
import Glibc

/// A thread of our own, for calls that block: the cooperative pool must never do that.
///
/// All signals are blocked in it, so that handlers run on the main thread, whose waits they are
/// meant to interrupt.
package struct Thread: Sendable {
  private let handle: pthread_t

  /// Starts `body` on a new thread; whoever starts a thread must `join` or `detach` it exactly once.
  /// - Parameter name: at most 15 bytes, shown by `ps -L` and in core dumps.
  /// - Throws: EAGAIN when the machine has no room for a thread.
  package static func start(
    name: String, body: @escaping @Sendable () -> Void,
  ) throws(SystemError) -> Thread {
    var everything = sigset_t()
    var before = sigset_t()
    sigfillset(&everything)
    pthread_sigmask(SIG_BLOCK, &everything, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    let box = Unmanaged.passRetained(Body(run: body, name: name))
    var handle = pthread_t()
    let result = pthread_create(
      &handle, nil,
      { argument in
        guard let argument else { return nil }
        let body = Unmanaged<Body>.fromOpaque(argument).takeRetainedValue()
        body.name.withCString { csystem_name_this_thread($0) }
        body.run()
        return nil
      }, box.toOpaque())
    guard result == 0 else {
      box.release()
      throw SystemError(
        call: "pthread_create", path: FilePath(""), errno: Errno(rawValue: result))
    }
    return Thread(handle: handle)
  }

  /// Waits until the thread has ended and gives its resources back.
  package func join() { pthread_join(handle, nil) }

  /// Lets the thread end alone; only for one whose end nobody needs to know.
  package func detach() { pthread_detach(handle) }

  private final class Body: Sendable {
    let run: @Sendable () -> Void
    let name: String

    init(run: @escaping @Sendable () -> Void, name: String) {
      self.run = run
      self.name = name
    }
  }
}
