/*
 * pvrdma: the verbs backend: completion queues
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "pvrdma_verbs.h"
#include "trace.h"

/* Taken from the host per call */
#define PVRDMA_VERBS_POLL_BATCH 32

static guint pvrdma_verbs_cq_stashed(const PvrdmaVerbsCq *cq)
{
    return cq->stash->len - cq->stash_head;
}

void pvrdma_verbs_cq_fire(PvrdmaVerbsCq *cq)
{
    PvrdmaBackend *be = &cq->vb->parent;

    trace_pvrdma_verbs_cq_event(be->host_name, cq, cq->armed);
    if (cq->armed) {
        cq->armed = false;
        be->events->cq_ready(be->opaque, cq->cookie);
    }
}

static void pvrdma_verbs_cq_unlink(PvrdmaVerbsCq *cq)
{
    if (cq->firing) {
        cq->firing = false;
        QTAILQ_REMOVE(&cq->vb->fire, cq, next);
    }
}

void pvrdma_verbs_cq_bh(void *opaque)
{
    PvrdmaVerbs *vb = opaque;
    PvrdmaBackend *be = &vb->parent;
    PvrdmaVerbsCq *cq;

    be->events->enter(be->opaque);
    while ((cq = QTAILQ_FIRST(&vb->fire))) {
        pvrdma_verbs_cq_unlink(cq);
        pvrdma_verbs_cq_fire(cq);
    }
    be->events->leave(be->opaque);
}

static void pvrdma_verbs_cq_fire_soon(PvrdmaVerbsCq *cq)
{
    if (!cq->firing) {
        cq->firing = true;
        QTAILQ_INSERT_TAIL(&cq->vb->fire, cq, next);
        qemu_bh_schedule(cq->vb->bh);
    }
}

int pvrdma_verbs_cq_create(PvrdmaBackend *be, uint32_t entries, void *cookie,
                           void **ret_cq)
{
    PvrdmaVerbs *vb = pvrdma_verbs(be);
    g_autofree PvrdmaVerbsCq *cq = g_new0(PvrdmaVerbsCq, 1);

    if (entries > INT_MAX) {
        return -EINVAL;
    }
    errno = 0;
    cq->ibv = ibv_create_cq(vb->ctx, MAX(entries, 1), cq, vb->channel, 0);
    if (!cq->ibv) {
        return pvrdma_verbs_errno();
    }
    cq->vb = vb;
    cq->cookie = cookie;
    cq->stash = g_array_new(FALSE, FALSE, sizeof(struct ibv_wc));
    *ret_cq = g_steal_pointer(&cq);
    return 0;
}

void pvrdma_verbs_cq_destroy(PvrdmaBackend *be, void *opaque)
{
    PvrdmaVerbsCq *cq = opaque;
    int rc = pvrdma_verbs_rc(ibv_destroy_cq(cq->ibv));

    pvrdma_verbs_cq_unlink(cq);
    g_array_unref(cq->stash);
    if (rc < 0) {
        /* the host may still report events with this context: keep it */
        trace_pvrdma_verbs_destroy_failed(be->host_name, "CQ", rc);
        return;
    }
    g_free(cq);
}

int pvrdma_verbs_cq_arm(PvrdmaBackend *be, void *opaque, bool solicited_only)
{
    PvrdmaVerbsCq *cq = opaque;

    cq->armed = true;
    if (pvrdma_verbs_cq_stashed(cq) > 0) {
        pvrdma_verbs_cq_fire_soon(cq);
    }
    return pvrdma_verbs_rc(ibv_req_notify_cq(cq->ibv, solicited_only));
}

static guint pvrdma_verbs_cq_unstash(PvrdmaVerbsCq *cq, struct ibv_wc *wc,
                                     guint n)
{
    n = MIN(n, pvrdma_verbs_cq_stashed(cq));
    if (n == 0) {
        return 0;
    }
    memcpy(wc, &g_array_index(cq->stash, struct ibv_wc, cq->stash_head),
           n * sizeof(*wc));
    cq->stash_head += n;
    if (pvrdma_verbs_cq_stashed(cq) == 0) {
        g_array_set_size(cq->stash, 0);
        cq->stash_head = 0;
    }
    return n;
}

static uint32_t pvrdma_verbs_wc_status(enum ibv_wc_status status)
{
    QEMU_BUILD_BUG_ON((int)IBV_WC_LOC_PROT_ERR != PVRDMA_WC_LOC_PROT_ERR);
    QEMU_BUILD_BUG_ON((int)IBV_WC_WR_FLUSH_ERR != PVRDMA_WC_WR_FLUSH_ERR);
    QEMU_BUILD_BUG_ON((int)IBV_WC_REM_ACCESS_ERR != PVRDMA_WC_REM_ACCESS_ERR);
    QEMU_BUILD_BUG_ON((int)IBV_WC_RETRY_EXC_ERR != PVRDMA_WC_RETRY_EXC_ERR);
    QEMU_BUILD_BUG_ON((int)IBV_WC_GENERAL_ERR != PVRDMA_WC_GENERAL_ERR);

    return status <= IBV_WC_GENERAL_ERR ? status : PVRDMA_WC_GENERAL_ERR;
}

