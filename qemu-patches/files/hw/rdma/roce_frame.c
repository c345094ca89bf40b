/*
 * RoCE v2 in software: frames
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>
#include "roce_frame.h"

enum {
    ETH_LEN = 14,
    ETH_IPV4 = 0x0800,
    ETH_IPV6 = 0x86dd,
    ETH_VLAN = 0x8100,
    ETH_QINQ = 0x88a8,

    IPV4_LEN = 20,
    IPV4_DF = 0x4000,
    IPV4_MF = 0x2000,
    IPV4_OFFSET = 0x1fff,

    IPV6_LEN = 40,
    IPV6_HOP_BY_HOP = 0,
    IPV6_ROUTING = 43,
    IPV6_FRAGMENT = 44,
    IPV6_DEST_OPTIONS = 60,
    IPV6_OFFSET = 0xfff8,

    IP_UDP = 17,
    UDP_LEN = 8,
    UDP_PORT_BASE = 0xc000,
    UDP_PORT_BITS = 0x3fff,

    BTH_LEN = 12,
    BTH_SOLICITED = 0x80,
    BTH_ACK_REQ = 0x80,
    BTH_TVER = 0x0f,

    ICRC_LEN = 4,
};

/* The CRC of eight bytes 0xff, for the local route header that InfiniBand has
 * before the IP header and masks out. */
#define ICRC_SEED 0xdebb20e3u

static const uint8_t ipv4_mapped[12] = { [10] = 0xff, [11] = 0xff };

static uint16_t get16(const uint8_t *p)
{
    return p[0] << 8 | p[1];
}

static uint32_t get24(const uint8_t *p)
{
    return p[0] << 16 | p[1] << 8 | p[2];
}

static uint32_t get32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | get24(p + 1);
}

static uint64_t get64(const uint8_t *p)
{
    return (uint64_t)get32(p) << 32 | get32(p + 4);
}

static uint8_t *put8(uint8_t *p, uint8_t v)
{
    *p = v;
    return p + 1;
}

static uint8_t *put16(uint8_t *p, uint16_t v)
{
    p[0] = v >> 8;
    p[1] = v;
    return p + 2;
}

static uint8_t *put32(uint8_t *p, uint32_t v)
{
    p[0] = v >> 24;
    p[1] = v >> 16;
    p[2] = v >> 8;
    p[3] = v;
    return p + 4;
}

static uint8_t *put64(uint8_t *p, uint64_t v)
{
    return put32(put32(p, v >> 32), v);
}

static uint8_t *put_bytes(uint8_t *p, const void *from, size_t len)
{
    memcpy(p, from, len);
    return p + len;
}

/* one byte and 24 bits, a pair that InfiniBand is fond of */
static uint8_t *put8_24(uint8_t *p, uint8_t high, uint32_t low)
{
    return put32(p, (uint32_t)high << 24 | (low & 0xffffff));
}

#define HAS(h, flag, size) ((h) & ROCE_HDR_##flag ? (size) : 0)
#define EXT_LEN(h) \
    (HAS(h, DETH, 8) + HAS(h, RETH, 16) + HAS(h, ATOMIC, 28) + \
     HAS(h, AETH, 4) + HAS(h, ATOMIC_ACK, 8) + HAS(h, IMM, 4) + \
     HAS(h, IETH, 4))
#define OP(h) { .known = true, .headers = (h), .len = BTH_LEN + EXT_LEN(h) }
#define DATA(h) OP(ROCE_HDR_PAYLOAD | (h))

