/*
 * RoCE v2 in software: frames
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Ethernet, IPv4 or IPv6, UDP to port 4791, base transport header, extended
 * headers, payload padded to four bytes, invariant CRC.  InfiniBand
 * Architecture Specification, volume 1, chapter 9 (headers) and annex A17.
 */
#ifndef HW_RDMA_ROCE_FRAME_H
#define HW_RDMA_ROCE_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ROCE_UDP_PORT 4791
#define ROCE_DEFAULT_PKEY 0xffff
#define ROCE_MAX_PAYLOAD 4096
/* Ethernet 14, IPv6 40, UDP 8, BTH 12, AtomicETH 28, ICRC 4 and padding */
#define ROCE_MAX_OVERHEAD 112
#define ROCE_MAX_FRAME (ROCE_MAX_PAYLOAD + ROCE_MAX_OVERHEAD)

/* BTH opcodes: transport in the upper three bits */
enum {
    ROCE_OP_RC = 0x00,
    ROCE_OP_UD = 0x60,
    ROCE_OP_SEND_FIRST = 0x00,
    ROCE_OP_SEND_MIDDLE = 0x01,
    ROCE_OP_SEND_LAST = 0x02,
    ROCE_OP_SEND_LAST_IMM = 0x03,
    ROCE_OP_SEND_ONLY = 0x04,
    ROCE_OP_SEND_ONLY_IMM = 0x05,
    ROCE_OP_WRITE_FIRST = 0x06,
    ROCE_OP_WRITE_MIDDLE = 0x07,
    ROCE_OP_WRITE_LAST = 0x08,
    ROCE_OP_WRITE_LAST_IMM = 0x09,
    ROCE_OP_WRITE_ONLY = 0x0a,
    ROCE_OP_WRITE_ONLY_IMM = 0x0b,
    ROCE_OP_READ_REQUEST = 0x0c,
    ROCE_OP_READ_RESP_FIRST = 0x0d,
    ROCE_OP_READ_RESP_MIDDLE = 0x0e,
    ROCE_OP_READ_RESP_LAST = 0x0f,
    ROCE_OP_READ_RESP_ONLY = 0x10,
    ROCE_OP_ACK = 0x11,
    ROCE_OP_ATOMIC_ACK = 0x12,
    ROCE_OP_CMP_SWAP = 0x13,
    ROCE_OP_FETCH_ADD = 0x14,
    ROCE_OP_SEND_LAST_INV = 0x16,
    ROCE_OP_SEND_ONLY_INV = 0x17,
    ROCE_OP_UD_SEND_ONLY = 0x64,
    ROCE_OP_UD_SEND_ONLY_IMM = 0x65,
};

/* What a packet says.  Which fields an opcode has: roce_op_headers(). */
typedef struct RocePacket {
    uint8_t sgid[16];              /* IPv4 addresses as ::ffff:a.b.c.d */
    uint8_t dgid[16];
    uint8_t smac[6];
    uint8_t dmac[6];
    bool ipv4;
    uint8_t traffic_class;
    uint8_t hop_limit;
    uint32_t flow_label;           /* of IPv6; seeds the UDP source port */
    const uint8_t *l3;             /* parse only: the IP header (20 or 40) */

    uint8_t opcode;
    bool solicited;
    bool ack_req;
    uint16_t pkey;
    uint32_t dest_qpn;
    uint32_t psn;

    uint64_t va;                   /* RETH, AtomicETH */
    uint32_t rkey;
    uint32_t dma_len;              /* RETH */
    uint64_t swap_add;             /* AtomicETH */
    uint64_t compare;
    uint8_t syndrome;              /* AETH */
    uint32_t msn;
    uint64_t orig;                 /* AtomicAckETH */
    uint32_t imm;                  /* as on the wire */
    uint32_t inv_key;              /* IETH */
    uint32_t qkey;                 /* DETH */
    uint32_t src_qpn;

    const uint8_t *payload;        /* parse only, without padding */
    uint32_t payload_len;
} RocePacket;

enum {                             /* extended headers, in this order */
    ROCE_HDR_DETH = 1,             /* 8 bytes */
    ROCE_HDR_RETH = 2,             /* 16 */
    ROCE_HDR_ATOMIC = 4,           /* 28 */
    ROCE_HDR_AETH = 8,             /* 4 */
    ROCE_HDR_ATOMIC_ACK = 16,      /* 8 */
    ROCE_HDR_IMM = 32,             /* 4 */
    ROCE_HDR_IETH = 64,            /* 4 */
    ROCE_HDR_PAYLOAD = 128,        /* may carry payload */
};

/* ROCE_HDR_* of a BTH opcode; -1 if it is none that we know. */
int roce_op_headers(uint8_t opcode);

typedef enum RoceParse {
    ROCE_PARSE_OK,
    ROCE_PARSE_NOT_ROCE,           /* not IP, not UDP, another port */
    ROCE_PARSE_BAD,                /* RoCE, but not well formed */
} RoceParse;

/*
 * Takes @frame apart.  Well formed: not fragmented, no VLAN tag, no IP
 * options or extension headers, valid IPv4 header checksum, lengths agree
 * (a frame may be longer than its IP packet: Ethernet padding), TVER 0, known
 * opcode, payload only where the opcode has one, pad count fits.  The ICRC is
 * not looked at.  @ret is valid only with ROCE_PARSE_OK; with ROCE_PARSE_BAD
 * only ret->dgid is, all zero if the frame is too short for it.  A tagged or
 * a first fragment of a RoCE packet is BAD; a later fragment is NOT_ROCE.
 */
RoceParse roce_frame_parse(const uint8_t *frame, size_t len, RocePacket *ret);

/* Whether the ICRC of a frame that parsed is right. */
bool roce_frame_icrc_ok(const RocePacket *pkt);

/*
 * Builds: writes all headers of @pkt to @frame (ROCE_MAX_FRAME bytes) for a
 * payload of pkt->payload_len bytes, and returns where that goes.
 * roce_frame_seal() then adds padding and ICRC; it returns the frame's
 * length.  @icrc false leaves the ICRC zero (a frame that never leaves).
 */
uint8_t *roce_frame_open(uint8_t *frame, const RocePacket *pkt);
size_t roce_frame_seal(uint8_t *frame, const RocePacket *pkt, bool icrc);

/* CRC-32 of Ethernet (reflected, 0xedb88320), without the complements:
 * roce_crc32(0xffffffff, ..) ^ 0xffffffff is zlib's. */
uint32_t roce_crc32(uint32_t crc, const void *buf, size_t len);
/* The same, the first bytes of @buf being ORed with those of @mask. */
#define ROCE_CRC_MASK 64
uint32_t roce_crc32_masked(uint32_t crc, const void *buf, size_t len,
                           const uint8_t mask[ROCE_CRC_MASK]);
/* For tests: the variant without carry-less multiplication. */
uint32_t roce_crc32_portable(uint32_t crc, const void *buf, size_t len);

#endif
