/*
 * pvrdma: receive queues
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What happens to a receive WQE in each state of its QP:
 *   RESET        stays in the guest's ring
 *   INIT .. SQE  goes to the host
 *   ERR          is flushed, after all that the host has
 * With an SRQ, see pvrdma_srq.c.
 */
#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "pvrdma.h"
#include "trace.h"

#define BUDGET 128u

typedef struct RecvWqe {
    PvrdmaWireRecvWr hdr;
    PvrdmaWireSge sge[PVRDMA_MAX_SGE];
} RecvWqe;

static uint32_t decode(PvrdmaQp *qp, const RecvWqe *wqe, PvrdmaRecvWr *wr)
{
    uint32_t num_sge = le32_to_cpu(wqe->hdr.num_sge);
    uint64_t length;

    if (num_sge > qp->rq.ring.max_sge) {
        return PVRDMA_WC_LOC_QP_OP_ERR;
    }
    return pvrdma_wq_sges(qp->dev, qp->pd, wqe->sge, num_sge,
                          PVRDMA_ACCESS_LOCAL_WRITE, wr->sge, &wr->num_sge,
                          &length);
}

static uint32_t take_wqe(PvrdmaQp *qp, PvrdmaBatch *b, uint32_t i,
                         PvrdmaWrCtx *ctx)
{
    PvrdmaRecvWr *wr = &b->recv[b->n];
    uint32_t status;
    RecvWqe wqe;

    pvrdma_wq_read(&qp->rq.ring, i, &wqe, qp->rq.ring.wqe_len);
    wr->sge = b->sge[b->n];
    *ctx = (PvrdmaWrCtx) {
        .wr_id = le64_to_cpu(wqe.hdr.wr_id),
        .opcode = PVRDMA_WC_OP_RECV,
        .signaled = true,
    };
    status = decode(qp, &wqe, wr);
    trace_pvrdma_recv(qp->handle, status);
    if (!status) {
        *pvrdma_wq_begin(qp, &qp->rq, &wr->wr_id) = *ctx;
        b->n++;
    }
    return status;
}

/* The status of the first one that failed, with its context; or 0 */
static uint32_t post(PvrdmaQp *qp, PvrdmaBatch *b, PvrdmaWrCtx *ctx)
{
    PvrdmaBackend *be = qp->dev->be;
    uint32_t taken = b->n ? be->ops->post_recv(be, qp->be, b->recv, b->n) : 0;
    uint32_t status = taken < b->n ? PVRDMA_WC_LOC_QP_OP_ERR : 0;

    for (; b->n > taken; b->n--) {
        pvrdma_wq_cancel(qp->dev, &qp->rq, ctx);
    }
    return status;
}

/* Up to @n WQEs of those in the ring.  Returns whether to go on. */
static bool receive_batch(PvrdmaQp *qp, uint32_t n)
{
    PvrdmaBatch *b = &qp->dev->batch;
    uint32_t kept = qp->rq.cq->host_entries / 4;
    uint32_t status = 0, refused;
    PvrdmaWrCtx bad, ctx;
    bool more = true;

    b->n = 0;
    for (uint32_t i = 0; i < n && more && !status; i++) {
        more = pvrdma_wq_may_post(&qp->rq, kept);
        status = more ? take_wqe(qp, b, i, &bad) : 0;
    }
    refused = post(qp, b, &ctx);
    if (refused) {
        bad = ctx;
        status = refused;
    }
    n = b->n + !!status;
    pvrdma_wq_consume(&qp->rq.ring, n);
    pvrdma_wq_count(qp, &qp->rq, n);
    if (status) {
        /* those before it may never complete, so they are flushed now */
        pvrdma_wq_set_failed(&qp->rq, &bad, status);
        pvrdma_qp_fail(qp, false);
    }
    return more;
}

/* False when there is nothing more to do now. */
static bool receive_some(PvrdmaQp *qp, uint32_t *budget)
{
    uint32_t avail;

    if (!qp->be) {
        return false; /* the backend can't carry it: it receives nothing */
    }
    if (!pvrdma_wq_avail(&qp->rq.ring, &avail)) {
        pvrdma_qp_fatal(qp);
        return false;
    }
    avail = MIN(avail, MIN(*budget, PVRDMA_BATCH));
    *budget -= avail;
    return avail && receive_batch(qp, avail);
}

void pvrdma_rq_run(PvrdmaQp *qp)
{
    uint32_t budget = BUDGET;
    bool failed;

    if (qp->srq) {
        return; /* it has no receives of its own */
    }
    qp->rq.waiting = false;
    while (budget) {
        if (!pvrdma_wq_flush_failed(qp, &qp->rq, &failed)) {
            return;
        }
        if (failed) {
            pvrdma_qp_fail(qp, false);
        }
        if (qp->state == PVRDMA_QPS_RESET) {
            return;
        }
        if (qp->state == PVRDMA_QPS_ERR) {
            if (!pvrdma_wq_flush(qp, &qp->rq, budget)) {
                pvrdma_qp_kick(qp);
            }
            return;
        }
        if (!receive_some(qp, &budget)) {
            return;
        }
    }
    pvrdma_qp_kick(qp);
}
