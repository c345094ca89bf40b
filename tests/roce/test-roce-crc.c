/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <glib.h>
#include <string.h>

/* The file itself, to test those variants too that this CPU would not use. */
#include "roce_crc.c"

#define LENGTHS 5000
#define ALIGNMENTS 17

/* The definition, bit by bit. */
static uint32_t slow_crc(uint32_t crc, const uint8_t *p, size_t len)
{
    while (len--) {
        crc ^= *p++;
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
        }
    }
    return crc;
}

static uint8_t *random_bytes(size_t len)
{
    uint8_t *buf = g_malloc(len);

    for (size_t i = 0; i < len; i++) {
        buf[i] = g_test_rand_int_range(0, 256);
    }
    return buf;
}

static void test_known(void)
{
    uint8_t ones[8];

    memset(ones, 0xff, sizeof(ones));
    g_assert_cmphex(roce_crc32(~0u, "123456789", 9), ==, ~0xcbf43926u);
    g_assert_cmphex(roce_crc32_portable(~0u, "123456789", 9), ==, ~0xcbf43926u);
    g_assert_cmphex(roce_crc32(~0u, ones, sizeof(ones)), ==, 0xdebb20e3);
    g_assert_cmphex(roce_crc32(0x12345678, ones, 0), ==, 0x12345678);
}

/* All that this CPU can do must agree. */
static void assert_crc(uint32_t start, const uint8_t *p, size_t len,
                       uint32_t want)
{
    g_assert_cmphex(roce_crc32_portable(start, p, len), ==, want);
    g_assert_cmphex(roce_crc32(start, p, len), ==, want);
#if defined(__x86_64__)
    if (__builtin_cpu_supports("pclmul") && len >= CLMUL_MIN) {
        g_assert_cmphex(crc32_clmul(start, p, len, no_mask), ==, want);
    }
#endif
}

/* The CRC of a length is that of the length before, one byte on. */
static void test_lengths(void)
{
    g_autofree uint8_t *buf = random_bytes(LENGTHS);
    uint32_t want = 0x01234567;

    for (size_t len = 0; len < LENGTHS; len++) {
        assert_crc(0x01234567, buf, len, want);
        want = slow_crc(want, buf + len, 1);
    }
}

/* Ends at the end of an allocation: reads beyond it are seen under ASan. */
static void test_alignments(void)
{
    for (size_t offset = 0; offset < ALIGNMENTS; offset++) {
        for (size_t len = 0; len < 300; len++) {
            g_autofree uint8_t *buf = random_bytes(offset + len + 1);
            uint8_t *p = buf + offset + 1;

            assert_crc(~0u, p, len, slow_crc(~0u, p, len));
        }
    }
}

static void test_masked(void)
{
    g_autofree uint8_t *buf = random_bytes(300), *mask = random_bytes(64);
    uint8_t masked[300];

    for (size_t len = 0; len <= 300; len++) {
        uint32_t want;

        for (size_t i = 0; i < len; i++) {
            masked[i] = buf[i] | (i < 64 ? mask[i] : 0);
        }
        want = slow_crc(~0u, masked, len);
        g_assert_cmphex(roce_crc32_masked(~0u, buf, len, mask), ==, want);
        g_assert_cmphex(crc32_tables(~0u, buf, len, mask), ==, want);
    }
}

static void test_pieces(void)
{
    g_autofree uint8_t *buf = random_bytes(LENGTHS);
    uint32_t whole = roce_crc32(~0u, buf, LENGTHS);

    for (size_t cut = 0; cut <= LENGTHS; cut += 7) {
        uint32_t first = roce_crc32(~0u, buf, cut);

        g_assert_cmphex(roce_crc32(first, buf + cut, LENGTHS - cut), ==, whole);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/roce/crc/known", test_known);
    g_test_add_func("/roce/crc/lengths", test_lengths);
    g_test_add_func("/roce/crc/alignments", test_alignments);
    g_test_add_func("/roce/crc/masked", test_masked);
    g_test_add_func("/roce/crc/pieces", test_pieces);
    return g_test_run();
}