static const struct {
    bool known;
    uint8_t headers;
    uint8_t len;                   /* of the BTH and the extended headers */
} ops[256] = {
    [ROCE_OP_SEND_FIRST] = DATA(0),
    [ROCE_OP_SEND_MIDDLE] = DATA(0),
    [ROCE_OP_SEND_LAST] = DATA(0),
    [ROCE_OP_SEND_LAST_IMM] = DATA(ROCE_HDR_IMM),
    [ROCE_OP_SEND_ONLY] = DATA(0),
    [ROCE_OP_SEND_ONLY_IMM] = DATA(ROCE_HDR_IMM),
    [ROCE_OP_WRITE_FIRST] = DATA(ROCE_HDR_RETH),
    [ROCE_OP_WRITE_MIDDLE] = DATA(0),
    [ROCE_OP_WRITE_LAST] = DATA(0),
    [ROCE_OP_WRITE_LAST_IMM] = DATA(ROCE_HDR_IMM),
    [ROCE_OP_WRITE_ONLY] = DATA(ROCE_HDR_RETH),
    [ROCE_OP_WRITE_ONLY_IMM] = DATA(ROCE_HDR_RETH | ROCE_HDR_IMM),
    [ROCE_OP_READ_REQUEST] = OP(ROCE_HDR_RETH),
    [ROCE_OP_READ_RESP_FIRST] = DATA(ROCE_HDR_AETH),
    [ROCE_OP_READ_RESP_MIDDLE] = DATA(0),
    [ROCE_OP_READ_RESP_LAST] = DATA(ROCE_HDR_AETH),
    [ROCE_OP_READ_RESP_ONLY] = DATA(ROCE_HDR_AETH),
    [ROCE_OP_ACK] = OP(ROCE_HDR_AETH),
    [ROCE_OP_ATOMIC_ACK] = OP(ROCE_HDR_AETH | ROCE_HDR_ATOMIC_ACK),
    [ROCE_OP_CMP_SWAP] = OP(ROCE_HDR_ATOMIC),
    [ROCE_OP_FETCH_ADD] = OP(ROCE_HDR_ATOMIC),
    [ROCE_OP_SEND_LAST_INV] = DATA(ROCE_HDR_IETH),
    [ROCE_OP_SEND_ONLY_INV] = DATA(ROCE_HDR_IETH),
    [ROCE_OP_UD_SEND_ONLY] = DATA(ROCE_HDR_DETH),
    [ROCE_OP_UD_SEND_ONLY_IMM] = DATA(ROCE_HDR_DETH | ROCE_HDR_IMM),
};

int roce_op_headers(uint8_t opcode)
{
    return ops[opcode].known ? ops[opcode].headers : -1;
}

/* @sum: of words of 16 or 32 bits, which makes no difference */
static uint16_t ip_checksum(uint64_t sum)
{
    sum = (sum >> 32) + (sum & 0xffffffff);
    sum = (sum >> 16) + (sum & 0xffff);
    sum = (sum >> 16) + (sum & 0xffff);
    return ~((sum >> 16) + sum);
}

static bool ipv4_checksum_ok(const uint8_t *ip)
{
    uint64_t sum = 0;

    for (int i = 0; i < IPV4_LEN; i += 4) {
        sum += get32(ip + i);
    }
    return !ip_checksum(sum);
}

/* Where a packet's parts are, while it is not known whether it is RoCE. */
typedef struct Layout {
    const uint8_t *ip;
    const uint8_t *udp;
    const uint8_t *end;            /* of the frame */
    size_t ip_len;                 /* as the IP header claims, all of it */
    bool ipv4;
    bool bad;                      /* never what RoCE looks like */
} Layout;

static size_t bytes_from(const Layout *l, const uint8_t *p)
{
    return l->end - p;
}

/* False: not UDP, or no ports in it. */
static bool find_udp_ipv4(Layout *l)
{
    const uint8_t *ip = l->ip;
    size_t header = (ip[0] & 15) * 4, fragment = get16(ip + 6);

    if (ip[0] >> 4 != 4 || header < IPV4_LEN || header > bytes_from(l, ip) ||
        ip[9] != IP_UDP || fragment & IPV4_OFFSET) {
        return false;
    }
    l->udp = ip + header;
    l->ip_len = get16(ip + 2);
    l->bad |= header != IPV4_LEN || fragment & IPV4_MF || !ipv4_checksum_ok(ip);
    return true;
}

static bool find_udp_ipv6(Layout *l)
{
    const uint8_t *ip = l->ip, *p = ip + IPV6_LEN;
    uint8_t next = ip[6];
    size_t size;

    if (ip[0] >> 4 != 6) {
        return false;
    }
    while (next == IPV6_HOP_BY_HOP || next == IPV6_ROUTING ||
           next == IPV6_FRAGMENT || next == IPV6_DEST_OPTIONS) {
        if (bytes_from(l, p) < 8 ||
            (next == IPV6_FRAGMENT && get16(p + 2) & IPV6_OFFSET)) {
            return false;
        }
        size = next == IPV6_FRAGMENT ? 8 : (p[1] + 1) * 8;
        next = p[0];
        if (bytes_from(l, p) < size) {
            return false;
        }
        p += size;
        l->bad = true;
    }
    l->udp = p;
    l->ip_len = IPV6_LEN + get16(ip + 4);
    return next == IP_UDP;
}

