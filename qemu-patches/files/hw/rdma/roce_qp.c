/*
 * RoCE v2 in software: queue pairs
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What each state does:
 *   RESET     nothing; posts are refused by the owner
 *   INIT      takes receives
 *   RTR       takes receives, answers the peer
 *   RTS       the same, and sends
 *   SQD       the same, but begins no send: what is under way finishes
 *   SQE       takes receives, answers; sends are flushed (UD, GSI)
 *   ERR       flushes everything posted
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "roce_int.h"

bool roce_qp_can_receive(const RoceQp *qp)
{
    return qp->attr.state >= ROCE_QPS_RTR && qp->attr.state <= ROCE_QPS_SQE;
}

bool roce_qp_can_send(const RoceQp *qp)
{
    return qp->attr.state == ROCE_QPS_RTS || qp->attr.state == ROCE_QPS_SQD;
}

void roce_qp_event(RoceQp *qp, uint32_t event)
{
    qp->engine->ops->qp_event(qp->engine->opaque, qp->cookie, event);
}

/* Creation */

static bool init_valid(const RoceQpInit *init)
{
    return (init->type == ROCE_QPT_RC || init->type == ROCE_QPT_UD ||
            init->type == ROCE_QPT_GSI) &&
           init->max_send_wr && init->max_send_wr <= 65536 &&
           init->max_recv_wr <= 65536 &&
           init->max_send_sge <= ROCE_MAX_SGE &&
           init->max_recv_sge <= ROCE_MAX_SGE;
}

static bool alloc_rings(RoceQp *qp, const RoceQpInit *init)
{
    uint32_t max_recv = init->max_recv_wr ? init->max_recv_wr : 1;

    if (!roce_ring_init(&qp->req.ring, init->max_send_wr, init->max_send_sge,
                        offsetof(RoceSend, wr.sge)) ||
        !roce_ring_init(&qp->resp.ring, max_recv, init->max_recv_sge,
                        offsetof(RoceRecvWr, sge))) {
        return false;
    }
    if (init->srq) {
        qp->resp.taken = calloc(1, init->srq->ring.stride);
    }
    return !init->srq || qp->resp.taken;
}

static void free_memory(RoceQp *qp)
{
    roce_ring_clear(&qp->req.ring);
    roce_ring_clear(&qp->resp.ring);
    free(qp->resp.taken);
    free(qp);
}

RoceQp *roce_qp_new(RoceEngine *e, const RoceQpInit *init, uint32_t *ret_qpn)
{
    RoceQp *qp = init_valid(init) ? calloc(1, sizeof(*qp)) : NULL;

    if (!qp) {
        return NULL;
    }
    qp->engine = e;
    qp->type = init->type;
    qp->tag = init->tag;
    qp->cookie = init->cookie;
    qp->pd = init->pd;
    qp->send_cq = init->send_cq;
    qp->recv_cq = init->recv_cq;
    qp->srq = init->srq;
    qp->deadline = ROCE_NEVER;
    qp->attr.path_mtu = e->mtu;
    if (!alloc_rings(qp, init) || !roce_qpn_take(e, qp)) {
        free_memory(qp);
        return NULL;
    }
    *ret_qpn = qp->qpn;
    return qp;
}

void roce_qp_free(RoceQp *qp)
{
    roce_qpn_give(qp->engine, qp);
    roce_unqueue(qp);
    roce_timer_remove(qp);
    free_memory(qp);
}

/* Completions */

static uint32_t send_opcode(uint32_t opcode)
{
    switch (opcode) {
    case ROCE_WR_RDMA_WRITE:
    case ROCE_WR_RDMA_WRITE_WITH_IMM:
        return ROCE_WC_RDMA_WRITE;
    case ROCE_WR_RDMA_READ:
        return ROCE_WC_RDMA_READ;
    case ROCE_WR_ATOMIC_CMP_AND_SWP:
        return ROCE_WC_COMP_SWAP;
    case ROCE_WR_ATOMIC_FETCH_AND_ADD:
        return ROCE_WC_FETCH_ADD;
    case ROCE_WR_LOCAL_INV:
        return ROCE_WC_LOCAL_INV;
    case ROCE_WR_FAST_REG_MR:
        return ROCE_WC_FAST_REG_MR;
    default:
        return ROCE_WC_SEND;
    }
}

void roce_complete_send(RoceQp *qp, uint32_t status)
{
    RoceSend *send = roce_send_at(qp, qp->req.ring.head);
    RoceWc wc = {
        .wr_id = send->wr.wr_id,
        .qp_tag = qp->tag,
        .status = status,
        .opcode = send_opcode(send->wr.opcode),
        .byte_len = send->length,
    };

    if (status != ROCE_WC_SUCCESS && status != ROCE_WC_WR_FLUSH_ERR) {
        qp->engine->stats.local_errors++;
    }
    qp->req.ring.head++;
    qp->engine->ops->complete(qp->engine->opaque, qp->send_cq, &wc);
}

