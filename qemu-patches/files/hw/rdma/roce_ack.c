/*
 * RoCE v2 in software: requester, what it is answered
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * An answer for one PSN acknowledges all before it, except that a READ or an
 * atomic is only done by its own answer: an answer that skips one says that
 * its answer was lost.
 */
#include <string.h>
#include "roce_int.h"

enum {
    KIND_ACK = 0,
    KIND_RNR = 1,
    KIND_NAK = 3,
};

/* In units of 10 us (volume 1, table 46: RNR NAK timer) */
static uint64_t rnr_ns(uint8_t timer)
{
    static const uint32_t units[32] = {
        65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256,
        384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384,
        24576, 32768, 49152,
    };

    return units[timer & 31] * 10000ull;
}

/* Something was acknowledged: patience starts over, and more may be sent. */
static void progress(RoceQp *qp)
{
    RoceRequester *r = &qp->req;

    r->retries = qp->attr.retry_cnt;
    r->rnr_retries = qp->attr.rnr_retry;
    r->resends = 0;
    r->probing = r->went_back = r->rnr_wait = false;
    if (roce_psn_diff(r->una_psn, roce_req_position(qp)) > 0) {
        roce_req_rewind(qp); /* what is out again had arrived before */
    }
    roce_req_arm(qp);
    if (r->cur != r->ring.tail) {
        roce_queue(qp);
    }
}

/* Everything before @psn has arrived.  False: but an answer was lost. */
static bool acknowledge(RoceQp *qp, uint32_t psn)
{
    RoceRequester *r = &qp->req;
    bool moved = false, complete = true;

    while (complete && roce_psn_diff(psn, r->una_psn) > 0 &&
           r->ring.head != r->assigned) {
        RoceSend *send = roce_send_at(qp, r->ring.head);
        uint32_t end = roce_psn_add(send->first_psn, send->num_psn);

        complete = !roce_send_is_read(send);
        if (complete) {
            uint32_t to = roce_psn_diff(psn, end) < 0 ? psn : end;

            roce_req_widen(qp, roce_psn_diff(to, r->una_psn));
            r->una_psn = to;
            moved = true;
            roce_req_retire(qp);
        }
    }
    if (moved && roce_qp_can_send(qp)) {
        progress(qp);
    }
    return complete;
}

/* Once until something is acknowledged; then the timer decides. */
static void go_back(RoceQp *qp)
{
    if (qp->req.went_back || qp->req.rnr_wait) {
        return;
    }
    qp->engine->stats.retransmits++;
    qp->req.went_back = true;
    roce_req_narrow(qp);
    roce_req_rewind(qp);
    roce_req_arm(qp);
    roce_queue(qp);
}

static void fail_oldest(RoceQp *qp, uint32_t status)
{
    if (qp->req.ring.head != qp->req.assigned) {
        qp->engine->stats.remote_errors++;
        roce_req_fail(qp, roce_send_at(qp, qp->req.ring.head), status);
    }
}

static void on_rnr(RoceQp *qp, uint8_t timer)
{
    RoceRequester *r = &qp->req;

    if (r->rnr_wait) {
        return; /* the answer to another packet of the same burst */
    }
    if (!r->rnr_retries) {
        fail_oldest(qp, ROCE_WC_RNR_RETRY_EXC_ERR);
        return;
    }
    if (qp->attr.rnr_retry != 7) {
        r->rnr_retries--;
    }
    r->retries = qp->attr.retry_cnt; /* it answers */
    r->resends = 0;
    r->rnr_wait = true;
    r->went_back = false;
    roce_req_rewind(qp);
    roce_timer_set(qp, qp->engine->now + rnr_ns(timer));
}

static void on_nak(RoceQp *qp, uint8_t syndrome)
{
    switch (syndrome) {
    case ROCE_NAK_PSN:
        go_back(qp);
        break;
    case ROCE_NAK_INVALID:
        fail_oldest(qp, ROCE_WC_REM_INV_REQ_ERR);
        break;
    case ROCE_NAK_ACCESS:
        fail_oldest(qp, ROCE_WC_REM_ACCESS_ERR);
        break;
    case ROCE_NAK_OPERATION:
        fail_oldest(qp, ROCE_WC_REM_OP_ERR);
        break;
    default:
        fail_oldest(qp, ROCE_WC_BAD_RESP_ERR);
    }
}