/* False: nothing that is sent to RoCE's port. */
static bool find_roce(const uint8_t *frame, size_t len, Layout *l)
{
    const uint8_t *type;
    size_t left;

    if (len < ETH_LEN) {
        return false; /* even without a frame: NULL, 0 */
    }
    *l = (Layout){ .end = frame + len };
    type = frame + 12;
    while ((get16(type) == ETH_VLAN || get16(type) == ETH_QINQ) &&
           bytes_from(l, type) >= 6) {
        type += 4;
        l->bad = true;
    }
    l->ip = type + 2;
    l->ipv4 = get16(type) == ETH_IPV4;
    left = bytes_from(l, l->ip);
    if (l->ipv4) {
        if (left < IPV4_LEN || !find_udp_ipv4(l)) {
            return false;
        }
    } else if (get16(type) != ETH_IPV6 || left < IPV6_LEN ||
               !find_udp_ipv6(l)) {
        return false;
    }
    return bytes_from(l, l->udp) >= 4 && get16(l->udp + 2) == ROCE_UDP_PORT;
}

static void parse_ip(const Layout *l, RocePacket *ret)
{
    const uint8_t *ip = l->ip;

    ret->ipv4 = l->ipv4;
    ret->l3 = ip;
    if (l->ipv4) {
        ret->traffic_class = ip[1];
        ret->hop_limit = ip[8];
        put_bytes(put_bytes(ret->sgid, ipv4_mapped, 12), ip + 12, 4);
        put_bytes(put_bytes(ret->dgid, ipv4_mapped, 12), ip + 16, 4);
        ret->flow_label = 0;
    } else {
        ret->traffic_class = get16(ip) >> 4;
        ret->flow_label = get32(ip) & 0xfffff;
        ret->hop_limit = ip[7];
        memcpy(ret->sgid, ip + 8, 16);
        memcpy(ret->dgid, ip + 24, 16);
    }
}

static const uint8_t *parse_ext(const uint8_t *p, int headers, RocePacket *ret)
{
    if (headers & ROCE_HDR_DETH) {
        ret->qkey = get32(p);
        ret->src_qpn = get24(p + 5);
        p += 8;
    }
    if (headers & (ROCE_HDR_RETH | ROCE_HDR_ATOMIC)) {
        ret->va = get64(p);
        ret->rkey = get32(p + 8);
        p += 12;
    }
    if (headers & ROCE_HDR_RETH) {
        ret->dma_len = get32(p);
        p += 4;
    }
    if (headers & ROCE_HDR_ATOMIC) {
        ret->swap_add = get64(p);
        ret->compare = get64(p + 8);
        p += 16;
    }
    if (headers & ROCE_HDR_AETH) {
        ret->syndrome = p[0];
        ret->msn = get24(p + 1);
        p += 4;
    }
    if (headers & ROCE_HDR_ATOMIC_ACK) {
        ret->orig = get64(p);
        p += 8;
    }
    if (headers & ROCE_HDR_IMM) {
        memcpy(&ret->imm, p, 4);
        p += 4;
    }
    if (headers & ROCE_HDR_IETH) {
        ret->inv_key = get32(p);
        p += 4;
    }
    return p;
}

/* @len: of everything between the UDP header and the ICRC */
static bool parse_transport(const uint8_t *p, size_t len, RocePacket *ret)
{
    uint8_t headers = ops[p[0]].headers;
    size_t pad = p[1] >> 4 & 3, rest;

    if (!ops[p[0]].known || len < ops[p[0]].len || p[1] & BTH_TVER) {
        return false;
    }
    rest = len - ops[p[0]].len;
    if (rest % 4 || pad > rest || rest - pad > ROCE_MAX_PAYLOAD ||
        (rest && !(headers & ROCE_HDR_PAYLOAD))) {
        return false;
    }
    ret->opcode = p[0];
    ret->solicited = p[1] & BTH_SOLICITED;
    ret->pkey = get16(p + 2);
    ret->dest_qpn = get24(p + 5);
    ret->ack_req = p[8] & BTH_ACK_REQ;
    ret->psn = get24(p + 9);
    ret->payload = parse_ext(p + BTH_LEN, headers, ret);
    ret->payload_len = rest - pad;
    return true;
}

