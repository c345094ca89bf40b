/*
 * RoCE v2 in software: responder, requests that arrive
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A request is carried out when its PSN is the expected one; a later one says
 * that packets are missing, an earlier one was carried out before.  What has
 * to be sent is noted here and sent in the QP's turn (roce_answer.c).
 */
#include <string.h>
#include "roce_int.h"

/* What a request led to: taken, or the NAK that it gets.  RNR and FATAL_*
 * leave the expected PSN where it is. */
typedef enum Verdict {
    TAKEN,
    RNR,
    INVALID,
    ACCESS,
    OPERATION,
    DROPPED,                       /* no answer: the peer will ask again */
} Verdict;

static bool is_first(uint8_t op)
{
    return op == ROCE_OP_SEND_FIRST || op == ROCE_OP_WRITE_FIRST;
}

static bool is_only(uint8_t op)
{
    return op == ROCE_OP_SEND_ONLY || op == ROCE_OP_SEND_ONLY_IMM ||
           op == ROCE_OP_SEND_ONLY_INV || op == ROCE_OP_WRITE_ONLY ||
           op == ROCE_OP_WRITE_ONLY_IMM;
}

static bool is_middle(uint8_t op)
{
    return op == ROCE_OP_SEND_MIDDLE || op == ROCE_OP_WRITE_MIDDLE;
}

static bool has_imm(uint8_t op)
{
    return roce_op_headers(op) & ROCE_HDR_IMM;
}

static bool is_write(uint8_t op)
{
    return op >= ROCE_OP_WRITE_FIRST && op <= ROCE_OP_WRITE_ONLY_IMM;
}

static bool is_atomic(uint8_t op)
{
    return op == ROCE_OP_CMP_SWAP || op == ROCE_OP_FETCH_ADD;
}

static bool is_send(uint8_t op)
{
    return op <= ROCE_OP_SEND_ONLY_IMM || op == ROCE_OP_SEND_LAST_INV ||
           op == ROCE_OP_SEND_ONLY_INV;
}

/* Whether @pkt may follow what came before, with as much payload as it has */
static bool in_sequence(const RoceQp *qp, const RocePacket *pkt)
{
    RoceMessage want = is_write(pkt->opcode) ? ROCE_MESSAGE_WRITE
                                             : ROCE_MESSAGE_SEND;
    uint32_t mtu = qp->attr.path_mtu;

    if (!is_send(pkt->opcode) && !is_write(pkt->opcode)) {
        return qp->resp.message == ROCE_MESSAGE_NONE;
    }
    if (is_first(pkt->opcode)) {
        return qp->resp.message == ROCE_MESSAGE_NONE &&
               pkt->payload_len == mtu;
    }
    if (is_only(pkt->opcode)) {
        return qp->resp.message == ROCE_MESSAGE_NONE &&
               pkt->payload_len <= mtu;
    }
    return qp->resp.message == want &&
           (is_middle(pkt->opcode) ? pkt->payload_len == mtu
                                   : pkt->payload_len >= 1 &&
                                     pkt->payload_len <= mtu);
}

static void message_done(RoceQp *qp)
{
    qp->resp.message = ROCE_MESSAGE_NONE;
    qp->resp.received = 0;
    qp->resp.msn = roce_psn_add(qp->resp.msn, 1);
}

/* SEND */

static Verdict fail_receive(RoceQp *qp, uint32_t status, Verdict verdict)
{
    RoceWc wc = { .status = status };

    qp->engine->stats.local_errors++;
    roce_complete_recv(qp, &wc);
    return verdict;
}

static void complete_receive(RoceQp *qp, const RocePacket *pkt)
{
    RoceWc wc = {
        .opcode = is_write(pkt->opcode) ? ROCE_WC_RECV_RDMA_WITH_IMM
                                        : ROCE_WC_RECV,
        .byte_len = qp->resp.received,
        .imm = pkt->imm,
        .has_imm = has_imm(pkt->opcode),
        .has_inv = roce_op_headers(pkt->opcode) & ROCE_HDR_IETH,
        .invalidated_key = pkt->inv_key,
        .solicited = pkt->solicited,
    };

    roce_complete_recv(qp, &wc);
}

static bool invalidate(RoceQp *qp, const RocePacket *pkt)
{
    RoceEngine *e = qp->engine;

    return !(roce_op_headers(pkt->opcode) & ROCE_HDR_IETH) ||
           e->ops->invalidate(e->opaque, qp->pd, pkt->inv_key, true);
}

