/*
 * RoCE v2 in software: responder, answers
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Answers to READs and atomics go out in the order of their requests, then
 * one acknowledgement or NAK for all that was taken: the order in which the
 * requester counts what it gets.
 */
#include <string.h>
#include "roce_int.h"

bool roce_resp_add_answer(RoceQp *qp, const RoceAnswer *answer)
{
    RoceResponder *r = &qp->resp;

    if (r->answers == ROCE_ANSWERS) {
        return false;
    }
    r->answer[(r->answer_head + r->answers++) % ROCE_ANSWERS] = *answer;
    r->new_answers += !answer->repeated;
    roce_queue(qp);
    return true;
}

/* Requests that come again */

static bool is_pending(const RoceResponder *r, uint32_t psn)
{
    for (uint32_t i = 0; i < r->answers; i++) {
        const RoceAnswer *a = &r->answer[(r->answer_head + i) % ROCE_ANSWERS];
        int32_t at = roce_psn_diff(psn, a->psn);

        if (at >= 0 && at < (int32_t)a->packets) {
            return true;
        }
    }
    return false;
}

static void repeat_atomic(RoceQp *qp, const RocePacket *pkt)
{
    RoceResponder *r = &qp->resp;

    for (uint32_t i = 0; i < ROCE_MAX_RD_ATOMIC; i++) {
        if (r->atomic[i].valid && r->atomic[i].psn == pkt->psn) {
            RoceAnswer answer = {
                .atomic = true,
                .repeated = true,
                .psn = pkt->psn,
                .packets = 1,
                .msn = r->msn,
                .orig = r->atomic[i].orig,
            };

            roce_resp_add_answer(qp, &answer);
            return;
        }
    }
}

/* Only what lies before the expected PSN was ever granted. */
static void repeat_read(RoceQp *qp, const RocePacket *pkt)
{
    RoceEngine *e = qp->engine;
    RoceAnswer answer = {
        .repeated = true,
        .va = pkt->va,
        .rkey = pkt->rkey,
        .length = pkt->dma_len,
        .psn = pkt->psn,
        .packets = roce_packets(pkt->dma_len, qp->attr.path_mtu),
        .msn = qp->resp.msn,
    };

    if (roce_psn_diff(qp->resp.epsn, pkt->psn) < (int32_t)answer.packets ||
        !(qp->attr.access_flags & ROCE_ACCESS_REMOTE_READ) ||
        (pkt->dma_len &&
         !e->ops->mem_check(e->opaque, qp->pd, pkt->rkey, pkt->va,
                            pkt->dma_len, ROCE_ACCESS_REMOTE_READ))) {
        return;
    }
    roce_resp_add_answer(qp, &answer);
}

void roce_resp_repeated(RoceQp *qp, const RocePacket *pkt)
{
    bool atomic = pkt->opcode == ROCE_OP_CMP_SWAP ||
                  pkt->opcode == ROCE_OP_FETCH_ADD;

    if (!atomic && pkt->opcode != ROCE_OP_READ_REQUEST) {
        qp->resp.ack_due = true;
        roce_queue(qp);
    } else if (is_pending(&qp->resp, pkt->psn)) {
        return; /* its answer is on the way */
    } else if (atomic) {
        repeat_atomic(qp, pkt);
    } else {
        repeat_read(qp, pkt);
    }
}

/* Sending */

static uint8_t read_opcode(const RoceAnswer *a)
{
    if (!a->done) {
        return a->packets == 1 ? ROCE_OP_READ_RESP_ONLY
                               : ROCE_OP_READ_RESP_FIRST;
    }
    return a->packets == 1 ? ROCE_OP_READ_RESP_LAST : ROCE_OP_READ_RESP_MIDDLE;
}

static bool fill_read(RoceQp *qp, const RoceAnswer *a, RoceOut *out)
{
    RoceEngine *e = qp->engine;
    uint32_t left = a->length - a->done;
    RocePacket *pkt = &out->pkt;
    uint8_t *payload;

    pkt->opcode = read_opcode(a);
    pkt->payload_len = left < qp->attr.path_mtu ? left : qp->attr.path_mtu;
    payload = roce_out_payload(out);
    return !pkt->payload_len ||
           e->ops->mem_read(e->opaque, qp->pd, a->rkey, a->va + a->done,
                            payload, pkt->payload_len,
                            ROCE_ACCESS_REMOTE_READ);
}

