// Looks at many bytes at once, for which Swift has no instructions: its SIMD masks are taken apart
// lane by lane. Each function has an answer that sends the caller to its own code, so that other
// processors only lose time.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

// The widest registers in bits that may be used where the processor has them: Tools/processors builds the
// tests with fewer, so that each way is taken by whole parsers on any machine.
#ifndef CBYTES_WIDEST
#define CBYTES_WIDEST 512
#endif

#if defined(__x86_64__)
#include <immintrin.h>

#define CBYTES_HAS_AVX2 (CBYTES_WIDEST >= 256 && __builtin_cpu_supports("avx2"))

#define CBYTES_AVX2 __attribute__((target("avx2")))

// Keiser and Lemire, "Validating UTF-8 in less than one instruction per byte" (2021): each pair of
// bytes is looked up by three of its nibbles, and a bit that is left names what is wrong with it.
enum {
  cbytes_too_short = 1 << 0,
  cbytes_too_long = 1 << 1,
  cbytes_overlong_3 = 1 << 2,
  cbytes_too_large = 1 << 3,
  cbytes_surrogate = 1 << 4,
  cbytes_overlong_2 = 1 << 5,
  cbytes_too_large_1000 = 1 << 6,
  cbytes_overlong_4 = 1 << 6,
  cbytes_two_continuations = 1 << 7,
  cbytes_carry = cbytes_too_short | cbytes_too_long | cbytes_two_continuations,
};

#define CBYTES_TWICE(...) _mm256_setr_epi8(__VA_ARGS__, __VA_ARGS__)

CBYTES_AVX2 static inline __m256i cbytes_utf8_errors(__m256i input, __m256i before) {
  const __m256i low_nibbles = _mm256_set1_epi8(0x0F);
  const __m256i carried = _mm256_permute2x128_si256(before, input, 0x21);
  const __m256i previous = _mm256_alignr_epi8(input, carried, 15);
  const __m256i first_high = _mm256_shuffle_epi8(
      CBYTES_TWICE(
          cbytes_too_long, cbytes_too_long, cbytes_too_long, cbytes_too_long, cbytes_too_long,
          cbytes_too_long, cbytes_too_long, cbytes_too_long, (char)cbytes_two_continuations,
          (char)cbytes_two_continuations, (char)cbytes_two_continuations,
          (char)cbytes_two_continuations, cbytes_too_short | cbytes_overlong_2, cbytes_too_short,
          cbytes_too_short | cbytes_overlong_3 | cbytes_surrogate,
          cbytes_too_short | cbytes_too_large | cbytes_too_large_1000 | cbytes_overlong_4),
      _mm256_and_si256(_mm256_srli_epi16(previous, 4), low_nibbles));
  const __m256i first_low = _mm256_shuffle_epi8(
      CBYTES_TWICE(
          (char)(cbytes_carry | cbytes_overlong_3 | cbytes_overlong_2 | cbytes_overlong_4),
          (char)(cbytes_carry | cbytes_overlong_2), (char)cbytes_carry, (char)cbytes_carry,
          (char)(cbytes_carry | cbytes_too_large),
          (char)(cbytes_carry | cbytes_too_large | cbytes_too_large_1000),
          (char)(cbytes_carry | cbytes_too_large | cbytes_too_large_1000),
          (char)(cbytes_carry | cbytes_too_large | cbytes_too_large_1000),
          (char)(cbytes_carry | cbytes_too_large | cbytes_too_large_1000),
          (char)(cbytes_carry | cbytes_too_large | cbytes_too_large_1000),
          (char)(cbytes_carry | cbytes_too_large | cbytes_too_large_1000),
          (char)(cbytes_carry | cbytes_too_large | cbytes_too_large_1000),
          (char)(cbytes_carry | cbytes_too_large | cbytes_too_large_1000),
          (char)(cbytes_carry | cbytes_too_large | cbytes_too_large_1000 | cbytes_surrogate),
          (char)(cbytes_carry | cbytes_too_large | cbytes_too_large_1000),
          (char)(cbytes_carry | cbytes_too_large | cbytes_too_large_1000)),
      _mm256_and_si256(previous, low_nibbles));
  const __m256i second_high = _mm256_shuffle_epi8(
      CBYTES_TWICE(
          cbytes_too_short, cbytes_too_short, cbytes_too_short, cbytes_too_short,
          cbytes_too_short, cbytes_too_short, cbytes_too_short, cbytes_too_short,
          (char)(cbytes_too_long | cbytes_overlong_2 | cbytes_two_continuations
                 | cbytes_overlong_3 | cbytes_too_large_1000 | cbytes_overlong_4),
          (char)(cbytes_too_long | cbytes_overlong_2 | cbytes_two_continuations
                 | cbytes_overlong_3 | cbytes_too_large),
          (char)(cbytes_too_long | cbytes_overlong_2 | cbytes_two_continuations
                 | cbytes_surrogate | cbytes_too_large),
          (char)(cbytes_too_long | cbytes_overlong_2 | cbytes_two_continuations
                 | cbytes_surrogate | cbytes_too_large),
          cbytes_too_short, cbytes_too_short, cbytes_too_short, cbytes_too_short),
      _mm256_and_si256(_mm256_srli_epi16(input, 4), low_nibbles));
  const __m256i pairs =
      _mm256_and_si256(_mm256_and_si256(first_high, first_low), second_high);
  // The third byte of three and the third and fourth of four must be continuations, and only they.
  const __m256i third = _mm256_subs_epu8(
      _mm256_alignr_epi8(input, carried, 14), _mm256_set1_epi8(0xE0 - 0x80));
  const __m256i fourth = _mm256_subs_epu8(
      _mm256_alignr_epi8(input, carried, 13), _mm256_set1_epi8(0xF0 - 0x80));
  const __m256i must = _mm256_and_si256(
      _mm256_or_si256(third, fourth), _mm256_set1_epi8((char)0x80));
  return _mm256_xor_si256(must, pairs);
}

