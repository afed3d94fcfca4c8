import Glibc

/// The place of the first `byte` at or after `start`, found at memory speed (memchr).
package func firstIndex(
  of byte: UInt8, in bytes: UnsafeRawBufferPointer, from start: Int
) -> Int? {
  guard let base = bytes.baseAddress, start < bytes.count else { return nil }
  guard let found = memchr(base + start, Int32(byte), bytes.count - start) else { return nil }
  return UnsafeRawPointer(found) - base
}
