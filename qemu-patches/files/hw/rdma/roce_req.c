/*
 * RoCE v2 in software: requester, what it sends
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Go-back-N: what has to be sent again is read from memory again.  After a
 * timeout only the oldest packet is, as a probe: mostly just an answer was
 * lost, and the answer to the probe covers all that arrived.
 *
 * All that is out behind a lost packet is sent twice, so the window is halved
 * with each loss, and is back after four times as many packets: it settles at
 * about the distance between two losses.
 */
#include "roce_int.h"

#define MS 1000000ull
/* A guest on a busy machine is not answering faster than this. */
#define MIN_TIMEOUT (10 * MS)
/* Within one retry, whose length may be 4 T, it is sent this many times. */
#define RESENDS 4
#define MIN_WINDOW 8u

bool roce_send_is_read(const RoceSend *send)
{
    return send->wr.opcode >= ROCE_WR_RDMA_READ &&
           send->wr.opcode <= ROCE_WR_ATOMIC_FETCH_AND_ADD;
}

bool roce_send_is_atomic(const RoceSend *send)
{
    return roce_send_is_read(send) && send->wr.opcode != ROCE_WR_RDMA_READ;
}

static bool is_local(const RoceSend *send)
{
    return send->wr.opcode == ROCE_WR_LOCAL_INV ||
           send->wr.opcode == ROCE_WR_FAST_REG_MR;
}

void roce_req_reset(RoceQp *qp, uint32_t psn)
{
    RoceRequester *r = &qp->req;

    r->cur = r->assigned = r->ring.head;
    r->cur_packet = 0;
    r->una_psn = r->high_psn = r->next_psn = psn;
    r->reads = r->pending_reads = 0;
    r->retries = qp->attr.retry_cnt;
    r->rnr_retries = qp->attr.rnr_retry;
    r->resends = 0;
    r->probing = r->went_back = r->rnr_wait = false;
    r->window = 4 * ROCE_WINDOW;
}

void roce_req_narrow(RoceQp *qp)
{
    RoceRequester *r = &qp->req;

    r->window = r->window / 2 > 4 * MIN_WINDOW ? r->window / 2
                                               : 4 * MIN_WINDOW;
}

void roce_req_widen(RoceQp *qp, uint32_t packets)
{
    RoceRequester *r = &qp->req;

    r->window += packets;
    if (r->window > 4 * ROCE_WINDOW) {
        r->window = 4 * ROCE_WINDOW;
    }
}

static uint32_t window(const RoceQp *qp)
{
    return qp->req.window / 4;
}

/* Packets that are out */
static uint32_t in_flight(const RoceQp *qp)
{
    return roce_psn_diff(roce_req_position(qp), qp->req.una_psn);
}

uint32_t roce_req_position(const RoceQp *qp)
{
    const RoceRequester *r = &qp->req;

    if (r->cur == r->assigned) {
        return r->next_psn;
    }
    return roce_psn_add(roce_send_at(qp, r->cur)->first_psn, r->cur_packet);
}

void roce_req_rewind(RoceQp *qp)
{
    RoceRequester *r = &qp->req;

    r->cur = r->ring.head;
    r->cur_packet = 0;
    r->reads = 0;
    if (r->cur != r->assigned) {
        r->cur_packet = roce_psn_diff(r->una_psn,
                                      roce_send_at(qp, r->cur)->first_psn);
    }
}

/* Timer */

static uint64_t timeout_ns(const RoceQp *qp)
{
    uint64_t t = 4096ull << qp->attr.timeout;
    uint8_t resends = qp->req.resends;

    if (t < MIN_TIMEOUT) {
        t = MIN_TIMEOUT;
    }
    return resends < 2 ? t / 2 : t << (resends - 2); /* 4 T in all */
}

void roce_req_arm(RoceQp *qp)
{
    if (qp->req.una_psn == qp->req.high_psn || !qp->attr.timeout) {
        roce_timer_set(qp, ROCE_NEVER);
    } else {
        roce_timer_set(qp, qp->engine->now + timeout_ns(qp));
    }
}

