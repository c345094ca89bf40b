/*
 * RoCE v2 in software: CRC-32
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A byte string is a polynomial over GF(2), least significant bit of the
 * first byte first; its CRC is the remainder modulo
 * P = x^32 + x^26 + x^23 + x^22 + x^16 + x^12 + x^11 + x^10 + x^8 + x^7 +
 * x^5 + x^4 + x^2 + x + 1.
 */
#include "roce_frame.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define SLICES 16

/*
 * slice[k][v] is the remainder of the byte v with k bytes of zeroes behind
 * it.  Remainders add up, so a row follows from those of its eight single
 * bits, and these are x^32, x^33, ... mod P, row by row.
 */
#define BIT0(v, a) (v), (v) ^ (a)
#define BIT1(v, b, a) BIT0(v, a), BIT0((v) ^ (b), a)
#define BIT2(v, c, b, a) BIT1(v, b, a), BIT1((v) ^ (c), b, a)
#define BIT3(v, d, ...) BIT2(v, __VA_ARGS__), BIT2((v) ^ (d), __VA_ARGS__)
#define BIT4(v, e, ...) BIT3(v, __VA_ARGS__), BIT3((v) ^ (e), __VA_ARGS__)
#define BIT5(v, f, ...) BIT4(v, __VA_ARGS__), BIT4((v) ^ (f), __VA_ARGS__)
#define BIT6(v, g, ...) BIT5(v, __VA_ARGS__), BIT5((v) ^ (g), __VA_ARGS__)
#define ROW(h, ...) { BIT6(0u, __VA_ARGS__), BIT6(h, __VA_ARGS__) }

static const uint32_t slice[SLICES][256] = {
    ROW(0xedb88320, 0x76dc4190, 0x3b6e20c8, 0x1db71064,
        0x0edb8832, 0x076dc419, 0xee0e612c, 0x77073096),
    ROW(0x3b83984b, 0xf0794f05, 0x958424a2, 0x4ac21251,
        0xc8d98a08, 0x646cc504, 0x32366282, 0x191b3141),
    ROW(0xe1351b80, 0x709a8dc0, 0x384d46e0, 0x1c26a370,
        0x0e1351b8, 0x0709a8dc, 0x0384d46e, 0x01c26a37),
    ROW(0xed59b63b, 0x9b14583d, 0xa032af3e, 0x5019579f,
        0xc5b428ef, 0x8f629757, 0xaa09c88b, 0xb8bc6765),
    ROW(0xb1e6b092, 0x58f35849, 0xc1c12f04, 0x60e09782,
        0x30704bc1, 0xf580a6c0, 0x7ac05360, 0x3d6029b0),
    ROW(0x1eb014d8, 0x0f580a6c, 0x07ac0536, 0x03d6029b,
        0xec53826d, 0x9b914216, 0x4dc8a10b, 0xcb5cd3a5),
    ROW(0x8816eaf2, 0x440b7579, 0xcfbd399c, 0x67de9cce,
        0x33ef4e67, 0xf44f2413, 0x979f1129, 0xa6770bb4),
    ROW(0x533b85da, 0x299dc2ed, 0xf9766256, 0x7cbb312b,
        0xd3e51bb5, 0x844a0efa, 0x4225077d, 0xccaa009e),
    ROW(0x6655004f, 0xde920307, 0x82f182a3, 0xacc04271,
        0xbbd8a218, 0x5dec510c, 0x2ef62886, 0x177b1443),
    ROW(0xe6050901, 0x9eba07a0, 0x4f5d03d0, 0x27ae81e8,
        0x13d740f4, 0x09eba07a, 0x04f5d03d, 0xefc26b3e),
    ROW(0x77e1359f, 0xd64819ef, 0x869c8fd7, 0xaef6c4cb,
        0xbac3e145, 0xb0d97382, 0x586cb9c1, 0xc18edfc0),
    ROW(0x60c76fe0, 0x3063b7f0, 0x1831dbf8, 0x0c18edfc,
        0x060c76fe, 0x03063b7f, 0xec3b9e9f, 0x9ba54c6f),
    ROW(0xa06a2517, 0xbd8d91ab, 0xb37e4bf5, 0xb407a6da,
        0x5a03d36d, 0xc0b96a96, 0x605cb54b, 0xdd96d985),
    ROW(0x8373efe2, 0x41b9f7f1, 0xcd6478d8, 0x66b23c6c,
        0x33591e36, 0x19ac8f1b, 0xe16ec4ad, 0x9d0fe176),
    ROW(0x4e87f0bb, 0xcafb7b7d, 0x88c53e9e, 0x44629f4f,
        0xcf89cc87, 0x8a7c6563, 0xa886b191, 0xb9fbdbe8),
    ROW(0x5cfdedf4, 0x2e7ef6fa, 0x173f7b7d, 0xe6273e9e,
        0x73139f4f, 0xd4314c87, 0x87a02563, 0xae689191),
};

