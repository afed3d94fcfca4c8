// Finds what the structure of a JSON text hangs on, 64 bytes at a time, after the first stage of
// simdjson (Langdale and Lemire, "Parsing gigabytes of JSON per second", 2019).
#pragma once
#include "shim.h"

// What is carried from one chunk of a text to the next.
typedef struct {
  uint64_t in_string;  // all bits inside a string
  uint64_t escaped;  // 1: the first byte is escaped by the last one before it
  uint64_t scalar;  // 1: the last byte was one of a number or word
  uint64_t value_end;  // 1: or the quote behind a string
  uint64_t control;  // not 0: a string has a control character
  uint64_t utf8[12];  // the last 32 bytes, what they left unfinished, and all errors
} cbytes_marks;

#if defined(__x86_64__)

#define CBYTES_MARKS_TARGET __attribute__((target("avx2,bmi,popcnt,pclmul")))

CBYTES_MARKS_TARGET static inline uint64_t cbytes_mask(__m256i low, __m256i high) {
  return (uint32_t)_mm256_movemask_epi8(low)
         | (uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32;
}

// Which bytes are those of the table at the place of their low four bits.
CBYTES_MARKS_TARGET static inline uint64_t cbytes_listed(
    __m256i low, __m256i high, __m256i table) {
  return cbytes_mask(
      _mm256_cmpeq_epi8(_mm256_shuffle_epi8(table, low), low),
      _mm256_cmpeq_epi8(_mm256_shuffle_epi8(table, high), high));
}

CBYTES_MARKS_TARGET static inline uint64_t cbytes_equal(__m256i low, __m256i high, char byte) {
  const __m256i wanted = _mm256_set1_epi8(byte);
  return cbytes_mask(_mm256_cmpeq_epi8(low, wanted), _mm256_cmpeq_epi8(high, wanted));
}

// The marks of 64 bytes, see cbytes_mark.
CBYTES_MARKS_TARGET static inline uint64_t cbytes_marks_64(
    __m256i low, __m256i high, cbytes_marks *carry) {
  // A byte of more than 7 bits finds 0 in a table, one that is not listed 0x80: neither is itself.
  const char no = (char)0x80;
  const __m256i spaces = CBYTES_TWICE(
      ' ', no, no, no, no, no, no, no, no, '\t', '\n', no, no, '\r', no, no);
  const __m256i separators = CBYTES_TWICE(
      no, no, no, no, no, no, no, no, no, no, ':', no, ',', no, no, no);
  const __m256i braces = CBYTES_TWICE(
      no, no, no, no, no, no, no, no, no, no, no, '{', no, '}', no, no);
  const __m256i blank = _mm256_set1_epi8(0x20), control = _mm256_set1_epi8(0x1F);
  const uint64_t space = cbytes_listed(low, high, spaces);
  const uint64_t separator = cbytes_listed(low, high, separators);
  const uint64_t bracket = cbytes_listed(
      _mm256_or_si256(low, blank), _mm256_or_si256(high, blank), braces);
  const uint64_t controls = cbytes_mask(
      _mm256_cmpeq_epi8(_mm256_max_epu8(low, control), control),
      _mm256_cmpeq_epi8(_mm256_max_epu8(high, control), control));
  const uint64_t backslash = cbytes_equal(low, high, '\\');
  uint64_t escape = 0, escaped = carry->escaped;
  if (backslash != 0) {
    // Of a run of backslashes every other one escapes; a carry goes through the whole run.
    const uint64_t odd = 0xAAAAAAAAAAAAAAAA;
    const uint64_t first = backslash & ~escaped;
    const uint64_t ends = (((first << 1) | odd) - first) ^ odd;
    escape = ends & backslash;
    escaped = ends ^ (backslash | escaped);
    carry->escaped = escape >> 63;
  } else {
    carry->escaped = 0;
  }
  const uint64_t quote = cbytes_equal(low, high, '"') & ~escaped;
  // From each opening quote to before the closing one: the product without carries by all ones.
  const uint64_t inside =
      (uint64_t)_mm_cvtsi128_si64(_mm_clmulepi64_si128(
          _mm_set_epi64x(0, (int64_t)quote), _mm_set1_epi8((char)0xFF), 0))
      ^ carry->in_string;
  carry->in_string = (uint64_t)((int64_t)inside >> 63);
  carry->control |= controls & inside;
  const uint64_t scalar = ~(inside | quote | separator | bracket | space);
  const uint64_t value_end = scalar | (quote & ~inside);
  const uint64_t scalar_start = scalar & ~(scalar << 1 | carry->scalar);
  const uint64_t hidden = separator & (value_end << 1 | carry->value_end);
  carry->scalar = scalar >> 63;
  carry->value_end = value_end >> 63;
  return quote | scalar_start | (escape & inside) | (bracket & ~inside)
         | (separator & ~inside & ~hidden);
}

CBYTES_MARKS_TARGET static inline size_t cbytes_mark_avx2(
    const uint8_t *bytes, size_t count, uint32_t offset, uint32_t *output, cbytes_marks *state) {
  const __m256i unfinished_above = _mm256_setr_epi8(
      -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
      -1, -1, -1, -1, -1, -1, (char)(0xF0 - 1), (char)(0xE0 - 1), (char)(0xC0 - 1));
  cbytes_marks carry = *state;
  __m256i before = _mm256_loadu_si256((const __m256i *)state->utf8);
  __m256i unfinished = _mm256_loadu_si256((const __m256i *)state->utf8 + 1);
  __m256i errors = _mm256_loadu_si256((const __m256i *)state->utf8 + 2);
  uint32_t *next = output;
  for (size_t at = 0; at < count; at += 64) {
    const __m256i low = _mm256_loadu_si256((const __m256i *)(bytes + at));
    const __m256i high = _mm256_loadu_si256((const __m256i *)(bytes + at + 32));
    if (_mm256_movemask_epi8(_mm256_or_si256(low, high)) == 0) {
      errors = _mm256_or_si256(errors, unfinished);
      unfinished = _mm256_setzero_si256();
    } else {
      errors = _mm256_or_si256(errors, cbytes_utf8_errors(low, before));
      errors = _mm256_or_si256(errors, cbytes_utf8_errors(high, low));
      unfinished = _mm256_subs_epu8(high, unfinished_above);
    }
    before = high;
    uint64_t marks = cbytes_marks_64(low, high, &carry);
    if (marks == 0) continue;
    uint32_t *const end = next + _mm_popcnt_u64(marks);
    const uint32_t base = offset + (uint32_t)at;
    // Eight at once, and what is too much is written over by the next ones.
    do {
      for (int each = 0; each < 8; each++) {
        next[each] = base + (uint32_t)_tzcnt_u64(marks);
        marks = _blsr_u64(marks);
      }
      next += 8;
    } while (next < end);
    next = end;
  }
  _mm256_storeu_si256((__m256i *)carry.utf8, before);
  _mm256_storeu_si256((__m256i *)carry.utf8 + 1, unfinished);
  _mm256_storeu_si256((__m256i *)carry.utf8 + 2, errors);
  *state = carry;
  return (size_t)(next - output);
}

// Whether this processor can mark.
static inline int cbytes_can_mark(void) {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi")
         && __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("pclmul");
}

// Writes the offsets of the bytes of a JSON text that its structure hangs on, in their order, and
// says how many: both quotes of a string and each backslash in it that escapes; the first byte of
// each run that is a number or word, or should be; brackets; commas and colons, but for one right
// behind the closing quote of a string or a number or word. Everything else that is not in a string
// or such a run is white space.
//
// 'count' is a multiple of 64; the output has room for as many, and 8 more.
static inline size_t cbytes_mark(
    const uint8_t *bytes, size_t count, uint32_t offset, uint32_t *output, cbytes_marks *state) {
  return cbytes_mark_avx2(bytes, count, offset, output, state);
}

// The length of the number whose first byte, a digit or minus, this is, with a byte behind it in 16
// bytes; 0 for what is no number or goes on.
static inline unsigned cbytes_number_16(const uint8_t *bytes) {
  const __m128i input = _mm_loadu_si128((const __m128i *)bytes);
  const __m128i values = _mm_sub_epi8(input, _mm_set1_epi8('0'));
  const unsigned digits = (unsigned)_mm_movemask_epi8(
      _mm_cmpeq_epi8(_mm_min_epu8(values, _mm_set1_epi8(9)), values));
  const unsigned dots = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(input, _mm_set1_epi8('.')));
  const unsigned minus = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(input, _mm_set1_epi8('-')));
  const unsigned plus = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(input, _mm_set1_epi8('+')));
  const unsigned powers = (unsigned)_mm_movemask_epi8(
      _mm_cmpeq_epi8(_mm_or_si128(input, _mm_set1_epi8(0x20)), _mm_set1_epi8('e')));
  const unsigned length =
      (unsigned)__builtin_ctz(~(digits | dots | minus | plus | powers) | 0x10000);
  const unsigned all = (1u << length) - 1;
  const unsigned signs = (minus | plus) & all, dot = dots & all, power = powers & all;
  const unsigned digit = digits & all;
  // The first byte of the digits before the point, and whether it is a zero with more behind it.
  const unsigned first = 1u + (minus & 1);
  const unsigned zero = bytes[minus & 1] == '0' ? first : 0;
  const unsigned wrong =
      (length - 1 > 14)  // nothing, or sixteen and perhaps more
      | (first & ~digit) | ((zero << 1) & digit)
      | (dot & (dot - 1)) | (power & (power - 1))  // one of each
      | (power != 0 && dot > power)
      // a point between digits, a power behind one, a sign in front of one
      | (dot & ~(digit << 1)) | (dot & ~(digit >> 1)) | (power & ~(digit << 1))
      | (signs & ~(digit >> 1))
      // a sign at the beginning or behind a power, which is no end
      | (signs & ~(power << 1) & ~1u) | (power & ~((digit | signs) >> 1));
  return wrong == 0 ? length : 0;
}

#else

static inline int cbytes_can_mark(void) { return 0; }

static inline size_t cbytes_mark(
    const uint8_t *bytes, size_t count, uint32_t offset, uint32_t *output, cbytes_marks *state) {
  return 0;
}

static inline unsigned cbytes_number_16(const uint8_t *bytes) { return 0; }

#endif

// Whether the marked bytes are well-formed UTF-8 without control characters in strings.
static inline int cbytes_marked_well(const cbytes_marks *state) {
  uint64_t wrong = state->control;
  for (int each = 4; each < 12; each++) wrong |= state->utf8[each];
  return wrong == 0;
}
