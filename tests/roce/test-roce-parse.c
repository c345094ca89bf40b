/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames that are no RoCE, or no good RoCE. */
#include <glib.h>
#include <string.h>

#include "frames.h"

enum { IP = 14, UDP4 = IP + 20, BTH4 = UDP4 + 8, UDP6 = IP + 40, BTH6 = UDP6 + 8 };

/* From an allocation of exactly that size, for ASan's sake. */
static RoceParse parse(const uint8_t *data, size_t len, RocePacket *ret)
{
    g_autofree uint8_t *exact = g_malloc(MAX(len, 1));

    memcpy(exact + (len == 0), data, len);
    return roce_frame_parse(exact + (len == 0), len, ret);
}

static void assert_dgid(const RocePacket *have, bool ipv4)
{
    RocePacket want = frame_packet(&frame_cases[0], ipv4);

    g_assert_cmpmem(have->dgid, 16, want.dgid, 16);
}

/* Of no frame at all, nothing is looked at. */
static void test_nothing(void)
{
    RocePacket pkt;

    g_assert_cmpint(roce_frame_parse(NULL, 0, &pkt), ==, ROCE_PARSE_NOT_ROCE);
}

static void test_truncated(void)
{
    for (size_t i = 0; i < frame_cases_len; i++) {
        for (int ipv4 = 0; ipv4 < 2; ipv4++) {
            g_autoptr(GByteArray) frame = frame_golden(&frame_cases[i], ipv4);
            size_t ports_end = (ipv4 ? UDP4 : UDP6) + 4;

            for (size_t len = 0; len < frame->len; len++) {
                RocePacket pkt;
                RoceParse got = parse(frame->data, len, &pkt);

                g_assert_cmpint(got, ==, len < ports_end ? ROCE_PARSE_NOT_ROCE
                                                         : ROCE_PARSE_BAD);
                if (got == ROCE_PARSE_BAD) {
                    assert_dgid(&pkt, ipv4);
                }
            }
        }
    }
}

static void test_ethernet_padding(void)
{
    for (int ipv4 = 0; ipv4 < 2; ipv4++) {
        g_autoptr(GByteArray) frame = frame_golden(&frame_cases[4], ipv4);
        RocePacket pkt;

        g_byte_array_append(frame, (const uint8_t *)"padding", 7);
        g_assert_cmpint(roce_frame_parse(frame->data, frame->len, &pkt), ==,
                        ROCE_PARSE_OK);
        g_assert_cmpuint(pkt.payload_len, ==, FRAMES_PAYLOAD);
        g_assert_true(roce_frame_icrc_ok(&pkt));
    }
}

typedef struct Change {
    const char *name;
    size_t at;
    uint8_t value;
    RoceParse want;
    bool bad_checksum;             /* else it is made right again */
} Change;

static const Change changes4[] = {
    { "another ethertype", 13, 0x06, ROCE_PARSE_NOT_ROCE },
    { "IP version", IP, 0x65, ROCE_PARSE_NOT_ROCE },
    { "header too short", IP, 0x44, ROCE_PARSE_NOT_ROCE },
    { "header beyond the frame", IP, 0x4f, ROCE_PARSE_NOT_ROCE },
    { "type of service", IP + 1, 0xff, ROCE_PARSE_OK },
    { "IP length too great", IP + 3, 0x38, ROCE_PARSE_BAD },
    { "IP length too small", IP + 3, 0x30, ROCE_PARSE_BAD },
    { "IP length of headers only", IP + 3, 20, ROCE_PARSE_BAD },
    { "IP length zero", IP + 3, 0, ROCE_PARSE_BAD },
    { "IP length enormous", IP + 2, 0xff, ROCE_PARSE_BAD },
    { "identification", IP + 5, 7, ROCE_PARSE_OK },
    { "may be fragmented", IP + 6, 0, ROCE_PARSE_OK },
    { "first fragment", IP + 6, 0x20, ROCE_PARSE_BAD },
    { "later fragment", IP + 7, 1, ROCE_PARSE_NOT_ROCE },
    { "last fragment", IP + 6, 0x1f, ROCE_PARSE_NOT_ROCE },
    { "time to live", IP + 8, 1, ROCE_PARSE_OK },
    { "TCP", IP + 9, 6, ROCE_PARSE_NOT_ROCE },
    { "IP checksum", IP + 10, 0, ROCE_PARSE_BAD, true },
    { "source port", UDP4, 0, ROCE_PARSE_OK },
    { "destination port", UDP4 + 3, 0xb8, ROCE_PARSE_NOT_ROCE },
    { "UDP length too great", UDP4 + 5, 0x24, ROCE_PARSE_BAD },
    { "UDP length too small", UDP4 + 5, 0x1c, ROCE_PARSE_BAD },
    { "UDP length zero", UDP4 + 5, 0, ROCE_PARSE_BAD },
    { "UDP checksum", UDP4 + 6, 0x55, ROCE_PARSE_OK },
    { "opcode of none", BTH4, 0x15, ROCE_PARSE_BAD },
    { "opcode of UC", BTH4, 0x24, ROCE_PARSE_BAD },
    { "UD opcode of RC", BTH4, 0x60, ROCE_PARSE_BAD },
    { "congestion notification", BTH4, 0x81, ROCE_PARSE_BAD },
    { "payload in an acknowledge", BTH4, 0x11, ROCE_PARSE_BAD },
    { "payload shorter than headers", BTH4, 0x0a, ROCE_PARSE_BAD },
    { "header version", BTH4 + 1, 0xb1, ROCE_PARSE_BAD },
    { "migration state", BTH4 + 1, 0xf0, ROCE_PARSE_OK },
    { "congestion bits", BTH4 + 4, 0xc0, ROCE_PARSE_OK },
};

