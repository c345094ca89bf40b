/*
 * Fuzzing of pvrdma: the network
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/sockets.h"
#include "hw/rdma/roce_frame.h"
#include "pvrdma-fuzz.h"

#define MAX_DRAIN 64
#define FRAME_PAYLOAD 1024

static const uint8_t own_mac[6] = { 0x52, 0x54, 0, 0x12, 0x34, 0x56 };
static const uint8_t peer_mac[6] = { 0x52, 0x54, 0, 0, 0, 0xb };

static bool drain_one(PvrdmaFuzz *f)
{
    uint8_t frame[ROCE_MAX_FRAME];
    ssize_t len = recv(f->wire, frame, sizeof(frame), MSG_DONTWAIT);
    RocePacket pkt;

    if (len < 0) {
        return false;
    }
    if (roce_frame_parse(frame, len, &pkt) == ROCE_PARSE_OK) {
        f->seen_psn = pkt.psn;
        f->seen_qpn = pkt.dest_qpn;
    }
    return true;
}

/* Until then, the device finds the wire full sooner or later. */
void fuzz_drain(PvrdmaFuzz *f, FuzzIn *in)
{
    for (int i = 0; i < MAX_DRAIN && drain_one(f); i++) {
        fuzz_settle(f);
    }
}

static void put_frame(PvrdmaFuzz *f, const void *frame, size_t len)
{
    ssize_t ignored = send(f->wire, frame, len, MSG_DONTWAIT);

    (void)ignored; /* full, too */
    fuzz_settle(f);
}

static RocePacket packet(PvrdmaFuzz *f, unsigned qp, uint8_t opcode)
{
    unsigned mr = fuzz_owner(qp);
    RocePacket pkt = {
        .opcode = opcode,
        .hop_limit = 64,
        .pkey = ROCE_DEFAULT_PKEY,
        .dest_qpn = f->qp[qp].qpn,
        .qkey = qp == 6 ? 0x80010000 : 0x11111111,
        .src_qpn = 0x777,
        .va = fuzz_mr_va(f, mr),
        .rkey = f->mr[mr].rkey,
        .inv_key = f->mr[2].rkey,
        .swap_add = 1,
        .msn = 1,
    };

    pvrdma_own_gid(pkt.dgid);
    pvrdma_gid_of_mac(qp < 4 ? own_mac : peer_mac, pkt.sgid);
    memcpy(pkt.smac, qp < 4 ? own_mac : peer_mac, sizeof(pkt.smac));
    memcpy(pkt.dmac, own_mac, sizeof(pkt.dmac));
    return pkt;
}

static bool is_response(uint8_t opcode)
{
    return opcode >= ROCE_OP_READ_RESP_FIRST && opcode <= ROCE_OP_ATOMIC_ACK;
}

/*
 * QP, opcode, PSN relative to what is expected, length, syndrome, flags; then
 * patches of the frame, after which its ICRC may be wrong.
 */
void fuzz_frame(PvrdmaFuzz *f, FuzzIn *in)
{
    unsigned qp = fuzz_take(in, 1) % FUZZ_QPS;
    RocePacket pkt = packet(f, qp, fuzz_take(in, 1));
    int8_t psn = fuzz_take(in, 1);
    uint32_t len = fuzz_take(in, 2) % (FRAME_PAYLOAD + 1);
    uint8_t flags;
    uint8_t frame[ROCE_MAX_FRAME] = { };
    int headers = roce_op_headers(pkt.opcode);

    pkt.syndrome = fuzz_take(in, 1);
    flags = fuzz_take(in, 1);
    pkt.ack_req = flags & 1;
    pkt.solicited = flags & 2;
    pkt.ipv4 = flags & 4;
    if (headers < 0) {
        return;
    }
    fuzz_drain(f, NULL);
    pkt.psn = (is_response(pkt.opcode) ? f->seen_psn : f->psn[qp]++) + psn;
    pkt.psn &= 0xffffff;
    pkt.dma_len = len;
    pkt.payload_len = headers & ROCE_HDR_PAYLOAD ? len : 0;
    memset(roce_frame_open(frame, &pkt), 0x5a, pkt.payload_len);
    len = roce_frame_seal(frame, &pkt, true);
    fuzz_patch(f, in, frame, len);
    put_frame(f, frame, len);
}

void fuzz_raw_frame(PvrdmaFuzz *f, FuzzIn *in)
{
    put_frame(f, in->data, in->len);
    in->len = 0;
}
