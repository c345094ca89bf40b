/*
 * pvrdma: what send and receive queues have in common
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A WR on its way through the host is a context in a ring of as many entries
 * as the guest's queue has.  The host completes in order, so the oldest context
 * is the next to complete, or one behind it when the guest did not ask for what
 * is before that: nothing is searched or allocated.
 *
 * Host wr_id: QP generation << 33 | QP handle << 17 | receive << 16 | slot.
 * The generation tells completions from before a reset or of a destroyed QP
 * with the same handle.
 */
#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "qemu/log.h"
#include "pvrdma.h"
#include "trace.h"

#define MAX_SLOTS 65536u

void pvrdma_wq_ring_init(PvrdmaWqRing *ring, PvrdmaQueueMem *mem,
                         uint32_t count, uint32_t max_sge, uint32_t header)
{
    ring->mem = mem;
    ring->count = count;
    ring->max_sge = max_sge;
    ring->stride = pvrdma_wqe_stride(header, max_sge);
    ring->wqe_len = header + max_sge * sizeof(PvrdmaWireSge);
    ring->first_page = 1;
    ring->index_off = PVRDMA_RING2_TAIL;
}

uint32_t pvrdma_wq_ring_pages(const PvrdmaWqRing *ring)
{
    return DIV_ROUND_UP((uint64_t)ring->count * ring->stride,
                        PVRDMA_PAGE_SIZE);
}

bool pvrdma_wq_avail(const PvrdmaWqRing *ring, uint32_t *ret)
{
    uint32_t tail = pvrdma_queue_load32(ring->mem, ring->index_off);

    if (!pvrdma_ring_index_valid(ring->count, tail)) {
        return false;
    }
    *ret = pvrdma_ring_fill(ring->count, tail, ring->cons);
    return *ret <= ring->count;
}

void pvrdma_wq_read(const PvrdmaWqRing *ring, uint32_t i, void *wqe,
                    uint32_t len)
{
    uint32_t slot = pvrdma_ring_slot(ring->count, ring->cons + i);

    memcpy(wqe, pvrdma_queue_at(ring->mem, ring->first_page,
                                slot * ring->stride), len);
}

void pvrdma_wq_consume(PvrdmaWqRing *ring, uint32_t n)
{
    if (!n) {
        return;
    }
    ring->cons = (ring->cons + n) & (2 * ring->count - 1);
    /* the consumer index lies behind the producer's */
    pvrdma_queue_store32(ring->mem, ring->index_off + 4, ring->cons);
}

void pvrdma_wq_count(PvrdmaQp *qp, const PvrdmaWq *wq, uint32_t n)
{
    if (wq == &qp->rq) {
        qp->stats.receives += n;
        qp->dev->stats.recv_wqes += n;
    } else {
        qp->stats.sends += n;
        qp->dev->stats.send_wqes += n;
    }
}

bool pvrdma_wq_init(PvrdmaWq *wq, PvrdmaCq *cq, uint32_t npages)
{
    uint64_t bytes = pvrdma_budget_wrs(wq->ring.count, wq->ring.max_sge) +
                     pvrdma_budget_pages(npages);

    wq->cq = cq;
    assert(wq->ring.count <= MAX_SLOTS); /* by the caps */
    if (!pvrdma_budget_take_queue(cq->dev, bytes)) {
        return false;
    }
    wq->bytes = bytes;
    wq->ctx = g_try_new0(PvrdmaWrCtx, wq->ring.count);
    return wq->ctx;
}

static void put_ah(PvrdmaDev *dev, PvrdmaWrCtx *ctx)
{
    if (ctx->ah) {
        dev->be->ops->ah_put(dev->be, ctx->ah);
        ctx->ah = NULL;
    }
}

/* The oldest context is done with. */
static PvrdmaWrCtx retire(PvrdmaDev *dev, PvrdmaWq *wq)
{
    PvrdmaWrCtx *ctx = &wq->ctx[wq->ctx_head];

    put_ah(dev, ctx);
    wq->ctx_head = pvrdma_ring_slot(wq->ring.count, wq->ctx_head + 1);
    wq->outstanding--;
    wq->cq->credits++;
    return *ctx;
}

void pvrdma_wq_reset(PvrdmaDev *dev, PvrdmaWq *wq)
{
    while (wq->outstanding) {
        retire(dev, wq);
    }
    wq->ctx_head = wq->ring.cons = 0;
    wq->waiting = false;
    wq->failed_status = 0;
    pvrdma_cq_run_starved(wq->cq);
}

void pvrdma_wq_clear(PvrdmaDev *dev, PvrdmaWq *wq)
{
    if (wq->ctx) {
        pvrdma_wq_reset(dev, wq);
    }
    g_clear_pointer(&wq->ctx, g_free);
    pvrdma_budget_give_queue(dev, wq->bytes);
    wq->bytes = 0;
}

/* Sends may use every entry of the host CQ; receives, which can stay for ever,
 * leave @credits_kept of them, or no send could complete. */