static const Change changes6[] = {
    { "IP version", IP, 0x40, ROCE_PARSE_NOT_ROCE },
    { "flow label", IP + 3, 0, ROCE_PARSE_OK },
    { "IP length too great", IP + 5, 0x24, ROCE_PARSE_BAD },
    { "IP length too small", IP + 5, 0x1c, ROCE_PARSE_BAD },
    { "IP length zero", IP + 5, 0, ROCE_PARSE_BAD },
    { "TCP", IP + 6, 6, ROCE_PARSE_NOT_ROCE },
    { "nothing follows", IP + 6, 59, ROCE_PARSE_NOT_ROCE },
    { "hop limit", IP + 7, 0, ROCE_PARSE_OK },
    { "destination port", UDP6 + 2, 0, ROCE_PARSE_NOT_ROCE },
    { "UDP length too small", UDP6 + 5, 0x1c, ROCE_PARSE_BAD },
    { "opcode of none", BTH6, 0xff, ROCE_PARSE_BAD },
    { "header version", BTH6 + 1, 0xbf, ROCE_PARSE_BAD },
};

static void try_changes(const Change *changes, size_t n, bool ipv4)
{
    for (size_t i = 0; i < n; i++) {
        g_autoptr(GByteArray) frame = frame_golden(&frame_cases[4], ipv4);
        RocePacket pkt;

        g_test_message("%s", changes[i].name);
        frame->data[changes[i].at] = changes[i].value;
        if (ipv4 && !changes[i].bad_checksum) {
            fix_ipv4_checksum(frame->data + IP);
        }
        g_assert_cmpint(parse(frame->data, frame->len, &pkt), ==,
                        changes[i].want);
        if (changes[i].want == ROCE_PARSE_BAD) {
            assert_dgid(&pkt, ipv4);
        }
    }
}

static void test_fields(void)
{
    try_changes(changes4, G_N_ELEMENTS(changes4), true);
    try_changes(changes6, G_N_ELEMENTS(changes6), false);
}

/* SEND only, with @rest between BTH and ICRC. */
static RoceParse parse_rest(const char *rest, uint8_t pad)
{
    g_autofree char *hex = g_strdup_printf("04%x0ffff0012345680abcdef%s",
                                           pad, rest);
    const FrameCase c = { 0x04, "", hex };
    g_autoptr(GByteArray) frame = frame_golden(&c, true);
    RocePacket pkt;

    return parse(frame->data, frame->len, &pkt);
}

static void test_padding(void)
{
    g_assert_cmpint(parse_rest("", 0), ==, ROCE_PARSE_OK);
    g_assert_cmpint(parse_rest("", 1), ==, ROCE_PARSE_BAD);
    g_assert_cmpint(parse_rest("61000000", 3), ==, ROCE_PARSE_OK);
    g_assert_cmpint(parse_rest("610000", 2), ==, ROCE_PARSE_BAD);
    g_assert_cmpint(parse_rest("6100000000", 0), ==, ROCE_PARSE_BAD);
}

static void test_payload_too_long(void)
{
    g_autofree char *most = g_strnfill(2 * ROCE_MAX_PAYLOAD, '5');
    g_autofree char *more = g_strconcat(most, "55555555", NULL);

    g_assert_cmpint(parse_rest(most, 0), ==, ROCE_PARSE_OK);
    g_assert_cmpint(parse_rest(more, 0), ==, ROCE_PARSE_BAD);
    g_assert_cmpint(parse_rest(more, 3), ==, ROCE_PARSE_BAD);
}

/* Puts @hex at @at, and has the result parsed. */
static RoceParse parse_with(bool ipv4, size_t at, const char *hex,
                            void (*fix)(uint8_t *frame, size_t extra))
{
    g_autoptr(GByteArray) frame = frame_golden(&frame_cases[4], ipv4);
    g_autoptr(GByteArray) with = g_byte_array_new();
    g_autoptr(GByteArray) extra = bytes_from_hex(hex);
    RocePacket pkt;
    RoceParse ret;

    g_byte_array_append(with, frame->data, at);
    g_byte_array_append(with, extra->data, extra->len);
    g_byte_array_append(with, frame->data + at, frame->len - at);
    if (fix) {
        fix(with->data, extra->len);
    }
    ret = parse(with->data, with->len, &pkt);
    if (ret == ROCE_PARSE_BAD) {
        assert_dgid(&pkt, ipv4);
    }
    for (size_t len = 0; len < with->len; len++) {
        g_assert_cmpint(parse(with->data, len, &pkt), !=, ROCE_PARSE_OK);
    }
    return ret;
}

