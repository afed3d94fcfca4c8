// What Swift's Glibc module does not show of events and threads.
#pragma once
#include <pthread.h>
#include <sys/eventfd.h>

static inline int csystem_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

/// Not shown without _GNU_SOURCE; the prototype is glibc's.
extern int pthread_setname_np(pthread_t thread, const char *name);
static inline void csystem_name_this_thread(const char *name) {
  pthread_setname_np(pthread_self(), name);
}