static Verdict take_send(RoceQp *qp, const RocePacket *pkt)
{
    RoceResponder *r = &qp->resp;
    const RoceRecvWr *wr = roce_recv_peek(qp);

    if (!wr) {
        return RNR;
    }
    if (r->received + (uint64_t)pkt->payload_len >
        roce_sge_length(wr->sge, wr->num_sge)) {
        return fail_receive(qp, ROCE_WC_LOC_LEN_ERR, INVALID);
    }
    if (!roce_recv_scatter(qp, wr, r->received, pkt->payload,
                           pkt->payload_len)) {
        return fail_receive(qp, ROCE_WC_LOC_PROT_ERR, OPERATION);
    }
    r->received += pkt->payload_len;
    if (is_first(pkt->opcode) || is_middle(pkt->opcode)) {
        r->message = ROCE_MESSAGE_SEND;
        return TAKEN;
    }
    if (!invalidate(qp, pkt)) {
        return fail_receive(qp, ROCE_WC_LOC_ACCESS_ERR, ACCESS);
    }
    complete_receive(qp, pkt);
    message_done(qp);
    return TAKEN;
}

/* RDMA WRITE */

static bool remote_ok(RoceQp *qp, const RocePacket *pkt, uint32_t len,
                      uint32_t access)
{
    RoceEngine *e = qp->engine;

    return (qp->attr.access_flags & access) &&
           (!len || e->ops->mem_check(e->opaque, qp->pd, pkt->rkey, pkt->va,
                                      len, access));
}

static Verdict begin_write(RoceQp *qp, const RocePacket *pkt)
{
    RoceResponder *r = &qp->resp;

    if (pkt->dma_len > ROCE_MAX_MSG ||
        (is_only(pkt->opcode) ? pkt->dma_len != pkt->payload_len
                              : pkt->dma_len <= pkt->payload_len)) {
        return INVALID;
    }
    if (!remote_ok(qp, pkt, pkt->dma_len, ROCE_ACCESS_REMOTE_WRITE)) {
        return ACCESS;
    }
    r->write_va = pkt->va;
    r->write_rkey = pkt->rkey;
    r->write_len = pkt->dma_len;
    return TAKEN;
}

static bool write_payload(RoceQp *qp, const RocePacket *pkt)
{
    RoceResponder *r = &qp->resp;
    RoceEngine *e = qp->engine;

    return !pkt->payload_len ||
           e->ops->mem_write(e->opaque, qp->pd, r->write_rkey,
                             r->write_va + r->received, pkt->payload,
                             pkt->payload_len, ROCE_ACCESS_REMOTE_WRITE);
}

static Verdict take_write(RoceQp *qp, const RocePacket *pkt)
{
    RoceResponder *r = &qp->resp;
    bool more = is_first(pkt->opcode) || is_middle(pkt->opcode);
    Verdict verdict = TAKEN;
    uint32_t left;

    if (is_first(pkt->opcode) || is_only(pkt->opcode)) {
        verdict = begin_write(qp, pkt);
    }
    if (verdict != TAKEN) {
        return verdict;
    }
    left = r->write_len - r->received;
    if (more ? pkt->payload_len >= left : pkt->payload_len != left) {
        return INVALID;
    }
    if (has_imm(pkt->opcode) && !roce_recv_peek(qp)) {
        return RNR;
    }
    if (!write_payload(qp, pkt)) {
        return ACCESS;
    }
    r->received += pkt->payload_len;
    if (more) {
        r->message = ROCE_MESSAGE_WRITE;
        return TAKEN;
    }
    if (has_imm(pkt->opcode)) {
        complete_receive(qp, pkt);
    }
    message_done(qp);
    return TAKEN;
}

/* RDMA READ and atomics */

/* More requests than the responder was told to hold break the protocol. */
static bool answer_allowed(const RoceQp *qp)
{
    return qp->resp.new_answers < qp->attr.max_dest_rd_atomic;
}

static Verdict take_read(RoceQp *qp, const RocePacket *pkt,
                         uint32_t *ret_packets)
{
    RoceAnswer answer = {
        .va = pkt->va,
        .rkey = pkt->rkey,
        .length = pkt->dma_len,
        .psn = pkt->psn,
        .packets = roce_packets(pkt->dma_len, qp->attr.path_mtu),
        .msn = roce_psn_add(qp->resp.msn, 1),
    };

    if (pkt->dma_len > ROCE_MAX_MSG || answer.packets > ROCE_MAX_PSNS ||
        !answer_allowed(qp)) {
        return INVALID;
    }
    if (!remote_ok(qp, pkt, pkt->dma_len, ROCE_ACCESS_REMOTE_READ)) {
        return ACCESS;
    }
    if (!roce_resp_add_answer(qp, &answer)) {
        return DROPPED;
    }
    *ret_packets = answer.packets;
    message_done(qp);
    return TAKEN;
}