static void test_tags(void)
{
    for (int ipv4 = 0; ipv4 < 2; ipv4++) {
        g_assert_cmpint(parse_with(ipv4, 12, "81000001", NULL), ==,
                        ROCE_PARSE_BAD);
        g_assert_cmpint(parse_with(ipv4, 12, "88a8000181000002", NULL), ==,
                        ROCE_PARSE_BAD);
        g_assert_cmpint(parse_with(ipv4, 12, "810000010806", NULL), ==,
                        ROCE_PARSE_NOT_ROCE);
    }
}

static void longer_ipv4(uint8_t *frame, size_t extra)
{
    frame[IP] += extra / 4;
    frame[IP + 3] += extra;
    fix_ipv4_checksum(frame + IP);
}

static void test_ipv4_options(void)
{
    g_assert_cmpint(parse_with(true, UDP4, "01010101", longer_ipv4), ==,
                    ROCE_PARSE_BAD);
    g_assert_cmpint(parse_with(true, UDP4, "0101010101010101", longer_ipv4),
                    ==, ROCE_PARSE_BAD);
}

static void longer_ipv6(uint8_t *frame, size_t extra)
{
    frame[IP + 5] += extra;
    frame[IP + 6] = frame[UDP6 + 1];     /* which the cases put there */
    frame[UDP6 + 1] = 0;
}

/* The second byte is the header's own type; its length is then zero. */
static void test_ipv6_extensions(void)
{
    static const struct { const char *hex; RoceParse want; } rows[] = {
        { "1100010400000000", ROCE_PARSE_BAD },          /* hop by hop */
        { "112b000000000000", ROCE_PARSE_BAD },          /* routing */
        { "113c010400000000", ROCE_PARSE_BAD },          /* destination */
        { "112c000100000001", ROCE_PARSE_BAD },          /* first fragment */
        { "112c000800000001", ROCE_PARSE_NOT_ROCE },     /* later fragment */
        { "062c000000000001", ROCE_PARSE_NOT_ROCE },     /* TCP */
        { "3b3c010400000000", ROCE_PARSE_NOT_ROCE },     /* nothing */
        { "1133000000000000", ROCE_PARSE_NOT_ROCE },     /* authentication */
        { "3c00010400000000" "1100010400000000", ROCE_PARSE_BAD },
        { "2c3c010400000000" "1100000800000001", ROCE_PARSE_NOT_ROCE },
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_assert_cmpint(parse_with(false, UDP6, rows[i].hex, longer_ipv6), ==,
                        rows[i].want);
    }
}

static void test_opcodes(void)
{
    unsigned known = 0;

    for (int opcode = 0; opcode < 256; opcode++) {
        known += roce_op_headers(opcode) >= 0;
    }
    g_assert_cmpuint(known, ==, frame_cases_len);
    for (size_t i = 0; i < frame_cases_len; i++) {
        g_assert_cmpint(roce_op_headers(frame_cases[i].opcode), >=, 0);
    }
}

static void test_noise(void)
{
    g_autoptr(GByteArray) frame = NULL;
    RocePacket pkt;

    for (int i = 0; i < 20000; i++) {
        g_clear_pointer(&frame, g_byte_array_unref);
        frame = frame_golden(&frame_cases[i % frame_cases_len], i & 1);
        for (int n = g_test_rand_int_range(1, 8); n > 0; n--) {
            frame->data[g_test_rand_int_range(12, frame->len)] =
                g_test_rand_int_range(0, 256);
        }
        if (i & 1) {
            fix_ipv4_checksum(frame->data + IP);
        }
        if (roce_frame_parse(frame->data, frame->len, &pkt) == ROCE_PARSE_OK) {
            g_assert_true(pkt.payload >= frame->data);
            g_assert_true(pkt.payload + pkt.payload_len <=
                          frame->data + frame->len);
            roce_frame_icrc_ok(&pkt);
        }
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/roce/parse/nothing", test_nothing);
    g_test_add_func("/roce/parse/truncated", test_truncated);
    g_test_add_func("/roce/parse/ethernet-padding", test_ethernet_padding);
    g_test_add_func("/roce/parse/fields", test_fields);
    g_test_add_func("/roce/parse/padding", test_padding);
    g_test_add_func("/roce/parse/payload-too-long", test_payload_too_long);
    g_test_add_func("/roce/parse/tags", test_tags);
    g_test_add_func("/roce/parse/ipv4-options", test_ipv4_options);
    g_test_add_func("/roce/parse/ipv6-extensions", test_ipv6_extensions);
    g_test_add_func("/roce/parse/opcodes", test_opcodes);
    g_test_add_func("/roce/parse/noise", test_noise);
    return g_test_run();
}