static uint32_t pvrdma_verbs_wc_opcode(enum ibv_wc_opcode opcode)
{
    switch (opcode) {
    case IBV_WC_RDMA_WRITE:
        return PVRDMA_WC_OP_RDMA_WRITE;
    case IBV_WC_RDMA_READ:
        return PVRDMA_WC_OP_RDMA_READ;
    case IBV_WC_COMP_SWAP:
        return PVRDMA_WC_OP_COMP_SWAP;
    case IBV_WC_FETCH_ADD:
        return PVRDMA_WC_OP_FETCH_ADD;
    case IBV_WC_RECV:
        return PVRDMA_WC_OP_RECV;
    case IBV_WC_RECV_RDMA_WITH_IMM:
        return PVRDMA_WC_OP_RECV_RDMA_WITH_IMM;
    default:
        return PVRDMA_WC_OP_SEND;
    }
}

static void pvrdma_verbs_wc(const struct ibv_wc *in, PvrdmaWc *out)
{
    *out = (PvrdmaWc) {
        .wr_id = in->wr_id,
        .status = pvrdma_verbs_wc_status(in->status),
        .vendor_err = in->vendor_err,
        /* the host does not say: a spurious notification is allowed, a lost
         * one would hang the guest */
        .solicited = in->opcode & IBV_WC_RECV,
    };
    if (in->status != IBV_WC_SUCCESS) {
        return;
    }
    out->opcode = pvrdma_verbs_wc_opcode(in->opcode);
    out->byte_len = in->byte_len;
    out->src_qp = in->src_qp;
    out->has_imm = in->wc_flags & IBV_WC_WITH_IMM;
    out->has_grh = in->wc_flags & IBV_WC_GRH;
    out->imm = out->has_imm ? in->imm_data : 0;
}

/*
 * An error completion: the host moved an RC QP to ERR.  A UD QP goes on
 * receiving, whatever happened.
 */
static void pvrdma_verbs_wc_failed(PvrdmaVerbs *vb, const struct ibv_wc *wc)
{
    PvrdmaVerbsQp *qp;

    qp = g_hash_table_lookup(vb->qps, GUINT_TO_POINTER(wc->qp_num));
    if (qp && qp->ibv->qp_type == IBV_QPT_RC) {
        pvrdma_verbs_qp_failed(qp);
    }
}

int pvrdma_verbs_cq_poll(PvrdmaBackend *be, void *opaque, PvrdmaWc *wc, int n)
{
    struct ibv_wc host[PVRDMA_VERBS_POLL_BATCH];
    PvrdmaVerbsCq *cq = opaque;
    int got;

    n = MIN(n, PVRDMA_VERBS_POLL_BATCH);
    got = pvrdma_verbs_cq_unstash(cq, host, MAX(n, 0));
    if (got < n) {
        int more = ibv_poll_cq(cq->ibv, n - got, host + got);

        if (more < 0 && got == 0) {
            return -EIO;
        }
        got += MAX(more, 0);
    }
    for (int i = 0; i < got; i++) {
        pvrdma_verbs_wc(&host[i], &wc[i]);
        if (host[i].status != IBV_WC_SUCCESS) {
            pvrdma_verbs_wc_failed(cq->vb, &host[i]);
        }
    }
    return got;
}

static void pvrdma_verbs_cq_filter(PvrdmaVerbsCq *cq, uint32_t qpn)
{
    struct ibv_wc *wc = (struct ibv_wc *)cq->stash->data;
    guint kept = 0;

    for (guint i = cq->stash_head; i < cq->stash->len; i++) {
        if (wc[i].qp_num != qpn) {
            wc[kept++] = wc[i];
        }
    }
    cq->stash_head = 0;
    g_array_set_size(cq->stash, kept);
}

/*
 * Some providers (rxe) leave the completions of a QP that is reset or
 * destroyed in the queue: sort them out.  The loop ends: nothing but other
 * QPs can add to the queue, and its size bounds that.
 */
void pvrdma_verbs_cq_purge(PvrdmaVerbsCq *cq, uint32_t qpn)
{
    struct ibv_wc wc[PVRDMA_VERBS_POLL_BATCH];
    int left = cq->ibv->cqe + 1;
    int n;

    while (left > 0 && (n = ibv_poll_cq(cq->ibv, ARRAY_SIZE(wc), wc)) > 0) {
        g_array_append_vals(cq->stash, wc, n);
        left -= n;
    }
    pvrdma_verbs_cq_filter(cq, qpn);
    if (cq->armed && pvrdma_verbs_cq_stashed(cq) > 0) {
        pvrdma_verbs_cq_fire_soon(cq);
    }
}
