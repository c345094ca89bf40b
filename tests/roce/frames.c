/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "frames.h"

#define BTH(opcode, flags) opcode flags "ffff" "00123456" "80abcdef"
#define RETH "0102030405060708" "11121314" "00010203"
#define ATOMIC "0102030405060708" "11121314" "2122232425262728" "3132333435363738"
#define AETH "1f414243"
#define ATOMIC_ACK "5152535455565758"
#define IMM "61626364"
#define IETH "71727374"
#define DETH "80010000" "000a0b0c"
#define DATA "6162636465" "000000"

/* Solicited is 80, and the pad count of five bytes 30. */
const FrameCase frame_cases[] = {
    { 0x00, "SEND first", BTH("00", "b0") DATA },
    { 0x01, "SEND middle", BTH("01", "b0") DATA },
    { 0x02, "SEND last", BTH("02", "b0") DATA },
    { 0x03, "SEND last with immediate", BTH("03", "b0") IMM DATA },
    { 0x04, "SEND only", BTH("04", "b0") DATA },
    { 0x05, "SEND only with immediate", BTH("05", "b0") IMM DATA },
    { 0x06, "WRITE first", BTH("06", "b0") RETH DATA },
    { 0x07, "WRITE middle", BTH("07", "b0") DATA },
    { 0x08, "WRITE last", BTH("08", "b0") DATA },
    { 0x09, "WRITE last with immediate", BTH("09", "b0") IMM DATA },
    { 0x0a, "WRITE only", BTH("0a", "b0") RETH DATA },
    { 0x0b, "WRITE only with immediate", BTH("0b", "b0") RETH IMM DATA },
    { 0x0c, "READ request", BTH("0c", "80") RETH },
    { 0x0d, "READ response first", BTH("0d", "b0") AETH DATA },
    { 0x0e, "READ response middle", BTH("0e", "b0") DATA },
    { 0x0f, "READ response last", BTH("0f", "b0") AETH DATA },
    { 0x10, "READ response only", BTH("10", "b0") AETH DATA },
    { 0x11, "acknowledge", BTH("11", "80") AETH },
    { 0x12, "atomic acknowledge", BTH("12", "80") AETH ATOMIC_ACK },
    { 0x13, "compare and swap", BTH("13", "80") ATOMIC },
    { 0x14, "fetch and add", BTH("14", "80") ATOMIC },
    { 0x16, "SEND last with invalidate", BTH("16", "b0") IETH DATA },
    { 0x17, "SEND only with invalidate", BTH("17", "b0") IETH DATA },
    { 0x64, "UD SEND only", BTH("64", "b0") DETH DATA },
    { 0x65, "UD SEND only with immediate", BTH("65", "b0") DETH IMM DATA },
};
const size_t frame_cases_len = G_N_ELEMENTS(frame_cases);

/* MACs, then zeroes where lengths and checksums go. */
#define ETH "02aabbccdd02" "02aabbccdd01"
#define IPV4 ETH "0800" "4502" "0000" "0000" "4000" "3f11" "0000" "0a000001" "0a000002"
#define IPV6 ETH "86dd" "60212345" "0000" "11" "3f" \
    "20010db8000000000000000000000001" "20010db8000000000000000000000002"
/* 0xc000 | (0x2345 ^ 0x4) of the flow label 0x12345 */
#define UDP "e341" "12b7" "0000" "0000"

GByteArray *bytes_from_hex(const char *hex)
{
    GByteArray *ret = g_byte_array_new();

    for (; *hex; hex += 2) {
        uint8_t byte = g_ascii_xdigit_value(hex[0]) << 4 |
                       g_ascii_xdigit_value(hex[1]);

        g_byte_array_append(ret, &byte, 1);
    }
    return ret;
}

static void set_be16(uint8_t *p, uint16_t v)
{
    p[0] = v >> 8;
    p[1] = v & 0xff;
}