/* All sends that are posted, in order; those to come start afresh. */
void roce_flush_sends(RoceQp *qp)
{
    while (roce_ring_fill(&qp->req.ring)) {
        roce_complete_send(qp, ROCE_WC_WR_FLUSH_ERR);
    }
    roce_req_reset(qp, qp->req.next_psn);
}

static const RoceRecvWr *take_from_srq(RoceQp *qp)
{
    RoceRing *ring = &qp->srq->ring;
    RoceEngine *e = qp->engine;

    if (!roce_ring_fill(ring)) {
        return NULL;
    }
    memcpy(qp->resp.taken, roce_ring_at(ring, ring->head++), ring->stride);
    qp->resp.has_taken = true;
    e->ops->srq_taken(e->opaque, qp->srq->cookie, roce_ring_fill(ring));
    return qp->resp.taken;
}

const RoceRecvWr *roce_recv_peek(RoceQp *qp)
{
    RoceRing *ring = &qp->resp.ring;

    if (qp->srq) {
        return qp->resp.has_taken ? qp->resp.taken : take_from_srq(qp);
    }
    return roce_ring_fill(ring) ? roce_ring_at(ring, ring->head) : NULL;
}

void roce_complete_recv(RoceQp *qp, RoceWc *wc)
{
    if (qp->srq) {
        wc->wr_id = qp->resp.taken->wr_id;
        qp->resp.has_taken = false;
    } else {
        const RoceRecvWr *wr = roce_ring_at(&qp->resp.ring,
                                            qp->resp.ring.head++);
        wc->wr_id = wr->wr_id;
    }
    wc->qp_tag = qp->tag;
    wc->receive = true;
    wc->from_srq = qp->srq;
    if (wc->opcode != ROCE_WC_RECV_RDMA_WITH_IMM) {
        wc->opcode = ROCE_WC_RECV;
    }
    qp->engine->ops->complete(qp->engine->opaque, qp->recv_cq, wc);
}

static void flush_receives(RoceQp *qp)
{
    while (qp->srq ? qp->resp.has_taken : roce_ring_fill(&qp->resp.ring)) {
        RoceWc wc = { .status = ROCE_WC_WR_FLUSH_ERR };

        roce_complete_recv(qp, &wc);
    }
}

/* States */

static void reset_responder(RoceQp *qp)
{
    RoceResponder *r = &qp->resp;

    r->message = ROCE_MESSAGE_NONE;
    r->received = 0;
    r->answers = r->new_answers = 0;
    r->ack_due = r->nak_due = r->nak_sent = r->dead = false;
    memset(r->atomic, 0, sizeof(r->atomic));
}

void roce_qp_enter_error(RoceQp *qp)
{
    if (qp->attr.state == ROCE_QPS_ERR) {
        return;
    }
    qp->attr.state = ROCE_QPS_ERR;
    roce_unqueue(qp);
    roce_timer_remove(qp);
    roce_flush_sends(qp);
    flush_receives(qp);
    reset_responder(qp);
    if (qp->srq) {
        roce_qp_event(qp, ROCE_EVENT_QP_LAST_WQE);
    }
}

static void enter_reset(RoceQp *qp)
{
    roce_unqueue(qp);
    roce_timer_remove(qp);
    qp->req.ring.head = qp->req.ring.tail;
    qp->resp.ring.head = qp->resp.ring.tail;
    qp->resp.has_taken = false;
    roce_req_reset(qp, 0);
    reset_responder(qp);
    qp->resp.msn = 0;
    qp->established = false;
    memset(&qp->attr, 0, sizeof(qp->attr));
    qp->attr.path_mtu = qp->engine->mtu;
}

static bool mtu_valid(const RoceQp *qp, uint32_t mtu)
{
    return mtu >= 256 && mtu <= qp->engine->mtu && !(mtu & (mtu - 1));
}

static bool attr_valid(const RoceQp *qp, const RoceQpAttr *a, uint32_t mask)
{
#define HAS(name) (mask & ROCE_QP_##name)
    return !(HAS(STATE) && a->state > ROCE_QPS_ERR) &&
           !(HAS(AV) && !qp->engine->gid_set[a->av.sgid_index]) &&
           !(HAS(PATH_MTU) && !mtu_valid(qp, a->path_mtu)) &&
           !(HAS(TIMEOUT) && a->timeout > 31) &&
           !(HAS(RETRY_CNT) && a->retry_cnt > 7) &&
           !(HAS(RNR_RETRY) && a->rnr_retry > 7) &&
           !(HAS(MIN_RNR_TIMER) && a->min_rnr_timer > 31) &&
           !(HAS(MAX_QP_RD_ATOMIC) &&
             a->max_rd_atomic > ROCE_MAX_RD_ATOMIC) &&
           !(HAS(MAX_DEST_RD_ATOMIC) &&
             a->max_dest_rd_atomic > ROCE_MAX_RD_ATOMIC);
#undef HAS
}