CBYTES_AVX2 static inline int cbytes_is_utf8_avx2(const uint8_t *bytes, size_t count) {
  // A sequence that a block begins and does not end.
  const __m256i unfinished_above = _mm256_setr_epi8(
      -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
      -1, -1, -1, -1, -1, -1, (char)(0xF0 - 1), (char)(0xE0 - 1), (char)(0xC0 - 1));
  __m256i before = _mm256_setzero_si256();
  __m256i unfinished = _mm256_setzero_si256();
  __m256i errors = _mm256_setzero_si256();
  size_t at = 0;
  while (at < count) {
    __m256i input;
    if (count - at >= 32) {
      input = _mm256_loadu_si256((const __m256i *)(bytes + at));
    } else {
      uint8_t rest[32] = {0};
      for (size_t index = 0; index < count - at; index++) rest[index] = bytes[at + index];
      input = _mm256_loadu_si256((const __m256i *)rest);
    }
    if (_mm256_movemask_epi8(input) == 0) {
      errors = _mm256_or_si256(errors, unfinished);
      unfinished = _mm256_setzero_si256();
    } else {
      errors = _mm256_or_si256(errors, cbytes_utf8_errors(input, before));
      unfinished = _mm256_subs_epu8(input, unfinished_above);
    }
    before = input;
    at += 32;
  }
  errors = _mm256_or_si256(errors, unfinished);
  return _mm256_testz_si256(errors, errors);
}