bool pvrdma_wq_may_post(PvrdmaWq *wq, uint32_t credits_kept)
{
    if (wq->outstanding < wq->ring.count && wq->cq->credits > credits_kept) {
        return true;
    }
    wq->waiting = true;
    if (wq->outstanding < wq->ring.count) {
        wq->cq->starved = true;
    }
    pvrdma_cq_kick(wq->cq);
    return false;
}

PvrdmaWrCtx *pvrdma_wq_begin(PvrdmaQp *qp, PvrdmaWq *wq, uint64_t *ret_id)
{
    uint32_t slot = pvrdma_ring_slot(wq->ring.count,
                                     wq->ctx_head + wq->outstanding);

    *ret_id = (uint64_t)qp->generation << 33 | (uint64_t)qp->handle << 17 |
              (wq == &qp->rq ? 1u << 16 : 0) | slot;
    wq->outstanding++;
    wq->cq->credits--;
    return &wq->ctx[slot];
}

void pvrdma_wq_cancel(PvrdmaDev *dev, PvrdmaWq *wq, PvrdmaWrCtx *ret)
{
    PvrdmaWrCtx *ctx;

    wq->outstanding--;
    wq->cq->credits++;
    ctx = &wq->ctx[pvrdma_ring_slot(wq->ring.count,
                                    wq->ctx_head + wq->outstanding)];
    put_ah(dev, ctx);
    *ret = *ctx;
}

void pvrdma_wq_set_failed(PvrdmaWq *wq, const PvrdmaWrCtx *ctx,
                          uint32_t status)
{
    wq->failed = *ctx;
    wq->failed_status = status;
}

static uint32_t wc_flags(const PvrdmaWc *wc)
{
    return (wc->has_grh ? PVRDMA_WC_FLAG_GRH : 0) |
           (wc->has_imm ? PVRDMA_WC_FLAG_IMM : 0) |
           (wc->has_inv ? PVRDMA_WC_FLAG_INV : 0) |
           (wc->network ? PVRDMA_WC_FLAG_NETWORK : 0);
}

static void push(PvrdmaQp *qp, PvrdmaCq *cq, const PvrdmaWrCtx *ctx,
                 const PvrdmaWc *wc)
{
    PvrdmaWireCqe cqe = {
        .wr_id = cpu_to_le64(ctx->wr_id),
        .qp = cpu_to_le64(qp->handle),
        .opcode = cpu_to_le32(ctx->opcode),
        .status = cpu_to_le32(wc->status),
        .vendor_err = cpu_to_le32(wc->vendor_err),
        .byte_len = cpu_to_le32(wc->byte_len),
        .imm_data = wc->has_inv ? cpu_to_le32(wc->invalidated_key) : wc->imm,
        .src_qp = cpu_to_le32(wc->src_qp),
        .wc_flags = cpu_to_le32(wc_flags(wc)),
        .port_num = 1,
        .network_hdr_type = wc->network,
    };

    qp->stats.completions++;
    qp->stats.errors += wc->status != PVRDMA_WC_SUCCESS;
    pvrdma_cq_push(cq, &cqe, wc->solicited);
}

bool pvrdma_wq_flush_failed(PvrdmaQp *qp, PvrdmaWq *wq, bool *ret_failed)
{
    PvrdmaWc wc = { .status = wq->failed_status };

    *ret_failed = false;
    if (!wq->failed_status) {
        return true;
    }
    if (wq->outstanding) {
        wq->waiting = true;
        pvrdma_cq_kick(wq->cq);
        return false;
    }
    /* a send that failed behind another's failure was only flushed */
    if (wq == &qp->sq &&
        (qp->state == PVRDMA_QPS_ERR || qp->state == PVRDMA_QPS_SQE)) {
        wc.status = PVRDMA_WC_WR_FLUSH_ERR;
    } else {
        *ret_failed = true;
    }
    wq->failed_status = 0;
    push(qp, wq->cq, &wq->failed, &wc);
    pvrdma_cq_publish(wq->cq);
    return true;
}

bool pvrdma_wq_flush(PvrdmaQp *qp, PvrdmaWq *wq, uint32_t budget)
{
    const PvrdmaWc wc = { .status = PVRDMA_WC_WR_FLUSH_ERR };
    PvrdmaWrCtx ctx = {
        .opcode = wq == &qp->rq ? PVRDMA_WC_OP_RECV : PVRDMA_WC_OP_SEND,
    };
    uint32_t avail, n = 0;

    if (wq->outstanding) {
        wq->waiting = true;
        pvrdma_cq_kick(wq->cq);
        return true;
    }
    wq->waiting = false;
    if (!pvrdma_wq_avail(&wq->ring, &avail)) {
        return true;
    }
    for (; n < MIN(avail, budget) && !wq->cq->error; n++) {
        uint64_t wr_id;

        /* first field of both kinds */
        pvrdma_wq_read(&wq->ring, n, &wr_id, sizeof(wr_id));
        ctx.wr_id = le64_to_cpu(wr_id);
        push(qp, wq->cq, &ctx, &wc);
    }
    pvrdma_wq_consume(&wq->ring, n);
    pvrdma_wq_count(qp, wq, n);
    pvrdma_cq_publish(wq->cq);
    return n < budget;
}

