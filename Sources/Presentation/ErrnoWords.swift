/// Calls of the system as what a person wants to have done.
enum CallWords {
  static func verb(_ call: String) -> String { table[call] ?? call }

  private static let table: [String: String] = [
    "read": "read", "readdir": "read", "readlinkat": "read", "fstat": "look at",
    "fstatat": "look at", "fstatfs": "look at", "stat": "look at", "realpath": "find",
    "getcwd": "find", "mkdir": "make", "mkdirat": "make", "symlinkat": "make", "linkat": "link",
    "renameat": "replace", "renameat2": "replace", "unlinkat": "remove", "fallocate": "write",
    "ftruncate": "write", "fsync": "write", "fdatasync": "write", "fchmod": "set the mode of",
    "fchown": "set the owner of", "fcntl": "lock", "flistxattr": "read the attributes of",
    "fgetxattr": "read the attributes of", "fsetxattr": "set the attributes of",
    "fremovexattr": "set the attributes of", "F_OFD_SETLK": "lock", "F_OFD_GETLK": "look at",
    "F_SETLEASE": "ask who writes", "eventfd": "wait for", "pipe2": "wait for", "poll": "wait for",
    "inotify": "watch", "inotify_init1": "watch",
  ]
}

/// Reasons of the system in words.
package enum ErrnoWords {
  /// The word for scripts, the reason and the advice for an errno by its name.
  package static func words(_ name: String) -> (code: String, why: String, hint: String?) {
    table[name] ?? ("system-error", "the system says \(name)", nil)
  }

  private static let table: [String: (code: String, why: String, hint: String?)] = [
    "ENOSPC": ("disk-full", "the disk is full", "make room and try again"),
    "EDQUOT": ("quota", "the disk quota is used up", "make room and try again"),
    "EACCES": ("permission", "permission was denied", "ask its owner, or run as that user"),
    "EPERM": ("permission", "the operation is not permitted", "run as the owner of the file"),
    "EROFS": ("read-only", "the file system is read-only", "mount it for writing"),
    "ENOENT": ("not-found", "there is no such file or directory", "check the name"),
    "ENOTDIR": ("not-a-directory", "it, or a part of its path, is no directory", "check the name"),
    "EISDIR": ("is-a-directory", "it is a directory", "name a file"),
    "EEXIST": ("exists", "it exists already", "choose another name"),
    "ELOOP": ("link-loop", "its links go in a circle, or lead where they must not", nil),
    "ENAMETOOLONG": ("name-too-long", "the name is too long", "choose a shorter one"),
    "EMFILE": ("too-many-files", "this process has too many open files", "raise 'ulimit -n'"),
    "ENFILE": ("too-many-files", "the system has too many open files", "raise fs.file-max"),
    "ENOMEM": ("no-memory", "there is not enough memory", nil),
    "EFBIG": ("too-large", "the file would be larger than is allowed", "raise 'ulimit -f'"),
    "EIO": ("input-output", "the disk reported an error", "look at 'dmesg' before going on"),
    "ENXIO": ("not-a-file", "nobody is at the other end of it", "name a file"),
    "EBADF": ("closed", "it is closed", nil),
    "EBUSY": ("busy", "it is in use", "try again"),
    "EAGAIN": ("busy", "it is in use", "try again"),
    "ESTALE": (
      "stale-handle", "the server no longer has the file",
      "try again, and mount it again if that does not help"
    ),
    "ETXTBSY": ("busy", "it is being executed", nil),
    "EXDEV": ("other-file-system", "it lies on another file system", nil),
    "EOPNOTSUPP": ("not-supported", "the file system cannot do that", nil),
    "ENOSYS": ("not-supported", "the system cannot do that", nil),
  ]
}
