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

static void handle_wqe(PvrdmaQp *qp, const RecvWqe *wqe)
{
    PvrdmaBackend *be = qp->dev->be;
    PvrdmaRecvWr wr;
    PvrdmaWrCtx ctx = {
        .wr_id = le64_to_cpu(wqe->hdr.wr_id),
        .opcode = PVRDMA_WC_OP_RECV,
        .signaled = true,
    };
    uint32_t status = decode(qp, wqe, &wr);

    pvrdma_wq_count(qp, &qp->rq);
    trace_pvrdma_recv(qp->handle, status);
    if (!pvrdma_wq_consume(&qp->rq.ring)) {
        status = PVRDMA_WC_LOC_QP_OP_ERR;
    }
    if (!status) {
        *pvrdma_wq_begin(qp, &qp->rq, &wr.wr_id) = ctx;
        if (be->ops->post_recv(be, qp->be, &wr)) {
            pvrdma_wq_cancel(&qp->rq);
            status = PVRDMA_WC_LOC_QP_OP_ERR;
        }
    }
    if (status) {
        /* those before it may never complete, so they are flushed now */
        pvrdma_wq_set_failed(&qp->rq, &ctx, status);
        pvrdma_qp_fail(qp, false);
    }
}

static bool receive_one(PvrdmaQp *qp)
{
    RecvWqe wqe;

    if (!qp->be) {
        return false; /* the backend can't carry it: it receives nothing */
    }
    switch (pvrdma_wq_fetch(&qp->rq.ring, &wqe)) {
    case PVRDMA_FETCH_EMPTY:
        return false;
    case PVRDMA_FETCH_BROKEN:
        pvrdma_qp_fatal(qp);
        return false;
    case PVRDMA_FETCH_GOT:
        break;
    }
    if (!pvrdma_wq_may_post(&qp->rq, qp->rq.cq->host_entries / 4)) {
        return false;
    }
    handle_wqe(qp, &wqe);
    return true;
}

void pvrdma_rq_run(PvrdmaQp *qp)
{
    bool failed;

    if (qp->srq) {
        return; /* it has no receives of its own */
    }
    qp->rq.waiting = false;
    for (uint32_t budget = BUDGET; budget; budget--) {
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
        if (!receive_one(qp)) {
            return;
        }
    }
    pvrdma_qp_kick(qp);
}