static uint32_t load_le32(const uint8_t *p)
{
    return p[0] | p[1] << 8 | p[2] << 16 | (uint32_t)p[3] << 24;
}

/* The part of four bytes, the last of which has @k bytes behind it. */
static uint32_t reduce4(uint32_t word, int k)
{
    return slice[k + 3][word & 0xff] ^ slice[k + 2][word >> 8 & 0xff] ^
           slice[k + 1][word >> 16 & 0xff] ^ slice[k][word >> 24];
}

static uint32_t reduce16(uint32_t crc, const uint8_t *p, const uint8_t *mask)
{
    return reduce4((load_le32(p) | load_le32(mask)) ^ crc, 12) ^
           reduce4(load_le32(p + 4) | load_le32(mask + 4), 8) ^
           reduce4(load_le32(p + 8) | load_le32(mask + 8), 4) ^
           reduce4(load_le32(p + 12) | load_le32(mask + 12), 0);
}

static const uint8_t no_mask[ROCE_CRC_MASK];

static const uint8_t *mask_at(const uint8_t *mask, size_t i)
{
    return i < ROCE_CRC_MASK ? mask + i : no_mask;
}

static uint32_t crc32_tables(uint32_t crc, const uint8_t *p, size_t len,
                             const uint8_t *mask)
{
    size_t i = 0;

    for (; len - i >= 16; i += 16) {
        crc = reduce16(crc, p + i, mask_at(mask, i));
    }
    for (; len - i >= 4; i += 4) {
        crc = reduce4((load_le32(p + i) | load_le32(mask_at(mask, i))) ^ crc,
                      0);
    }
    for (; i < len; i++) {
        crc = crc >> 8 ^ slice[0][(crc ^ (p[i] | *mask_at(mask, i))) & 0xff];
    }
    return crc;
}

uint32_t roce_crc32_portable(uint32_t crc, const void *buf, size_t len)
{
    return crc32_tables(crc, buf, len, no_mask);
}

uint32_t roce_crc32(uint32_t crc, const void *buf, size_t len)
{
    return roce_crc32_masked(crc, buf, len, no_mask);
}

#if defined(__x86_64__)

#define CLMUL __attribute__((target("pclmul,sse4.1")))
#define VCLMUL __attribute__((target("vpclmulqdq,avx2,pclmul,sse4.1")))

/*
 * Moving a block of 16 bytes over those between it and another that is d bits
 * behind: its halves times x^(d+32) and x^(d-32) mod P.  The factors are one
 * bit to the left, as a product of bit-reversed numbers comes out one bit to
 * the right.
 */
#define BY_16_BYTES 0x0ccaa009e, 0x1751997d0
#define BY_32_BYTES 0x15a546366, 0x0f1da05aa
#define BY_64_BYTES 0x1c6e41596, 0x154442bd4
#define BY_128_BYTES 0x14a7fe880, 0x1e88ef372

CLMUL static inline __m128i fold(__m128i block, __m128i by, __m128i onto)
{
    return _mm_xor_si128(onto,
                         _mm_xor_si128(_mm_clmulepi64_si128(block, by, 0x00),
                                       _mm_clmulepi64_si128(block, by, 0x11)));
}

CLMUL static inline __m128i load(const uint8_t *p)
{
    return _mm_loadu_si128((const __m128i *)p);
}

CLMUL static inline __m128i load_masked(const uint8_t *p, const uint8_t *mask)
{
    return _mm_or_si128(load(p), load(mask));
}

/*
 * What @acc stands for, and @n more bytes that end before @end: the first @n
 * bytes of @acc move over the block that the others make with those.
 */
CLMUL static inline __m128i append(__m128i acc, const uint8_t *end, size_t n)
{
    /* to choose bytes with; 0x80 chooses none */
    static const uint8_t index[48] = {
        0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
        0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
        0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
        0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
    };
    __m128i to_end = load(index + n), to_start = load(index + 16 + n);
    __m128i onto = _mm_blendv_epi8(load(end - 16),
                                   _mm_shuffle_epi8(acc, to_start), to_end);

    return fold(_mm_shuffle_epi8(acc, to_end), _mm_set_epi64x(BY_16_BYTES),
                onto);
}

/* Modulo P, by multiplication with its inverse (Barrett) */
CLMUL static inline uint32_t reduce(__m128i acc)
{
    const __m128i to_96 = _mm_set_epi64x(BY_16_BYTES);
    const __m128i to_64 = _mm_set_epi64x(0, 0x163cd6124);
    const __m128i by_p = _mm_set_epi64x(0x1f7011641, 0x1db710641);
    const __m128i low = _mm_set_epi32(0, 0, 0, -1);
    __m128i quotient;

    acc = _mm_xor_si128(_mm_srli_si128(acc, 8),
                        _mm_clmulepi64_si128(acc, to_96, 0x10));
    acc = _mm_xor_si128(_mm_srli_si128(acc, 4),
                        _mm_clmulepi64_si128(_mm_and_si128(acc, low), to_64,
                                             0x00));
    quotient = _mm_clmulepi64_si128(_mm_and_si128(acc, low), by_p, 0x10);
    acc = _mm_xor_si128(acc,
                        _mm_clmulepi64_si128(_mm_and_si128(quotient, low),
                                             by_p, 0x00));
    return _mm_extract_epi32(acc, 1);
}