void fix_ipv4_checksum(uint8_t *ip)
{
    uint32_t sum = 0;

    set_be16(ip + 10, 0);
    for (int i = 0; i < 20; i += 2) {
        sum += ip[i] << 8 | ip[i + 1];
    }
    while (sum > 0xffff) {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    set_be16(ip + 10, ~sum & 0xffff);
}

uint32_t slow_icrc(const uint8_t *ip, size_t len)
{
    g_autofree uint8_t *pseudo = g_malloc(8 + len);
    uint8_t *p = pseudo + 8;
    size_t bth = ip[0] >> 4 == 4 ? 28 : 48;
    uint32_t crc = ~0u;

    memset(pseudo, 0xff, 8);
    memcpy(p, ip, len);
    if (ip[0] >> 4 == 4) {
        p[1] = p[8] = p[10] = p[11] = 0xff;
    } else {
        p[0] = 0x6f;
        p[1] = p[2] = p[3] = p[7] = 0xff;
    }
    p[bth - 2] = p[bth - 1] = p[bth + 4] = 0xff;
    for (size_t i = 0; i < 8 + len; i++) {
        crc ^= pseudo[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
        }
    }
    return ~crc;
}

RocePacket frame_packet(const FrameCase *c, bool ipv4)
{
    RocePacket pkt = {
        .sgid = { [10] = 0xff, 0xff, 10, 0, 0, 1 },
        .dgid = { [10] = 0xff, 0xff, 10, 0, 0, 2 },
        .smac = { 2, 0xaa, 0xbb, 0xcc, 0xdd, 1 },
        .dmac = { 2, 0xaa, 0xbb, 0xcc, 0xdd, 2 },
        .ipv4 = ipv4,
        .traffic_class = 2,
        .hop_limit = 63,
        .flow_label = 0x12345,
        .opcode = c->opcode,
        .solicited = true,
        .ack_req = true,
        .pkey = ROCE_DEFAULT_PKEY,
        .dest_qpn = 0x123456,
        .psn = 0xabcdef,
        .va = 0x0102030405060708,
        .rkey = 0x11121314,
        .dma_len = 0x00010203,
        .swap_add = 0x2122232425262728,
        .compare = 0x3132333435363738,
        .syndrome = 0x1f,
        .msn = 0x414243,
        .orig = 0x5152535455565758,
        .inv_key = 0x71727374,
        .qkey = 0x80010000,
        .src_qpn = 0x0a0b0c,
    };
    static const uint8_t prefix[16] = { 0x20, 0x01, 0x0d, 0xb8 };

    memcpy(&pkt.imm, "abcd", 4);
    if (!ipv4) {
        memcpy(pkt.sgid, prefix, 16);
        memcpy(pkt.dgid, prefix, 16);
        pkt.sgid[15] = 1;
        pkt.dgid[15] = 2;
    }
    if (roce_op_headers(c->opcode) & ROCE_HDR_PAYLOAD) {
        pkt.payload_len = FRAMES_PAYLOAD;
    }
    return pkt;
}

GByteArray *frame_golden(const FrameCase *c, bool ipv4)
{
    g_autofree char *hex = g_strconcat(ipv4 ? IPV4 : IPV6, UDP, c->hex, NULL);
    GByteArray *ret = bytes_from_hex(hex);
    size_t ip_len = ret->len - 14, udp_offset = ipv4 ? 20 : 40;
    uint8_t *ip = ret->data + 14, trailer[4];
    uint32_t icrc;

    set_be16(ip + udp_offset + 4, ip_len + 4 - udp_offset);
    if (ipv4) {
        set_be16(ip + 2, ip_len + 4);
        fix_ipv4_checksum(ip);
    } else {
        set_be16(ip + 4, ip_len + 4 - udp_offset);
    }
    icrc = slow_icrc(ip, ip_len);
    for (int i = 0; i < 4; i++) {
        trailer[i] = icrc >> (8 * i);
    }
    return g_byte_array_append(ret, trailer, 4);
}

GByteArray *frame_built(const FrameCase *c, bool ipv4)
{
    RocePacket pkt = frame_packet(c, ipv4);
    uint8_t frame[ROCE_MAX_FRAME];

    memset(frame, 0xee, sizeof(frame));
    memcpy(roce_frame_open(frame, &pkt), "abcde", pkt.payload_len);
    return g_byte_array_append(g_byte_array_new(), frame,
                               roce_frame_seal(frame, &pkt, true));
}