static void on_ack(RoceQp *qp, const RocePacket *pkt)
{
    uint8_t kind = pkt->syndrome >> 5;
    uint32_t psn = kind == KIND_ACK ? roce_psn_add(pkt->psn, 1) : pkt->psn;

    if (!acknowledge(qp, psn)) {
        go_back(qp);
    } else if (!roce_qp_can_send(qp)) {
        return; /* a send behind those acknowledged had failed */
    } else if (kind == KIND_RNR) {
        on_rnr(qp, pkt->syndrome);
    } else if (kind == KIND_NAK) {
        on_nak(qp, pkt->syndrome);
    }
}

/* The oldest send, if @pkt answers it; otherwise an answer before was lost,
 * or it answers something else. */
static RoceSend *answered(RoceQp *qp, const RocePacket *pkt)
{
    if (!acknowledge(qp, pkt->psn)) {
        go_back(qp);
        return NULL;
    }
    if (!roce_qp_can_send(qp) || qp->req.una_psn != pkt->psn ||
        qp->req.ring.head == qp->req.assigned) {
        return NULL;
    }
    return roce_send_at(qp, qp->req.ring.head);
}

static void answer_taken(RoceQp *qp, bool last_of_request)
{
    RoceRequester *r = &qp->req;

    if (last_of_request && r->reads) {
        r->reads--;
    }
    r->una_psn = roce_psn_add(r->una_psn, 1);
    roce_req_widen(qp, 1);
    roce_req_retire(qp);
    if (roce_qp_can_send(qp)) {
        progress(qp);
    }
}

static void on_read_response(RoceQp *qp, const RocePacket *pkt)
{
    RoceSend *send = answered(qp, pkt);
    uint32_t mtu = qp->attr.path_mtu;
    uint32_t packet, left;

    if (!send) {
        return;
    }
    packet = roce_psn_diff(pkt->psn, send->first_psn);
    left = send->length - packet * mtu;
    if (send->wr.opcode != ROCE_WR_RDMA_READ ||
        pkt->payload_len != (left < mtu ? left : mtu)) {
        fail_oldest(qp, ROCE_WC_BAD_RESP_ERR);
        return;
    }
    if (!roce_sge_scatter(qp, send->wr.sge, send->wr.num_sge,
                          (uint64_t)packet * mtu, pkt->payload,
                          pkt->payload_len)) {
        roce_req_fail(qp, send, ROCE_WC_LOC_PROT_ERR);
        return;
    }
    packet++;
    answer_taken(qp, packet % ROCE_READ_CHUNK == 0 ||
                     packet == send->num_psn);
}

static void on_atomic_response(RoceQp *qp, const RocePacket *pkt)
{
    RoceSend *send = answered(qp, pkt);
    uint8_t orig[8];

    if (!send) {
        return;
    }
    if (!roce_send_is_atomic(send)) {
        fail_oldest(qp, ROCE_WC_BAD_RESP_ERR);
        return;
    }
    memcpy(orig, &pkt->orig, sizeof(orig));
    if (!roce_sge_scatter(qp, send->wr.sge, send->wr.num_sge, 0, orig,
                          sizeof(orig))) {
        roce_req_fail(qp, send, ROCE_WC_LOC_PROT_ERR);
        return;
    }
    answer_taken(qp, true);
}

void roce_req_response(RoceQp *qp, const RocePacket *pkt)
{
    const RoceRequester *r = &qp->req;

    if (!roce_qp_can_send(qp)) {
        qp->engine->stats.rx_no_qp++;
        return;
    }
    if (roce_psn_diff(pkt->psn, r->una_psn) < 0 ||
        roce_psn_diff(pkt->psn, r->high_psn) >= 0) {
        qp->engine->stats.rx_duplicate++;
        return;
    }
    if (pkt->opcode == ROCE_OP_ACK) {
        on_ack(qp, pkt);
    } else if (pkt->opcode == ROCE_OP_ATOMIC_ACK) {
        on_atomic_response(qp, pkt);
    } else {
        on_read_response(qp, pkt);
    }
}