/* Whether an SGE may be used; fills in what the backend needs to know of it. */
static bool resolve_sge(PvrdmaDev *dev, PvrdmaPd *pd, uint32_t key,
                        uint32_t access, PvrdmaSge *sge)
{
    PvrdmaMr *mr;

    if (dev->be->ops->resolves_keys) {
        sge->key = key;
        return true;
    }
    mr = pvrdma_mr_for_sge(dev, pd, key, sge->addr, sge->length, access);
    if (!mr) {
        return false;
    }
    sge->mr = mr->be;
    return true;
}

uint32_t pvrdma_wq_sges(PvrdmaDev *dev, PvrdmaPd *pd, const PvrdmaWireSge *wire,
                        uint32_t num_sge, uint32_t access, PvrdmaSge *ret,
                        uint32_t *ret_num, uint64_t *ret_len)
{
    *ret_num = 0;
    *ret_len = 0;
    for (uint32_t i = 0; i < num_sge; i++) {
        PvrdmaSge *sge = &ret[*ret_num];

        sge->addr = le64_to_cpu(wire[i].addr);
        sge->length = le32_to_cpu(wire[i].length);
        if (!sge->length) {
            continue; /* some hosts read 0 as 2^31 */
        }
        if (!resolve_sge(dev, pd, le32_to_cpu(wire[i].lkey), access, sge)) {
            return PVRDMA_WC_LOC_PROT_ERR;
        }
        *ret_len += sge->length;
        (*ret_num)++;
    }
    return 0;
}

static PvrdmaQp *qp_of(PvrdmaDev *dev, uint64_t wr_id)
{
    PvrdmaQp *qp = pvrdma_table_get(&dev->qps, (wr_id >> 17) & 0xffff);

    return qp && qp->generation == (uint32_t)(wr_id >> 33) ? qp : NULL;
}

static uint32_t recv_opcode(const PvrdmaWc *wc)
{
    return wc->opcode == PVRDMA_WC_OP_RECV_RDMA_WITH_IMM
           ? PVRDMA_WC_OP_RECV_RDMA_WITH_IMM : PVRDMA_WC_OP_RECV;
}

/* RC goes to ERR with the host's QP; a UD send error may leave it in SQE. */
static void note_failure(PvrdmaQp *qp, bool receive, uint32_t status)
{
    if (status != PVRDMA_WC_SUCCESS && status != PVRDMA_WC_WR_FLUSH_ERR) {
        pvrdma_qp_fail(qp, !receive);
    }
}

/* A receive of an SRQ: no context, no credit, only the QP that took it */
static void complete_from_srq(PvrdmaDev *dev, PvrdmaCq *cq, const PvrdmaWc *wc)
{
    PvrdmaQp *qp = pvrdma_table_get(&dev->qps, wc->qp_tag);
    const PvrdmaWrCtx ctx = {
        .wr_id = wc->wr_id,
        .opcode = recv_opcode(wc),
    };

    if (!qp || !qp->srq || qp->rq.cq != cq) {
        return;
    }
    note_failure(qp, true, wc->status);
    push(qp, cq, &ctx, wc);
}

/* Retires what is before @slot: sends that worked and that nobody waits for. */
static bool skip_to(PvrdmaDev *dev, PvrdmaWq *wq, uint32_t slot)
{
    uint32_t count = wq->ring.count;

    if (slot >= count ||
        pvrdma_ring_slot(count, slot - wq->ctx_head) >= wq->outstanding) {
        return false;
    }
    while (wq->ctx_head != slot) {
        if (wq->ctx[wq->ctx_head].signaled) {
            return false;
        }
        retire(dev, wq);
    }
    return true;
}

void pvrdma_wq_complete(PvrdmaDev *dev, PvrdmaCq *cq, const PvrdmaWc *wc)
{
    PvrdmaQp *qp = qp_of(dev, wc->wr_id);
    bool receive = wc->wr_id & (1u << 16);
    PvrdmaWrCtx ctx;
    PvrdmaWq *wq;

    if (wc->from_srq) {
        complete_from_srq(dev, cq, wc);
        return;
    }
    if (!qp) {
        return; /* of a QP that was reset or destroyed */
    }
    wq = receive ? &qp->rq : &qp->sq;
    if (wq->cq != cq || !skip_to(dev, wq, wc->wr_id & 0xffff)) {
        trace_pvrdma_wc_unexpected(qp->handle, wc->wr_id);
        pvrdma_qp_fatal(qp);
        return;
    }
    ctx = retire(dev, wq);
    if (receive) {
        ctx.opcode = recv_opcode(wc);
    }
    note_failure(qp, receive, wc->status);
    if (receive || ctx.signaled || wc->status != PVRDMA_WC_SUCCESS) {
        push(qp, cq, &ctx, wc);
    }
    if (wq->waiting) {
        pvrdma_qp_kick(qp);
    }
}