void roce_req_expire(RoceQp *qp)
{
    RoceRequester *r = &qp->req;

    if (r->rnr_wait) {
        r->rnr_wait = false;
        roce_queue(qp);
        return;
    }
    qp->engine->stats.timeouts++;
    if (++r->resends == RESENDS) {
        r->resends = 0;
        if (!r->retries) {
            roce_req_fail(qp, roce_send_at(qp, r->ring.head),
                          ROCE_WC_RETRY_EXC_ERR);
            return;
        }
        r->retries--;
    }
    r->probing = true;
    roce_req_narrow(qp);
    roce_req_rewind(qp);
    roce_req_arm(qp);
    roce_queue(qp);
}

/* Ends */

static bool is_done(const RoceQp *qp, const RoceSend *send)
{
    if (qp->req.ring.head == qp->req.assigned) {
        return false;
    }
    if (!send->num_psn) {
        return send->executed;
    }
    return roce_psn_diff(qp->req.una_psn, send->first_psn) >=
           (int32_t)send->num_psn;
}

void roce_req_retire(RoceQp *qp)
{
    RoceRequester *r = &qp->req;

    while (roce_ring_fill(&r->ring)) {
        RoceSend *send = roce_send_at(qp, r->ring.head);

        if (send->status) {
            roce_complete_send(qp, send->status);
            roce_qp_enter_error(qp);
            return;
        }
        if (!is_done(qp, send)) {
            return;
        }
        r->pending_reads -= roce_send_is_read(send);
        if (r->cur == r->ring.head) {
            r->cur++;
            r->cur_packet = 0;
        }
        roce_complete_send(qp, ROCE_WC_SUCCESS);
    }
}

void roce_req_fail(RoceQp *qp, RoceSend *send, uint32_t status)
{
    send->status = status;
    roce_req_retire(qp);
}

/* Starts */

/* Whether the send can ever be carried out; if not, with which status */
static uint32_t judge(RoceQp *qp, const RoceSend *send)
{
    if (roce_packets(send->length, qp->attr.path_mtu) > ROCE_MAX_PSNS ||
        (roce_send_is_atomic(send) && send->length != 8)) {
        return ROCE_WC_LOC_LEN_ERR;
    }
    if (roce_send_is_read(send) && !qp->attr.max_rd_atomic) {
        return ROCE_WC_LOC_QP_OP_ERR;
    }
    return roce_sge_check(qp, send->wr.sge, send->wr.num_sge,
                          roce_send_is_read(send) ? ROCE_ACCESS_LOCAL_WRITE
                                                  : 0)
           ? ROCE_WC_SUCCESS : ROCE_WC_LOC_PROT_ERR;
}

static uint32_t count_psns(const RoceQp *qp, const RoceSend *send)
{
    if (is_local(send)) {
        return 0;
    }
    if (roce_send_is_atomic(send)) {
        return 1;
    }
    return roce_packets(send->length, qp->attr.path_mtu);
}

/* Gives PSNs to the send at cur; false: it has to wait for those before. */
static bool assign(RoceQp *qp, RoceSend *send)
{
    RoceRequester *r = &qp->req;
    uint32_t n = count_psns(qp, send);
    uint32_t out = roce_psn_diff(r->next_psn, r->una_psn);

    if ((send->wr.fence && r->pending_reads) || out + n > ROCE_MAX_PSNS) {
        return false;
    }
    send->first_psn = r->next_psn;
    send->num_psn = n;
    r->next_psn = roce_psn_add(r->next_psn, n);
    r->assigned++;
    r->pending_reads += roce_send_is_read(send);
    return true;
}

/*
 * An invalidation waits until everything before it is acknowledged: sending
 * that again would read the memory again.
 */