static void drop_answer(RoceResponder *r)
{
    r->new_answers -= !r->answer[r->answer_head].repeated;
    r->answer_head = (r->answer_head + 1) % ROCE_ANSWERS;
    r->answers--;
}

/* The memory was granted when the request came, and is gone now. */
static void revoked(RoceQp *qp, uint32_t psn)
{
    RoceResponder *r = &qp->resp;

    r->answers = r->new_answers = 0;
    r->dead = true;
    r->fatal_event = ROCE_EVENT_QP_ACCESS_ERR;
    roce_resp_nak(qp, ROCE_NAK_ACCESS);
    r->nak_psn = psn;
}

static bool open_answer(RoceQp *qp, RoceOut *out, uint8_t syndrome,
                        uint32_t psn, uint32_t msn)
{
    if (!roce_out_open_rc(qp, out)) {
        return false;
    }
    out->pkt.psn = psn;
    out->pkt.msn = msn;
    out->pkt.syndrome = syndrome;
    return true;
}

static RoceTurn send_answer(RoceQp *qp)
{
    RoceResponder *r = &qp->resp;
    RoceAnswer *a = &r->answer[r->answer_head];
    RoceOut out;

    if (!open_answer(qp, &out, ROCE_ACK_UNLIMITED, a->psn, a->msn)) {
        return ROCE_TURN_IDLE;
    }
    if (a->atomic) {
        out.pkt.opcode = ROCE_OP_ATOMIC_ACK;
        out.pkt.orig = a->orig;
        roce_out_payload(&out);
    } else if (!fill_read(qp, a, &out)) {
        revoked(qp, a->psn);
        return ROCE_TURN_IDLE;
    }
    if (!roce_out_send(qp->engine, &out)) {
        return ROCE_TURN_FULL;
    }
    a->done += out.pkt.payload_len;
    a->psn = roce_psn_add(a->psn, 1);
    if (!--a->packets) {
        drop_answer(r);
    }
    return ROCE_TURN_SENT;
}

/* A fatal NAK takes the QP to ERR once it is out. */
static void nak_sent(RoceQp *qp)
{
    RoceResponder *r = &qp->resp;
    uint32_t event = r->fatal_event;

    r->nak_due = false;
    qp->engine->stats.tx_nak++;
    qp->engine->stats.tx_rnr_nak += r->nak_syndrome >> 5 == 1;
    if (r->dead) {
        roce_qp_enter_error(qp);
        roce_qp_event(qp, event);
    }
}

static RoceTurn send_ack(RoceQp *qp)
{
    RoceResponder *r = &qp->resp;
    bool nak = r->nak_due;
    uint32_t psn = nak ? r->nak_psn : roce_psn_add(r->epsn, ROCE_PSN_MASK);
    RoceOut out;

    if (!open_answer(qp, &out, nak ? r->nak_syndrome : ROCE_ACK_UNLIMITED, psn,
                     r->msn)) {
        return ROCE_TURN_IDLE;
    }
    out.pkt.opcode = ROCE_OP_ACK;
    roce_out_payload(&out);
    if (!roce_out_send(qp->engine, &out)) {
        return ROCE_TURN_FULL;
    }
    r->ack_due = false; /* a NAK acknowledges all before it, too */
    if (nak) {
        nak_sent(qp);
    }
    return ROCE_TURN_SENT;
}

RoceTurn roce_resp_send(RoceQp *qp)
{
    const RoceResponder *r = &qp->resp;

    if (!r->answers && !r->ack_due && !r->nak_due) {
        return ROCE_TURN_IDLE;
    }
    if (!roce_out_room(qp->engine, &qp->attr.av)) {
        return ROCE_TURN_FULL;
    }
    return r->answers ? send_answer(qp) : send_ack(qp);
}
