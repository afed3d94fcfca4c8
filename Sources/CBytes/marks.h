// Finds what the structure of a JSON text hangs on, 64 bytes at a time, after the first stage of
// simdjson (Langdale and Lemire, "Parsing gigabytes of JSON per second", 2019).
#pragma once
#include "shim.h"

// How far the number has come in whose middle 64 bytes end: 1 = the first byte of the next ones is
// to be, or goes on with, what the name says.
typedef struct {
  uint64_t first, behind_zero, whole, decimal, fraction, power, exponent_first, exponent;
} cbytes_number;

// What is carried from one chunk of a text to the next.
typedef struct {
  uint64_t in_string;  // all bits inside a string
  uint64_t escaped;  // 1: the first byte is escaped by the last one before it
  uint64_t scalar;  // 1: the last byte was one of a number or word
  uint64_t string_end;  // 1: the last byte was the quote behind a string
  uint64_t wrong;  // not 0: a string has a control character, or a number is none
  cbytes_number number;
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

// Which of 64 bytes are what.
typedef struct {
  uint64_t space, separator, bracket, control, backslash, quote;
} cbytes_classes;

// Of bytes by their low four bits. A byte of more than 7 bits finds 0 in a table, one that is not
// listed 0x80: neither is itself.
#define CBYTES_NO ((char)0x80)
#define CBYTES_SPACES                                                                             \
  ' ', CBYTES_NO, CBYTES_NO, CBYTES_NO, CBYTES_NO, CBYTES_NO, CBYTES_NO, CBYTES_NO, CBYTES_NO,    \
      '\t', '\n', CBYTES_NO, CBYTES_NO, '\r', CBYTES_NO, CBYTES_NO
#define CBYTES_SEPARATORS                                                                         \
  CBYTES_NO, CBYTES_NO, CBYTES_NO, CBYTES_NO, CBYTES_NO, CBYTES_NO, CBYTES_NO, CBYTES_NO,         \
      CBYTES_NO, CBYTES_NO, ':', CBYTES_NO, ',', CBYTES_NO, CBYTES_NO, CBYTES_NO
#define CBYTES_BRACES                                                                             \
  CBYTES_NO, CBYTES_NO, CBYTES_NO, CBYTES_NO, CBYTES_NO, CBYTES_NO, CBYTES_NO, CBYTES_NO,         \
      CBYTES_NO, CBYTES_NO, CBYTES_NO, '{', CBYTES_NO, '}', CBYTES_NO, CBYTES_NO

CBYTES_MARKS_TARGET static inline cbytes_classes cbytes_classes_avx2(__m256i low, __m256i high) {
  const __m256i blank = _mm256_set1_epi8(0x20), control = _mm256_set1_epi8(0x1F);
  cbytes_classes found;
  found.space = cbytes_listed(low, high, CBYTES_TWICE(CBYTES_SPACES));
  found.separator = cbytes_listed(low, high, CBYTES_TWICE(CBYTES_SEPARATORS));
  found.bracket = cbytes_listed(
      _mm256_or_si256(low, blank), _mm256_or_si256(high, blank), CBYTES_TWICE(CBYTES_BRACES));
  found.control = cbytes_mask(
      _mm256_cmpeq_epi8(_mm256_max_epu8(low, control), control),
      _mm256_cmpeq_epi8(_mm256_max_epu8(high, control), control));
  found.backslash = cbytes_equal(low, high, '\\');
  found.quote = cbytes_equal(low, high, '"');
  return found;
}

// The marks of 64 bytes, see cbytes_mark; and which bytes are those of numbers and words.
typedef struct {
  uint64_t marks, scalar, scalar_start;
} cbytes_found;

CBYTES_MARKS_TARGET static inline cbytes_found cbytes_marks_64(
    cbytes_classes classes, cbytes_marks *carry) {
  const uint64_t backslash = classes.backslash;
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
  const uint64_t quote = classes.quote & ~escaped;
  // From each opening quote to before the closing one: the product without carries by all ones.
  const uint64_t inside =
      (uint64_t)_mm_cvtsi128_si64(_mm_clmulepi64_si128(
          _mm_set_epi64x(0, (int64_t)quote), _mm_set1_epi8((char)0xFF), 0))
      ^ carry->in_string;
  carry->in_string = (uint64_t)((int64_t)inside >> 63);
  carry->wrong |= classes.control & inside;
  cbytes_found found;
  found.scalar = ~(inside | quote | classes.separator | classes.bracket | classes.space);
  const uint64_t string_end = quote & ~inside;
  found.scalar_start = found.scalar & ~(found.scalar << 1 | carry->scalar);
  const uint64_t hidden = classes.separator & (string_end << 1 | carry->string_end);
  carry->scalar = found.scalar >> 63;
  carry->string_end = string_end >> 63;
  found.marks = quote | found.scalar_start | (escape & inside) | (classes.bracket & ~inside)
                | (classes.separator & ~inside & ~hidden);
  return found;
}

// Which of 64 bytes can be what in a number.
typedef struct {
  uint64_t digit, zero, minus, sign, point, power;
} cbytes_number_classes;

CBYTES_MARKS_TARGET static inline cbytes_number_classes cbytes_number_classes_avx2(
    __m256i low, __m256i high) {
  const __m256i nine = _mm256_set1_epi8(9), blank = _mm256_set1_epi8(0x20);
  const __m256i low_value = _mm256_sub_epi8(low, _mm256_set1_epi8('0'));
  const __m256i high_value = _mm256_sub_epi8(high, _mm256_set1_epi8('0'));
  cbytes_number_classes found;
  found.digit = cbytes_mask(
      _mm256_cmpeq_epi8(_mm256_min_epu8(low_value, nine), low_value),
      _mm256_cmpeq_epi8(_mm256_min_epu8(high_value, nine), high_value));
  found.zero = cbytes_equal(low, high, '0');
  found.minus = cbytes_equal(low, high, '-');
  found.sign = found.minus | cbytes_equal(low, high, '+');
  found.point = cbytes_equal(low, high, '.');
  found.power = cbytes_equal(_mm256_or_si256(low, blank), _mm256_or_si256(high, blank), 'e');
  return found;
}

// The bits one place further on, behind what is carried from the last 64.
static inline uint64_t cbytes_next(uint64_t bits, uint64_t *carry) {
  const uint64_t next = bits << 1 | *carry;
  *carry = bits >> 63;
  return next;
}

// The places behind the runs that begin at some places: a sum carries through each of them.
static inline uint64_t cbytes_behind(uint64_t places, uint64_t runs, uint64_t *carry) {
  uint64_t sum;
  const uint64_t first = (uint64_t)__builtin_add_overflow(runs, places, &sum);
  *carry = first | (uint64_t)__builtin_add_overflow(sum, *carry, &sum);
  return sum & ~runs;
}

// Goes through the grammar of numbers for all numbers of 64 bytes at once, and says what is wrong.
// One that begins with neither a digit nor a minus is passed over.
static inline uint64_t cbytes_wrong_numbers(
    cbytes_found found, cbytes_number_classes of, cbytes_number *carry) {
  const uint64_t first =
      (found.scalar_start & of.digit) | cbytes_next(found.scalar_start & of.minus, &carry->first);
  uint64_t wrong = first & ~of.digit;
  wrong |= cbytes_next(first & of.zero, &carry->behind_zero) & of.digit;
  const uint64_t whole = cbytes_behind(first, of.digit, &carry->whole);
  const uint64_t point = whole & of.point;
  const uint64_t decimal = cbytes_next(point, &carry->decimal);
  wrong |= decimal & ~of.digit;
  const uint64_t mantissa =
      (whole & ~point) | cbytes_behind(decimal, of.digit, &carry->fraction);
  const uint64_t power = mantissa & of.power;
  const uint64_t behind_power = cbytes_next(power, &carry->power);
  const uint64_t sign = behind_power & of.sign;
  const uint64_t exponent = (behind_power & ~sign) | cbytes_next(sign, &carry->exponent_first);
  wrong |= exponent & ~of.digit;
  const uint64_t end =
      (mantissa & ~power) | cbytes_behind(exponent, of.digit, &carry->exponent);
  return wrong | (end & found.scalar);
}

// The last bytes, what they left unfinished, and all errors.
typedef struct {
  __m256i before, unfinished, errors;
} cbytes_utf8;

CBYTES_MARKS_TARGET static inline cbytes_utf8 cbytes_utf8_load(const cbytes_marks *state) {
  const __m256i *const saved = (const __m256i *)state->utf8;
  cbytes_utf8 utf8;
  utf8.before = _mm256_loadu_si256(saved);
  utf8.unfinished = _mm256_loadu_si256(saved + 1);
  utf8.errors = _mm256_loadu_si256(saved + 2);
  return utf8;
}

CBYTES_MARKS_TARGET static inline void cbytes_utf8_store(cbytes_utf8 utf8, cbytes_marks *state) {
  __m256i *const saved = (__m256i *)state->utf8;
  _mm256_storeu_si256(saved, utf8.before);
  _mm256_storeu_si256(saved + 1, utf8.unfinished);
  _mm256_storeu_si256(saved + 2, utf8.errors);
}

CBYTES_MARKS_TARGET static inline void cbytes_utf8_take(
    cbytes_utf8 *utf8, __m256i low, __m256i high, int is_ascii) {
  const __m256i unfinished_above = _mm256_setr_epi8(
      -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
      -1, -1, -1, -1, -1, -1, (char)(0xF0 - 1), (char)(0xE0 - 1), (char)(0xC0 - 1));
  if (is_ascii) {
    utf8->errors = _mm256_or_si256(utf8->errors, utf8->unfinished);
    utf8->unfinished = _mm256_setzero_si256();
  } else {
    utf8->errors = _mm256_or_si256(utf8->errors, cbytes_utf8_errors(low, utf8->before));
    utf8->errors = _mm256_or_si256(utf8->errors, cbytes_utf8_errors(high, low));
    utf8->unfinished = _mm256_subs_epu8(high, unfinished_above);
  }
  utf8->before = high;
}

CBYTES_MARKS_TARGET static inline size_t cbytes_mark_avx2(
    const uint8_t *bytes, size_t count, uint32_t offset, uint32_t *output, cbytes_marks *state) {
  cbytes_marks carry = *state;
  cbytes_utf8 utf8 = cbytes_utf8_load(state);
  uint32_t *next = output;
  for (size_t at = 0; at < count; at += 64) {
    const __m256i low = _mm256_loadu_si256((const __m256i *)(bytes + at));
    const __m256i high = _mm256_loadu_si256((const __m256i *)(bytes + at + 32));
    cbytes_utf8_take(
        &utf8, low, high, _mm256_movemask_epi8(_mm256_or_si256(low, high)) == 0);
    const uint64_t goes_on = carry.scalar;
    const cbytes_found found = cbytes_marks_64(cbytes_classes_avx2(low, high), &carry);
    if ((found.scalar | goes_on) != 0) {
      carry.wrong |= cbytes_wrong_numbers(
          found, cbytes_number_classes_avx2(low, high), &carry.number);
    }
    uint64_t marks = found.marks;
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
  cbytes_utf8_store(utf8, &carry);
  *state = carry;
  return (size_t)(next - output);
}

#define CBYTES_MARKS_WIDE \
  __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi2,avx2,bmi,popcnt,pclmul")))

CBYTES_MARKS_WIDE static inline uint64_t cbytes_listed_avx512(__m512i bytes, __m128i table) {
  return _mm512_cmpeq_epi8_mask(
      _mm512_shuffle_epi8(_mm512_broadcast_i32x4(table), bytes), bytes);
}

// The same with registers of 64 bytes.
CBYTES_MARKS_WIDE static inline size_t cbytes_mark_avx512(
    const uint8_t *bytes, size_t count, uint32_t offset, uint32_t *output, cbytes_marks *state) {
  uint8_t numbers[64];
  for (int each = 0; each < 64; each++) numbers[each] = (uint8_t)each;
  const __m512i all = _mm512_loadu_si512(numbers);
  cbytes_marks carry = *state;
  cbytes_utf8 utf8 = cbytes_utf8_load(state);
  uint32_t *next = output;
  for (size_t at = 0; at < count; at += 64) {
    const __m512i input = _mm512_loadu_si512(bytes + at);
    cbytes_utf8_take(
        &utf8, _mm512_castsi512_si256(input), _mm512_extracti64x4_epi64(input, 1),
        _mm512_movepi8_mask(input) == 0);
    const __m512i small = _mm512_or_si512(input, _mm512_set1_epi8(0x20));
    cbytes_classes classes;
    classes.space = cbytes_listed_avx512(input, _mm_setr_epi8(CBYTES_SPACES));
    classes.separator = cbytes_listed_avx512(input, _mm_setr_epi8(CBYTES_SEPARATORS));
    classes.bracket = cbytes_listed_avx512(small, _mm_setr_epi8(CBYTES_BRACES));
    classes.control = _mm512_cmple_epu8_mask(input, _mm512_set1_epi8(0x1F));
    classes.backslash = _mm512_cmpeq_epi8_mask(input, _mm512_set1_epi8('\\'));
    classes.quote = _mm512_cmpeq_epi8_mask(input, _mm512_set1_epi8('"'));
    const uint64_t goes_on = carry.scalar;
    const cbytes_found found = cbytes_marks_64(classes, &carry);
    if ((found.scalar | goes_on) != 0) {
      cbytes_number_classes of;
      of.digit = _mm512_cmple_epu8_mask(
          _mm512_sub_epi8(input, _mm512_set1_epi8('0')), _mm512_set1_epi8(9));
      of.zero = _mm512_cmpeq_epi8_mask(input, _mm512_set1_epi8('0'));
      of.minus = _mm512_cmpeq_epi8_mask(input, _mm512_set1_epi8('-'));
      of.sign = of.minus | _mm512_cmpeq_epi8_mask(input, _mm512_set1_epi8('+'));
      of.point = _mm512_cmpeq_epi8_mask(input, _mm512_set1_epi8('.'));
      of.power = _mm512_cmpeq_epi8_mask(small, _mm512_set1_epi8('e'));
      carry.wrong |= cbytes_wrong_numbers(found, of, &carry.number);
    }
    const uint64_t marks = found.marks;
    if (marks == 0) continue;
    uint32_t *const end = next + _mm_popcnt_u64(marks);
    const __m512i base = _mm512_set1_epi32((int)(offset + (uint32_t)at));
    __m512i places = _mm512_maskz_compress_epi8(marks, all);
    // Sixteen at once, and what is too much is written over by the next ones.
    do {
      _mm512_storeu_si512(
          next, _mm512_add_epi32(base, _mm512_cvtepu8_epi32(_mm512_castsi512_si128(places))));
      places = _mm512_shuffle_i32x4(places, places, 0x39);
      next += 16;
    } while (next < end);
    next = end;
  }
  cbytes_utf8_store(utf8, &carry);
  *state = carry;
  return (size_t)(next - output);
}

// Whether this processor can mark.
static inline int cbytes_can_mark(void) {
  return CBYTES_HAS_AVX2 && __builtin_cpu_supports("bmi")
         && __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("pclmul");
}

// Whether it can with registers of 64 bytes.
static inline int cbytes_can_mark_wide(void) {
  return CBYTES_WIDEST >= 512 && cbytes_can_mark() && __builtin_cpu_supports("avx512f")
         && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")
         && __builtin_cpu_supports("avx512vbmi2");
}

// Writes the offsets of the bytes of a JSON text that its structure hangs on, in their order, and
// says how many: both quotes of a string and each backslash in it that escapes; the first byte of
// each run that is a number or word, or should be; brackets; commas and colons, but for one right
// behind the closing quote of a string. Everything else that is not in a string or such a run is
// white space.
//
// 'count' is a multiple of 64; the output has room for as many, and 16 more.
static inline size_t cbytes_mark(
    const uint8_t *bytes, size_t count, uint32_t offset, uint32_t *output, cbytes_marks *state) {
  return cbytes_can_mark_wide() ? cbytes_mark_avx512(bytes, count, offset, output, state)
                                : cbytes_mark_avx2(bytes, count, offset, output, state);
}

#else

static inline int cbytes_can_mark(void) { return 0; }

static inline size_t cbytes_mark(
    const uint8_t *bytes, size_t count, uint32_t offset, uint32_t *output, cbytes_marks *state) {
  return 0;
}

#endif

// Whether the marked bytes are well-formed UTF-8 without control characters in strings, and each run
// that begins with a digit or a minus is a number.
static inline int cbytes_marked_well(const cbytes_marks *state) {
  uint64_t wrong = state->wrong;
  for (int each = 4; each < 12; each++) wrong |= state->utf8[each];
  return wrong == 0;
}
