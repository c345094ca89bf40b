/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <glib.h>
#include <string.h>

#include "frames.h"

static void assert_same(const GByteArray *have, const GByteArray *want)
{
    g_assert_cmpmem(have->data, have->len, want->data, want->len);
}

static void test_built(void)
{
    for (size_t i = 0; i < frame_cases_len; i++) {
        for (int ipv4 = 0; ipv4 < 2; ipv4++) {
            g_autoptr(GByteArray) want = frame_golden(&frame_cases[i], ipv4);
            g_autoptr(GByteArray) have = frame_built(&frame_cases[i], ipv4);

            g_test_message("%s", frame_cases[i].name);
            assert_same(have, want);
        }
    }
}

/* So that the golden frames' own arithmetic is not all there is. */
static void test_literal(void)
{
    static const FrameCase send = { 0x04, "SEND only", NULL };
    g_autoptr(GByteArray) ipv4 = frame_built(&send, true);
    g_autoptr(GByteArray) ipv6 = frame_built(&send, false);
    g_autoptr(GByteArray) want4 = bytes_from_hex(
        "02aabbccdd0202aabbccdd010800"
        "45020034000040003f1127b50a0000010a000002" "e34112b700200000"
        "04b0ffff0012345680abcdef" "6162636465000000" "f531c844");
    g_autoptr(GByteArray) want6 = bytes_from_hex(
        "02aabbccdd0202aabbccdd0186dd" "602123450020113f"
        "20010db800000000000000000000000120010db8000000000000000000000002"
        "e34112b700200000" "04b0ffff0012345680abcdef" "6162636465000000"
        "a3505327");

    assert_same(ipv4, want4);
    assert_same(ipv6, want6);
}

/* A congestion notification captured from a ConnectX-4 Lx. */
static void test_captured_icrc(void)
{
    g_autoptr(GByteArray) ip = bytes_from_hex(
        "45c2003c718c4000401191610a0011010a001201" "000012b700280000"
        "8100ffff4000011800000000" "00000000000000000000000000000000"
        "82fd002a");
    const uint8_t *icrc = ip->data + ip->len - 4;

    g_assert_cmphex(slow_icrc(ip->data, ip->len - 4), ==,
                    icrc[0] | icrc[1] << 8 | icrc[2] << 16 |
                    (uint32_t)icrc[3] << 24);
}

static void assert_same_fields(const RocePacket *a, const RocePacket *b)
{
    int h = roce_op_headers(a->opcode);

    g_assert_cmpmem(a->sgid, 16, b->sgid, 16);
    g_assert_cmpmem(a->dgid, 16, b->dgid, 16);
    g_assert_cmpmem(a->smac, 6, b->smac, 6);
    g_assert_cmpmem(a->dmac, 6, b->dmac, 6);
    g_assert_cmpint(a->ipv4, ==, b->ipv4);
    g_assert_cmphex(a->traffic_class, ==, b->traffic_class);
    g_assert_cmpuint(a->hop_limit, ==, b->hop_limit);
    g_assert_cmphex(a->ipv4 ? 0 : a->flow_label, ==, b->flow_label);
    g_assert_cmphex(a->opcode, ==, b->opcode);
    g_assert_cmpint(a->solicited, ==, b->solicited);
    g_assert_cmpint(a->ack_req, ==, b->ack_req);
    g_assert_cmphex(a->pkey, ==, b->pkey);
    g_assert_cmphex(a->dest_qpn, ==, b->dest_qpn);
    g_assert_cmphex(a->psn, ==, b->psn);
    if (h & (ROCE_HDR_RETH | ROCE_HDR_ATOMIC)) {
        g_assert_cmphex(a->va, ==, b->va);
        g_assert_cmphex(a->rkey, ==, b->rkey);
    }
    g_assert_true(!(h & ROCE_HDR_RETH) || a->dma_len == b->dma_len);
    g_assert_true(!(h & ROCE_HDR_ATOMIC) || a->swap_add == b->swap_add);
    g_assert_true(!(h & ROCE_HDR_ATOMIC) || a->compare == b->compare);
    g_assert_true(!(h & ROCE_HDR_AETH) || a->syndrome == b->syndrome);
    g_assert_true(!(h & ROCE_HDR_AETH) || a->msn == b->msn);
    g_assert_true(!(h & ROCE_HDR_ATOMIC_ACK) || a->orig == b->orig);
    g_assert_true(!(h & ROCE_HDR_IMM) || a->imm == b->imm);
    g_assert_true(!(h & ROCE_HDR_IETH) || a->inv_key == b->inv_key);
    g_assert_true(!(h & ROCE_HDR_DETH) || a->qkey == b->qkey);
    g_assert_true(!(h & ROCE_HDR_DETH) || a->src_qpn == b->src_qpn);
}