RoceParse roce_frame_parse(const uint8_t *frame, size_t len, RocePacket *ret)
{
    Layout l;
    size_t udp_len;

    if (!find_roce(frame, len, &l)) {
        return ROCE_PARSE_NOT_ROCE;
    }
    /* What the opcode may not have.  Everything else is set, and clearing
     * that, too, is slow. */
    memset(&ret->va, 0, sizeof(*ret) - offsetof(RocePacket, va));
    parse_ip(&l, ret);
    if (l.bad || l.ip_len > bytes_from(&l, l.ip) ||
        l.ip_len < (size_t)(l.udp - l.ip) + UDP_LEN + BTH_LEN + ICRC_LEN) {
        return ROCE_PARSE_BAD;
    }
    udp_len = l.ip_len - (l.udp - l.ip);
    if (get16(l.udp + 4) != udp_len ||
        !parse_transport(l.udp + UDP_LEN, udp_len - UDP_LEN - ICRC_LEN, ret)) {
        return ROCE_PARSE_BAD;
    }
    memcpy(ret->dmac, frame, 6);
    memcpy(ret->smac, frame + 6, 6);
    return ROCE_PARSE_OK;
}

/*
 * @len: of all from the IP header to the end of the padding.  What changes on
 * the way counts as ones: IPv4's type of service, time to live and checksum;
 * IPv6's traffic class, flow label and hop limit; the UDP checksum; the
 * congestion bits of the BTH with the reserved ones beside them.
 */
static uint32_t icrc(const uint8_t *ip, size_t len, bool ipv4)
{
    static const uint8_t mask4[ROCE_CRC_MASK] = {
        [1] = 0xff, [8] = 0xff, [10] = 0xff, 0xff,
        [IPV4_LEN + 6] = 0xff, 0xff,
        [IPV4_LEN + UDP_LEN + 4] = 0xff,
    };
    static const uint8_t mask6[ROCE_CRC_MASK] = {
        [0] = 0x0f, 0xff, 0xff, 0xff, [7] = 0xff,
        [IPV6_LEN + 6] = 0xff, 0xff,
        [IPV6_LEN + UDP_LEN + 4] = 0xff,
    };

    return ~roce_crc32_masked(ICRC_SEED, ip, len, ipv4 ? mask4 : mask6);
}

bool roce_frame_icrc_ok(const RocePacket *pkt)
{
    size_t len = (pkt->ipv4 ? get16(pkt->l3 + 2)
                            : IPV6_LEN + get16(pkt->l3 + 4)) - ICRC_LEN;
    uint32_t crc = icrc(pkt->l3, len, pkt->ipv4);
    const uint8_t *p = pkt->l3 + len;

    return crc == (p[0] | p[1] << 8 | p[2] << 16 | (uint32_t)p[3] << 24);
}

static uint64_t gid_sum(const uint8_t gid[16])
{
    uint64_t half[2];

    memcpy(half, gid, sizeof(half));
    return half[0] + half[1];
}

/* The same for all packets of a flow, so that networks keep their order. */
static uint16_t source_port(const RocePacket *pkt)
{
    uint64_t hash;

    if (pkt->flow_label) {
        return UDP_PORT_BASE |
               ((pkt->flow_label ^ pkt->flow_label >> 14) & UDP_PORT_BITS);
    }
    hash = gid_sum(pkt->sgid) + 3 * gid_sum(pkt->dgid) + pkt->dest_qpn;
    return UDP_PORT_BASE | (hash * 0x9e3779b97f4a7c15u >> 50);
}

static size_t pad_len(const RocePacket *pkt)
{
    return -pkt->payload_len & 3;
}

/* from the UDP header on */
static size_t udp_size(const RocePacket *pkt)
{
    return UDP_LEN + ops[pkt->opcode].len + pkt->payload_len + pad_len(pkt) +
           ICRC_LEN;
}

