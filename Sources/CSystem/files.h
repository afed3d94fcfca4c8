// What Swift's Glibc module does not show of files: exchange, description locks, leases, fallocate.
// Header only: `static inline` functions around syscall(2), so there is no C target to compile.
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <signal.h>
#include <string.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/xattr.h>
#include <unistd.h>

#define CSYSTEM_RENAME_NOREPLACE 1
#define CSYSTEM_RENAME_EXCHANGE 2

static inline int csystem_renameat2(int old_dir, const char *old_name, int new_dir,
                                    const char *new_name, unsigned int flags) {
  return (int)syscall(SYS_renameat2, old_dir, old_name, new_dir, new_name, flags);
}

/// openat2(2) that follows no symbolic link and never leaves `dir`.
static inline int csystem_open_beneath(int dir, const char *path, int flags, mode_t mode) {
  struct open_how how;
  memset(&how, 0, sizeof how);
  how.flags = (unsigned long long)flags;
  how.mode = (flags & O_CREAT) ? mode : 0;
  how.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH;
  return (int)syscall(SYS_openat2, dir, path, &how, sizeof how);
}

/// fallocate(2) with mode 0; the libc function would write zeros where it is not supported.
static inline int csystem_fallocate(int fd, off_t length) {
  return (int)syscall(SYS_fallocate, fd, 0, (off_t)0, length);
}

/// Extended attributes; a name is bytes that end in NUL.
static inline long csystem_flistxattr(int fd, void *list, size_t size) {
  return flistxattr(fd, (char *)list, size);
}
static inline long csystem_fgetxattr(int fd, const void *name, void *value, size_t size) {
  return fgetxattr(fd, (const char *)name, value, size);
}
static inline int csystem_fsetxattr(int fd, const void *name, const void *value, size_t size) {
  return fsetxattr(fd, (const char *)name, value, size, 0);
}
static inline int csystem_fremovexattr(int fd, const void *name) {
  return fremovexattr(fd, (const char *)name);
}

/// F_OFD_SETLK on the whole file. `type` is F_RDLCK, F_WRLCK or F_UNLCK.
static inline int csystem_ofd_setlk(int fd, short type) {
  struct flock lock;
  memset(&lock, 0, sizeof lock);
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  return fcntl(fd, 37 /* F_OFD_SETLK */, &lock);
}

/// F_OFD_GETLK on the whole file: 1 if another description holds any lock, 0 if none does.
static inline int csystem_ofd_islocked(int fd) {
  struct flock lock;
  memset(&lock, 0, sizeof lock);
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  if (fcntl(fd, 36 /* F_OFD_GETLK */, &lock) < 0) return -1;
  return lock.l_type == F_UNLCK ? 0 : 1;
}

/// F_SETLEASE; 1024 is F_LINUX_SPECIFIC_BASE.
static inline int csystem_setlease(int fd, int type) {
  return fcntl(fd, 1024, type);
}

/// The magic number of the file system that holds `fd`, or -1.
static inline long csystem_fs_type(int fd) {
  struct statfs data;
  if (fstatfs(fd, &data) != 0) return -1;
  return (long)data.f_type;
}

static inline void csystem_ignore_signal(int number) { signal(number, SIG_IGN); }

/// strerrorname_np is not shown without _GNU_SOURCE; the prototype is glibc's (2.32).
extern const char *strerrorname_np(int number);
static inline const char *csystem_errno_name(int number) { return strerrorname_np(number); }

static volatile sig_atomic_t csystem_signal_fd = -1;

static inline void csystem_on_signal(int number) {
  int saved = errno;
  unsigned char byte = (unsigned char)number;
  // The pipe does not block: when it is full, enough signals wait in it already.
  ssize_t written = write(csystem_signal_fd, &byte, 1);
  (void)written;
  errno = saved;
}

/// Makes signal `number` write its number as one byte to `fd`. Interrupted calls are restarted.
static inline int csystem_signal_to_fd(int number, int fd) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = csystem_on_signal;
  action.sa_flags = SA_RESTART;
  csystem_signal_fd = fd;
  return sigaction(number, &action, 0);
}

static inline void csystem_default_signal(int number) { signal(number, SIG_DFL); }

static inline int csystem_pipe(int ends[2]) {
  return (int)syscall(SYS_pipe2, ends, O_CLOEXEC | O_NONBLOCK);
}