/* What @acc stands for, and @len bytes that follow; 16 are before @p. */
CLMUL static inline uint32_t finish(__m128i acc, const uint8_t *p, size_t len)
{
    for (; len >= 16; p += 16, len -= 16) {
        acc = fold(acc, _mm_set_epi64x(BY_16_BYTES), load(p));
    }
    return reduce(len ? append(acc, p + len, len) : acc);
}

#define CLMUL_MIN 64

CLMUL static uint32_t crc32_clmul(uint32_t crc, const uint8_t *p, size_t len,
                                  const uint8_t *mask)
{
    const __m128i by = _mm_set_epi64x(BY_64_BYTES);
    const __m128i by_one = _mm_set_epi64x(BY_16_BYTES);
    __m128i a = _mm_xor_si128(load_masked(p, mask),
                              _mm_cvtsi32_si128((int)crc));
    __m128i b = load_masked(p + 16, mask + 16);
    __m128i c = load_masked(p + 32, mask + 32);
    __m128i d = load_masked(p + 48, mask + 48);

    for (p += 64, len -= 64; len >= 64; p += 64, len -= 64) {
        a = fold(a, by, load(p));
        b = fold(b, by, load(p + 16));
        c = fold(c, by, load(p + 32));
        d = fold(d, by, load(p + 48));
    }
    a = fold(fold(fold(a, by_one, b), by_one, c), by_one, d);
    return finish(a, p, len);
}

/* The same with two blocks at a time */

VCLMUL static inline __m256i fold_two(__m256i two, __m256i by, __m256i onto)
{
    __m256i low = _mm256_clmulepi64_epi128(two, by, 0x00);
    __m256i high = _mm256_clmulepi64_epi128(two, by, 0x11);

    return _mm256_xor_si256(onto, _mm256_xor_si256(low, high));
}

VCLMUL static inline __m256i load_two(const uint8_t *p)
{
    return _mm256_loadu_si256((const __m256i *)p);
}

#define VCLMUL_MIN 128

VCLMUL static uint32_t crc32_vclmul(uint32_t crc, const uint8_t *p, size_t len,
                                    const uint8_t *mask)
{
    const __m256i by = _mm256_set_epi64x(BY_128_BYTES, BY_128_BYTES);
    const __m256i by_two = _mm256_set_epi64x(BY_32_BYTES, BY_32_BYTES);
    const __m256i start = _mm256_setr_epi32((int)crc, 0, 0, 0, 0, 0, 0, 0);
    __m256i a = _mm256_or_si256(load_two(p), load_two(mask));
    __m256i b = _mm256_or_si256(load_two(p + 32), load_two(mask + 32));
    __m256i c = load_two(p + 64), d = load_two(p + 96);

    a = _mm256_xor_si256(a, start);
    for (p += 128, len -= 128; len >= 128; p += 128, len -= 128) {
        a = fold_two(a, by, load_two(p));
        b = fold_two(b, by, load_two(p + 32));
        c = fold_two(c, by, load_two(p + 64));
        d = fold_two(d, by, load_two(p + 96));
    }
    a = fold_two(fold_two(fold_two(a, by_two, b), by_two, c), by_two, d);
    for (; len >= 32; p += 32, len -= 32) {
        a = fold_two(a, by_two, load_two(p));
    }
    return finish(fold(_mm256_castsi256_si128(a), _mm_set_epi64x(BY_16_BYTES),
                       _mm256_extracti128_si256(a, 1)), p, len);
}

uint32_t roce_crc32_masked(uint32_t crc, const void *buf, size_t len,
                           const uint8_t mask[ROCE_CRC_MASK])
{
    if (len >= VCLMUL_MIN && __builtin_cpu_supports("vpclmulqdq") &&
        __builtin_cpu_supports("avx2")) {
        return crc32_vclmul(crc, buf, len, mask);
    }
    if (len >= CLMUL_MIN && __builtin_cpu_supports("pclmul") &&
        __builtin_cpu_supports("sse4.1")) {
        return crc32_clmul(crc, buf, len, mask);
    }
    return crc32_tables(crc, buf, len, mask);
}

#else

uint32_t roce_crc32_masked(uint32_t crc, const void *buf, size_t len,
                           const uint8_t mask[ROCE_CRC_MASK])
{
    return crc32_tables(crc, buf, len, mask);
}

#endif
