// The memory allocator.
#pragma once
#include <malloc.h>

// Blocks of this size and more have pages of their own, which go back when they are freed.
static inline void csystem_return_blocks(int size_min) { mallopt(M_MMAP_THRESHOLD, size_min); }