static void test_parsed(void)
{
    for (size_t i = 0; i < frame_cases_len; i++) {
        for (int ipv4 = 0; ipv4 < 2; ipv4++) {
            g_autoptr(GByteArray) golden = frame_golden(&frame_cases[i], ipv4);
            RocePacket want = frame_packet(&frame_cases[i], ipv4), have;

            g_test_message("%s", frame_cases[i].name);
            g_assert_cmpint(roce_frame_parse(golden->data, golden->len, &have),
                            ==, ROCE_PARSE_OK);
            assert_same_fields(&want, &have);
            g_assert_true(have.l3 == golden->data + 14);
            g_assert_cmpmem(have.payload, have.payload_len, "abcde",
                            want.payload_len);
            g_assert_true(roce_frame_icrc_ok(&have));
        }
    }
}

static void test_payload_lengths(void)
{
    g_autofree uint8_t *frame = g_malloc(ROCE_MAX_FRAME);

    for (uint32_t len = 0; len <= ROCE_MAX_PAYLOAD; len++) {
        RocePacket pkt = frame_packet(&frame_cases[len % 2 ? 4 : 11], len & 2);
        RocePacket have;
        size_t size;

        pkt.payload_len = len;
        memset(roce_frame_open(frame, &pkt), 0xa5, len);
        size = roce_frame_seal(frame, &pkt, true);
        g_assert_cmpuint(size, <=, ROCE_MAX_FRAME);
        g_assert_cmpint(roce_frame_parse(frame, size, &have), ==,
                        ROCE_PARSE_OK);
        g_assert_cmpuint(have.payload_len, ==, len);
        g_assert_true(roce_frame_icrc_ok(&have));
        g_assert_cmphex(slow_icrc(have.l3, size - 18), ==,
                        frame[size - 4] | frame[size - 3] << 8 |
                        frame[size - 2] << 16 |
                        (uint32_t)frame[size - 1] << 24);
    }
}

static void test_without_icrc(void)
{
    RocePacket pkt = frame_packet(&frame_cases[4], true), have;
    uint8_t frame[ROCE_MAX_FRAME];
    size_t len;

    memcpy(roce_frame_open(frame, &pkt), "abcde", 5);
    len = roce_frame_seal(frame, &pkt, false);
    g_assert_cmpmem(frame + len - 4, 4, "\0\0\0\0", 4);
    g_assert_cmpint(roce_frame_parse(frame, len, &have), ==, ROCE_PARSE_OK);
    g_assert_false(roce_frame_icrc_ok(&have));
}

/* Where routers may write, the ICRC does not look; and anywhere else it does. */
static void test_icrc_covers(void)
{
    for (int ipv4 = 0; ipv4 < 2; ipv4++) {
        g_autoptr(GByteArray) frame = frame_golden(&frame_cases[4], ipv4);
        size_t udp = ipv4 ? 34 : 54;

        for (size_t i = 14; i < frame->len; i++) {
            bool lengths = ipv4 ? i == 16 || i == 17 : i == 18 || i == 19;
            bool variant = ipv4 ? i == 15 || i == 22 || i == 24 || i == 25
                                : (i >= 14 && i <= 17) || i == 21;
            RocePacket pkt;

            g_assert_cmpint(roce_frame_parse(frame->data, frame->len, &pkt),
                            ==, ROCE_PARSE_OK);
            variant |= i == udp + 6 || i == udp + 7 || i == udp + 12;
            frame->data[i] ^= 0x01;
            g_assert_true(lengths || roce_frame_icrc_ok(&pkt) == variant);
            frame->data[i] ^= 0x01;
        }
    }
}

static uint16_t port_of(const RocePacket *pkt)
{
    uint8_t frame[ROCE_MAX_FRAME];
    size_t udp = pkt->ipv4 ? 34 : 54;

    roce_frame_open(frame, pkt);
    return frame[udp] << 8 | frame[udp + 1];
}

static void test_source_ports(void)
{
    RocePacket pkt = frame_packet(&frame_cases[4], true);
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);

    g_assert_cmphex(port_of(&pkt), ==, 0xe341);
    pkt.flow_label = 0;
    for (pkt.dest_qpn = 2; pkt.dest_qpn < 66; pkt.dest_qpn++) {
        uint16_t port = port_of(&pkt);

        g_assert_cmphex(port, >=, 0xc000);
        pkt.psn++;
        g_assert_cmphex(port_of(&pkt), ==, port);
        g_hash_table_add(seen, GUINT_TO_POINTER(port));
    }
    g_assert_cmpuint(g_hash_table_size(seen), >, 56);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/roce/frame/built", test_built);
    g_test_add_func("/roce/frame/literal", test_literal);
    g_test_add_func("/roce/frame/captured-icrc", test_captured_icrc);
    g_test_add_func("/roce/frame/parsed", test_parsed);
    g_test_add_func("/roce/frame/payload-lengths", test_payload_lengths);
    g_test_add_func("/roce/frame/without-icrc", test_without_icrc);
    g_test_add_func("/roce/frame/icrc-covers", test_icrc_covers);
    g_test_add_func("/roce/frame/source-ports", test_source_ports);
    return g_test_run();
}
