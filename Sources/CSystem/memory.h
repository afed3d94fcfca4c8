// The memory allocator, and pages.
#pragma once
#include <malloc.h>
#include <stdint.h>
#include <sys/mman.h>

// Blocks of this size and more have pages of their own, which go back when they are freed.
static inline void csystem_return_blocks(int size_min) { mallopt(M_MMAP_THRESHOLD, size_min); }

// Asks for memory in pages of 2 MiB where whole ones lie within; only a wish.
static inline void csystem_prefer_large_pages(void *memory, size_t count) {
  const uintptr_t large = (uintptr_t)1 << 21;
  uintptr_t start = ((uintptr_t)memory + large - 1) & ~(large - 1);
  uintptr_t end = ((uintptr_t)memory + count) & ~(large - 1);
  if (start < end) (void)madvise((void *)start, end - start, MADV_HUGEPAGE);
}