static void take_attr(RoceQp *qp, const RoceQpAttr *a, uint32_t mask)
{
    RoceQpAttr *to = &qp->attr;

#define TAKE(bit, field) if (mask & ROCE_QP_##bit) { to->field = a->field; }
    TAKE(ACCESS_FLAGS, access_flags)
    TAKE(QKEY, qkey)
    TAKE(AV, av)
    TAKE(PATH_MTU, path_mtu)
    TAKE(TIMEOUT, timeout)
    TAKE(RETRY_CNT, retry_cnt)
    TAKE(RNR_RETRY, rnr_retry)
    TAKE(MAX_QP_RD_ATOMIC, max_rd_atomic)
    TAKE(MIN_RNR_TIMER, min_rnr_timer)
    TAKE(MAX_DEST_RD_ATOMIC, max_dest_rd_atomic)
    TAKE(DEST_QPN, dest_qpn)
#undef TAKE
    to->dest_qpn &= ROCE_PSN_MASK;
    if (mask & ROCE_QP_RQ_PSN) {
        qp->resp.epsn = a->rq_psn & ROCE_PSN_MASK;
    }
    if (mask & ROCE_QP_SQ_PSN) {
        roce_req_reset(qp, a->sq_psn & ROCE_PSN_MASK);
    }
}

int roce_qp_modify(RoceQp *qp, const RoceQpAttr *attr, uint32_t mask)
{
    if (!attr_valid(qp, attr, mask)) {
        return -EINVAL;
    }
    if (mask & ROCE_QP_STATE && attr->state == ROCE_QPS_RESET) {
        enter_reset(qp);
        return 0;
    }
    take_attr(qp, attr, mask);
    if (!(mask & ROCE_QP_STATE)) {
        return 0;
    }
    if (attr->state == ROCE_QPS_ERR) {
        roce_qp_enter_error(qp);
        return 0;
    }
    qp->attr.state = attr->state;
    if (roce_qp_can_send(qp) && roce_ring_fill(&qp->req.ring)) {
        roce_queue(qp);
    }
    return 0;
}

bool roce_qp_is_idle(const RoceQp *qp)
{
    if (qp->attr.state == ROCE_QPS_SQD) {
        return qp->type != ROCE_QPT_RC ||
               qp->req.ring.head == qp->req.assigned;
    }
    return !roce_ring_fill(&qp->req.ring);
}

void roce_qp_query(const RoceQp *qp, RoceQpAttr *ret)
{
    *ret = qp->attr;
    ret->rq_psn = qp->resp.epsn;
    ret->sq_psn = qp->req.next_psn;
    ret->sq_draining = qp->attr.state == ROCE_QPS_SQD && !roce_qp_is_idle(qp);
}

/* Posting */

static bool opcode_valid(const RoceQp *qp, uint32_t opcode)
{
    switch (opcode) {
    case ROCE_WR_SEND:
    case ROCE_WR_SEND_WITH_IMM:
        return true;
    case ROCE_WR_RDMA_WRITE:
    case ROCE_WR_RDMA_WRITE_WITH_IMM:
    case ROCE_WR_RDMA_READ:
    case ROCE_WR_ATOMIC_CMP_AND_SWP:
    case ROCE_WR_ATOMIC_FETCH_AND_ADD:
    case ROCE_WR_SEND_WITH_INV:
    case ROCE_WR_LOCAL_INV:
    case ROCE_WR_FAST_REG_MR:
        return qp->type == ROCE_QPT_RC;
    default:
        return false;
    }
}

/* A list beyond the greatest message fails when its turn comes. */
static void put_send(RoceQp *qp, const RoceSendWr *wr)
{
    RoceSend *send = roce_send_at(qp, qp->req.ring.tail++);
    uint64_t length = roce_sge_length(wr->sge, wr->num_sge);

    memset(send, 0, offsetof(RoceSend, wr));
    memcpy(&send->wr, wr, offsetof(RoceSendWr, sge) +
           wr->num_sge * sizeof(RoceSge));
    if (length > ROCE_MAX_MSG) {
        send->status = ROCE_WC_LOC_LEN_ERR;
    } else {
        send->length = length;
    }
}

int roce_post_send(RoceQp *qp, const RoceSendWr *wr)
{
    if (wr->num_sge > qp->req.ring.max_sge || !opcode_valid(qp, wr->opcode)) {
        return -EINVAL;
    }
    if (roce_ring_fill(&qp->req.ring) == qp->req.ring.limit) {
        return -ENOMEM;
    }
    put_send(qp, wr);
    if (qp->attr.state == ROCE_QPS_ERR || qp->attr.state == ROCE_QPS_SQE) {
        roce_flush_sends(qp);
    } else if (roce_qp_can_send(qp)) {
        roce_queue(qp);
    }
    return 0;
}

int roce_post_recv(RoceQp *qp, const RoceRecvWr *wr)
{
    RoceRing *ring = &qp->resp.ring;

    if (qp->srq || wr->num_sge > ring->max_sge) {
        return -EINVAL;
    }
    if (roce_ring_fill(ring) == ring->limit) {
        return -ENOMEM;
    }
    memcpy(roce_ring_at(ring, ring->tail++), wr,
           offsetof(RoceRecvWr, sge) + wr->num_sge * sizeof(RoceSge));
    if (qp->attr.state == ROCE_QPS_ERR) {
        flush_receives(qp);
    }
    return 0;
}
