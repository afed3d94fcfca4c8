#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/inotify.h>
#include <inotifytools/inotify.h>
#include <inotifytools/inotifytools.h>

/// One event, copied out of the library's static buffer. `name` points into that buffer and is
/// good until the next call of the library.
struct cinotify_event {
  int32_t wd;
  uint32_t mask;
  const char *name;
  size_t name_length;
};

/// The next event that is there already; 0 when there is none or an error (inotifytools_error).
/// Never waits: `inotifytools_next_event(0)` would wait for ever, and more than one event a call
/// spins on FIONREAD. The flexible array member `name` is out of reach of Swift, hence the copy.
static inline int cinotify_next(struct cinotify_event *out) {
  struct inotify_event *event = inotifytools_next_events(0, 1);
  if (event == NULL) return 0;
  out->wd = event->wd;
  out->mask = event->mask;
  out->name = event->name;
  out->name_length = 0;
  // The kernel pads the name with NUL bytes up to `len`.
  while (out->name_length < event->len && event->name[out->name_length] != 0) {
    out->name_length += 1;
  }
  return 1;
}

/// What is asked of every watched directory (docs: no MODIFY, OPEN or ACCESS).
static const uint32_t cinotify_directory_mask =
    IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_ATTRIB |
    IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | 0x04000000 /* IN_EXCL_UNLINK */;
static const uint32_t cinotify_modify = IN_MODIFY;
static const uint32_t cinotify_overflow = IN_Q_OVERFLOW;
/// The watch is gone, or no longer stands for the path it was made with.
static const uint32_t cinotify_watch_lost =
    IN_IGNORED | IN_UNMOUNT | IN_DELETE_SELF | IN_MOVE_SELF;
/// An entry has appeared or gone, so a watched path may lead elsewhere.
static const uint32_t cinotify_entry_changed =
    IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO;
static const uint32_t cinotify_is_directory = IN_ISDIR;