CBYTES_AVX2 static inline size_t cbytes_plain_run_avx2(const uint8_t *bytes, size_t count) {
  size_t at = 0;
  while (count - at >= 32) {
    const __m256i input = _mm256_loadu_si256((const __m256i *)(bytes + at));
    const __m256i controls = _mm256_cmpeq_epi8(
        _mm256_max_epu8(input, _mm256_set1_epi8(0x1F)), _mm256_set1_epi8(0x1F));
    const __m256i found = _mm256_or_si256(
        controls, _mm256_or_si256(
                      _mm256_cmpeq_epi8(input, _mm256_set1_epi8('"')),
                      _mm256_cmpeq_epi8(input, _mm256_set1_epi8('\\'))));
    const uint32_t mask = (uint32_t)_mm256_movemask_epi8(found);
    if (mask != 0) return at + (size_t)__builtin_ctz(mask);
    at += 32;
  }
  return at;
}

// How many of 16 bytes come before the first quote, backslash or control character, or before the
// first byte of more than seven bits if 'suspects' has all bits set; 16 without one.
#if CBYTES_WIDEST >= 128
static inline unsigned cbytes_plain_16(const uint8_t *bytes, unsigned suspects) {
  const __m128i input = _mm_loadu_si128((const __m128i *)bytes);
  const __m128i controls =
      _mm_cmpeq_epi8(_mm_max_epu8(input, _mm_set1_epi8(0x1F)), _mm_set1_epi8(0x1F));
  const __m128i found = _mm_or_si128(
      controls, _mm_or_si128(
                    _mm_cmpeq_epi8(input, _mm_set1_epi8('"')),
                    _mm_cmpeq_epi8(input, _mm_set1_epi8('\\'))));
  const unsigned mask =
      (unsigned)_mm_movemask_epi8(found) | ((unsigned)_mm_movemask_epi8(input) & suspects);
  return (unsigned)__builtin_ctz(mask | 0x10000);
}
#endif

// 1: the bytes are well-formed UTF-8. 0: they are not, or this processor cannot tell quickly.
static inline int cbytes_is_utf8(const uint8_t *bytes, size_t count) {
  return CBYTES_HAS_AVX2 ? cbytes_is_utf8_avx2(bytes, count) : 0;
}

// How many bytes at least come before the first quote, backslash or control character.
static inline size_t cbytes_plain_run(const uint8_t *bytes, size_t count) {
  return CBYTES_HAS_AVX2 ? cbytes_plain_run_avx2(bytes, count) : 0;
}

#else

static inline int cbytes_is_utf8(const uint8_t *bytes, size_t count) { return 0; }
static inline size_t cbytes_plain_run(const uint8_t *bytes, size_t count) { return 0; }

#endif

#if !defined(__x86_64__) || CBYTES_WIDEST < 128
static inline unsigned cbytes_plain_16(const uint8_t *bytes, unsigned suspects) {
  unsigned at = 0;
  while (at < 16 && bytes[at] != '"' && bytes[at] != '\\' && bytes[at] >= 0x20
         && (bytes[at] < 0x80 || suspects == 0)) {
    at++;
  }
  return at;
}
#endif

// Asks for memory in pages of 2 MiB; only a wish.
static inline void cbytes_prefer_large_pages(void *memory, size_t count) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  (void)madvise(memory, count, MADV_HUGEPAGE);
#endif
}

// Declared here: the C library's own header shows it only where _GNU_SOURCE is set.
void *memmem(const void *haystack, size_t haystack_count, const void *needle, size_t needle_count);

// Where the first run of these bytes begins; NULL where there is none.
static inline const void *cbytes_find(
    const void *haystack, size_t haystack_count, const void *needle, size_t needle_count) {
  // Of a longer one the C library makes a table that it searches more slowly.
  size_t first = needle_count < 256 ? needle_count : 256;
  const uint8_t *at = (const uint8_t *)haystack, *end = at + haystack_count;
  const uint8_t *rest = (const uint8_t *)needle + first;
  while ((at = (const uint8_t *)memmem(at, (size_t)(end - at), needle, first)) != NULL) {
    if ((size_t)(end - at) < needle_count) return NULL;
    if (memcmp(at + first, rest, needle_count - first) == 0) return at;
    at += 1;
  }
  return NULL;
}