static bool execute(RoceQp *qp, RoceSend *send)
{
    RoceEngine *e = qp->engine;
    bool good;

    if (send->wr.opcode == ROCE_WR_LOCAL_INV) {
        if (qp->req.cur != qp->req.ring.head) {
            return false;
        }
        good = e->ops->invalidate(e->opaque, qp->pd,
                                  send->wr.u.invalidate_key, false);
    } else {
        good = e->ops->fast_reg(e->opaque, qp->pd, &send->wr);
    }
    if (!good) {
        roce_req_fail(qp, send, ROCE_WC_MW_BIND_ERR);
        return false;
    }
    send->executed = true;
    return true;
}

/* Packets */

static bool may_send(const RoceQp *qp, const RoceSend *send)
{
    const RoceRequester *r = &qp->req;
    uint32_t out = in_flight(qp);

    if (r->probing && out) {
        return false;
    }
    if (roce_send_is_read(send) && r->reads >= qp->attr.max_rd_atomic) {
        return false;
    }
    return out < window(qp);
}

/* SENDs and WRITEs have the same six opcodes in a row. */
static uint8_t data_opcode(const RoceSendWr *wr, bool first, bool last)
{
    bool write = wr->opcode <= ROCE_WR_RDMA_WRITE_WITH_IMM;
    uint8_t base = write ? ROCE_OP_WRITE_FIRST : ROCE_OP_SEND_FIRST;

    if (!last) {
        return base + !first;
    }
    if (wr->opcode == ROCE_WR_SEND_WITH_INV) {
        return first ? ROCE_OP_SEND_ONLY_INV : ROCE_OP_SEND_LAST_INV;
    }
    return base + (first ? 4 : 2) +
           (wr->opcode == ROCE_WR_SEND_WITH_IMM ||
            wr->opcode == ROCE_WR_RDMA_WRITE_WITH_IMM);
}

static bool wants_ack(const RoceQp *qp, bool last)
{
    const RoceRequester *r = &qp->req;
    uint32_t half = window(qp) / 2;
    uint32_t every = half < ROCE_ACK_EVERY ? half : ROCE_ACK_EVERY;

    return last || r->probing || in_flight(qp) + 1 >= window(qp) ||
           (r->cur_packet + 1) % every == 0;
}

/* What the send counts as once it is out: the next packet, the retry timer */
static void sent(RoceQp *qp, uint32_t packets)
{
    RoceRequester *r = &qp->req;
    uint32_t next = roce_psn_add(roce_req_position(qp), packets);

    r->cur_packet += packets;
    if (roce_psn_diff(next, r->high_psn) > 0) {
        r->high_psn = next;
    }
    if (qp->deadline == ROCE_NEVER) {
        roce_req_arm(qp);
    }
}

static RoceTurn send_data(RoceQp *qp, RoceSend *send, RoceOut *out)
{
    RoceRequester *r = &qp->req;
    uint32_t mtu = qp->attr.path_mtu;
    uint32_t offset = r->cur_packet * mtu;
    uint32_t left = send->length - offset;
    bool last = r->cur_packet + 1 == send->num_psn;
    RocePacket *pkt = &out->pkt;

    pkt->opcode = data_opcode(&send->wr, !r->cur_packet, last);
    pkt->ack_req = wants_ack(qp, last);
    pkt->solicited = last && send->wr.solicited;
    pkt->payload_len = left < mtu ? left : mtu;
    pkt->va = send->wr.u.rdma.remote_addr;
    pkt->rkey = send->wr.u.rdma.rkey;
    pkt->dma_len = send->length;
    pkt->imm = send->wr.imm;
    pkt->inv_key = send->wr.u.invalidate_key;
    if (!roce_sge_gather(qp, send->wr.sge, send->wr.num_sge, offset,
                         roce_out_payload(out), pkt->payload_len)) {
        roce_req_fail(qp, send, ROCE_WC_LOC_PROT_ERR);
        return ROCE_TURN_IDLE;
    }
    if (!roce_out_send(qp->engine, out)) {
        return ROCE_TURN_FULL;
    }
    sent(qp, 1);
    return ROCE_TURN_SENT;
}

/* Up to the next multiple of the piece size, so that pieces keep their ends
 * when they are asked for again. */