static uint8_t *put_ipv4(uint8_t *p, const RocePacket *pkt)
{
    uint32_t first = 0x45u << 24 | (uint32_t)pkt->traffic_class << 16 |
                     (IPV4_LEN + udp_size(pkt));
    uint32_t third = (uint32_t)pkt->hop_limit << 24 | IP_UDP << 16;
    uint64_t sum = (uint64_t)first + IPV4_DF + third +
                   get32(pkt->sgid + 12) + get32(pkt->dgid + 12);

    p = put32(p, first);
    p = put32(p, IPV4_DF);
    p = put32(p, third | ip_checksum(sum));
    p = put_bytes(p, pkt->sgid + 12, 4);
    return put_bytes(p, pkt->dgid + 12, 4);
}

static uint8_t *put_ipv6(uint8_t *p, const RocePacket *pkt)
{
    p = put32(p, 6u << 28 | (uint32_t)pkt->traffic_class << 20 |
                 (pkt->flow_label & 0xfffff));
    p = put16(p, udp_size(pkt));
    p = put8(p, IP_UDP);
    p = put8(p, pkt->hop_limit);
    p = put_bytes(p, pkt->sgid, 16);
    return put_bytes(p, pkt->dgid, 16);
}

static uint8_t *put_udp(uint8_t *p, const RocePacket *pkt)
{
    p = put16(p, source_port(pkt));
    p = put16(p, ROCE_UDP_PORT);
    p = put16(p, udp_size(pkt));
    return put16(p, 0);            /* no checksum: there is the ICRC */
}

static uint8_t *put_bth(uint8_t *p, const RocePacket *pkt)
{
    p = put8(p, pkt->opcode);
    p = put8(p, (pkt->solicited ? BTH_SOLICITED : 0) | pad_len(pkt) << 4);
    p = put16(p, pkt->pkey);
    p = put8_24(p, 0, pkt->dest_qpn);
    return put8_24(p, pkt->ack_req ? BTH_ACK_REQ : 0, pkt->psn);
}

static uint8_t *put_ext(uint8_t *p, const RocePacket *pkt)
{
    uint8_t headers = ops[pkt->opcode].headers;

    if (headers & ROCE_HDR_DETH) {
        p = put8_24(put32(p, pkt->qkey), 0, pkt->src_qpn);
    }
    if (headers & (ROCE_HDR_RETH | ROCE_HDR_ATOMIC)) {
        p = put32(put64(p, pkt->va), pkt->rkey);
    }
    if (headers & ROCE_HDR_RETH) {
        p = put32(p, pkt->dma_len);
    }
    if (headers & ROCE_HDR_ATOMIC) {
        p = put64(put64(p, pkt->swap_add), pkt->compare);
    }
    if (headers & ROCE_HDR_AETH) {
        p = put8_24(p, pkt->syndrome, pkt->msn);
    }
    if (headers & ROCE_HDR_ATOMIC_ACK) {
        p = put64(p, pkt->orig);
    }
    if (headers & ROCE_HDR_IMM) {
        p = put_bytes(p, &pkt->imm, 4);
    }
    if (headers & ROCE_HDR_IETH) {
        p = put32(p, pkt->inv_key);
    }
    return p;
}

uint8_t *roce_frame_open(uint8_t *frame, const RocePacket *pkt)
{
    uint8_t *p = frame;

    p = put_bytes(p, pkt->dmac, 6);
    p = put_bytes(p, pkt->smac, 6);
    p = put16(p, pkt->ipv4 ? ETH_IPV4 : ETH_IPV6);
    p = pkt->ipv4 ? put_ipv4(p, pkt) : put_ipv6(p, pkt);
    p = put_udp(p, pkt);
    p = put_bth(p, pkt);
    return put_ext(p, pkt);
}

size_t roce_frame_seal(uint8_t *frame, const RocePacket *pkt, bool with_icrc)
{
    uint8_t *ip = frame + ETH_LEN;
    size_t ip_len = (pkt->ipv4 ? IPV4_LEN : IPV6_LEN) + udp_size(pkt);
    size_t len = ip_len - ICRC_LEN;
    uint32_t crc;

    memset(ip + len - pad_len(pkt), 0, pad_len(pkt));
    crc = with_icrc ? icrc(ip, len, pkt->ipv4) : 0;
    for (int i = 0; i < ICRC_LEN; i++) {
        ip[len + i] = crc >> (8 * i);
    }
    return ETH_LEN + ip_len;
}