static Verdict take_atomic(RoceQp *qp, const RocePacket *pkt)
{
    bool add = pkt->opcode == ROCE_OP_FETCH_ADD;
    RoceResponder *r = &qp->resp;
    RoceEngine *e = qp->engine;
    RoceAnswer answer = {
        .atomic = true,
        .psn = pkt->psn,
        .packets = 1,
        .msn = roce_psn_add(r->msn, 1),
    };

    if (pkt->va % 8 || !answer_allowed(qp)) {
        return INVALID;
    }
    if (r->answers == ROCE_ANSWERS) {
        return DROPPED;
    }
    if (!(qp->attr.access_flags & ROCE_ACCESS_REMOTE_ATOMIC) ||
        !e->ops->mem_atomic(e->opaque, qp->pd, pkt->rkey, pkt->va, add,
                            add ? pkt->swap_add : pkt->compare,
                            pkt->swap_add, &answer.orig)) {
        return ACCESS;
    }
    r->atomic[r->atomic_next] = (RoceAtomicResult) {
        .psn = pkt->psn, .valid = true, .orig = answer.orig,
    };
    r->atomic_next = (r->atomic_next + 1) % ROCE_MAX_RD_ATOMIC;
    roce_resp_add_answer(qp, &answer);
    message_done(qp);
    return TAKEN;
}

/* Requests */

static Verdict take(RoceQp *qp, const RocePacket *pkt, uint32_t *ret_packets)
{
    *ret_packets = 1;
    if (!in_sequence(qp, pkt)) {
        return INVALID;
    }
    if (is_write(pkt->opcode)) {
        return take_write(qp, pkt);
    }
    if (pkt->opcode == ROCE_OP_READ_REQUEST) {
        return take_read(qp, pkt, ret_packets);
    }
    return is_atomic(pkt->opcode) ? take_atomic(qp, pkt)
                                  : take_send(qp, pkt);
}

void roce_resp_nak(RoceQp *qp, uint8_t syndrome)
{
    RoceResponder *r = &qp->resp;

    r->nak_due = true;
    r->nak_syndrome = syndrome;
    r->nak_psn = r->epsn;
    roce_queue(qp);
}

/* The NAK is the last thing that the QP sends. */
static void fatal_nak(RoceQp *qp, uint8_t syndrome, uint32_t event)
{
    qp->resp.dead = true;
    qp->resp.fatal_event = event;
    qp->engine->stats.remote_errors++;
    roce_resp_nak(qp, syndrome);
}

static void taken(RoceQp *qp, const RocePacket *pkt, uint32_t packets)
{
    RoceResponder *r = &qp->resp;

    r->epsn = roce_psn_add(r->epsn, packets);
    r->nak_sent = false;
    if (pkt->ack_req) {
        r->ack_due = true;
        roce_queue(qp);
    }
}

static void expected(RoceQp *qp, const RocePacket *pkt)
{
    uint32_t packets;

    switch (take(qp, pkt, &packets)) {
    case TAKEN:
        taken(qp, pkt, packets);
        break;
    case RNR:
        qp->resp.nak_sent = true; /* also for what follows in the same burst */
        roce_resp_nak(qp, ROCE_RNR_NAK | qp->attr.min_rnr_timer);
        break;
    case INVALID:
        fatal_nak(qp, ROCE_NAK_INVALID, ROCE_EVENT_QP_REQ_ERR);
        break;
    case ACCESS:
        fatal_nak(qp, ROCE_NAK_ACCESS, ROCE_EVENT_QP_ACCESS_ERR);
        break;
    case OPERATION:
        fatal_nak(qp, ROCE_NAK_OPERATION, ROCE_EVENT_QP_FATAL);
        break;
    case DROPPED:
        break;
    }
}

static void establish(RoceQp *qp)
{
    if (!qp->established) {
        qp->established = true;
        if (qp->attr.state == ROCE_QPS_RTR) {
            roce_qp_event(qp, ROCE_EVENT_COMM_EST);
        }
    }
}

void roce_resp_request(RoceQp *qp, const RocePacket *pkt)
{
    RoceResponder *r = &qp->resp;
    int32_t ahead = roce_psn_diff(pkt->psn, r->epsn);

    if (r->dead) {
        return;
    }
    establish(qp);
    if (ahead == 0) {
        expected(qp, pkt);
    } else if (ahead < 0) {
        qp->engine->stats.rx_duplicate++;
        roce_resp_repeated(qp, pkt);
    } else {
        qp->engine->stats.rx_out_of_order++;
        if (!r->nak_sent) {
            r->nak_sent = true;
            roce_resp_nak(qp, ROCE_NAK_PSN);
        }
    }
}