static uint32_t read_packets(const RoceRequester *r, const RoceSend *send)
{
    uint32_t piece = ROCE_READ_CHUNK - r->cur_packet % ROCE_READ_CHUNK;
    uint32_t left = send->num_psn - r->cur_packet;

    return left < piece ? left : piece;
}

static RoceTurn send_read(RoceQp *qp, RoceSend *send, RoceOut *out)
{
    RoceRequester *r = &qp->req;
    uint32_t n = read_packets(r, send);
    uint32_t offset = r->cur_packet * qp->attr.path_mtu;
    uint32_t left = send->length - offset;
    uint32_t piece = n * qp->attr.path_mtu;
    RocePacket *pkt = &out->pkt;

    pkt->opcode = ROCE_OP_READ_REQUEST;
    pkt->va = send->wr.u.rdma.remote_addr + offset;
    pkt->rkey = send->wr.u.rdma.rkey;
    pkt->dma_len = left < piece ? left : piece;
    roce_out_payload(out);
    if (!roce_out_send(qp->engine, out)) {
        return ROCE_TURN_FULL;
    }
    r->reads++;
    sent(qp, n);
    return ROCE_TURN_SENT;
}

static RoceTurn send_atomic(RoceQp *qp, RoceSend *send, RoceOut *out)
{
    bool add = send->wr.opcode == ROCE_WR_ATOMIC_FETCH_AND_ADD;
    RocePacket *pkt = &out->pkt;

    pkt->opcode = add ? ROCE_OP_FETCH_ADD : ROCE_OP_CMP_SWAP;
    pkt->va = send->wr.u.rdma.remote_addr;
    pkt->rkey = send->wr.u.rdma.rkey;
    pkt->swap_add = add ? send->wr.u.rdma.compare_add : send->wr.u.rdma.swap;
    pkt->compare = add ? 0 : send->wr.u.rdma.compare_add;
    roce_out_payload(out);
    if (!roce_out_send(qp->engine, out)) {
        return ROCE_TURN_FULL;
    }
    qp->req.reads++;
    sent(qp, 1);
    return ROCE_TURN_SENT;
}

static RoceTurn send_packet(RoceQp *qp, RoceSend *send)
{
    RoceOut out;

    if (!roce_out_room(qp->engine, &qp->attr.av)) {
        return ROCE_TURN_FULL;
    }
    if (!roce_out_open_rc(qp, &out)) {
        roce_req_fail(qp, send, ROCE_WC_LOC_QP_OP_ERR);
        return ROCE_TURN_IDLE;
    }
    out.pkt.psn = roce_req_position(qp);
    if (!roce_send_is_read(send)) {
        return send_data(qp, send, &out);
    }
    return roce_send_is_atomic(send) ? send_atomic(qp, send, &out)
                                     : send_read(qp, send, &out);
}

/* The send at cur, with PSNs; false when it can't go on now. */
static bool start(RoceQp *qp, RoceSend *send)
{
    if (!send->status) {
        send->status = judge(qp, send);
    }
    if (send->status) {
        roce_req_retire(qp);
        return false;
    }
    return assign(qp, send);
}

RoceTurn roce_req_send(RoceQp *qp)
{
    RoceRequester *r = &qp->req;

    while (roce_qp_can_send(qp) && !r->rnr_wait && r->cur != r->ring.tail) {
        RoceSend *send = roce_send_at(qp, r->cur);

        if (r->cur == r->assigned &&
            (qp->attr.state == ROCE_QPS_SQD || !start(qp, send))) {
            return ROCE_TURN_IDLE;
        }
        if (send->status) {
            return ROCE_TURN_IDLE; /* when those before it are done */
        }
        if (is_local(send)) {
            if (!send->executed && !execute(qp, send)) {
                return ROCE_TURN_IDLE;
            }
        } else if (r->cur_packet < send->num_psn) {
            return may_send(qp, send) ? send_packet(qp, send)
                                      : ROCE_TURN_IDLE;
        }
        r->cur++;
        r->cur_packet = 0;
        roce_req_retire(qp);
    }
    return ROCE_TURN_IDLE;
}
