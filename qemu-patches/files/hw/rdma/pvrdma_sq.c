/*
 * pvrdma: send queues
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What happens to a send WQE in each state of its QP:
 *   RESET, INIT, RTR, SQD   stays in the guest's ring
 *   RTS                     goes to the host
 *   SQE, ERR                is flushed, after all that the host has
 */
#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "qemu/log.h"
#include "qemu/timer.h"
#include "pvrdma.h"
#include "trace.h"

#define BUDGET 128u
#define AH_RETRY_MS 1

typedef struct SendWqe {
    PvrdmaWireSendWr hdr;
    PvrdmaWireSge sge[PVRDMA_MAX_SGE];
} SendWqe;

#define PAGE_SHIFT 12

#define ON_RC 1u
#define ON_UD 2u               /* and GSI */
#define ON_KERNEL_RC 4u        /* a process could name any memory with it */

/* By guest opcode: completion, access that local SGEs need, and where it is
 * allowed. */
static const struct {
    uint32_t wc_opcode;
    uint32_t local_access;
    uint32_t on;
} ops[] = {
    [PVRDMA_WR_RDMA_WRITE] = { PVRDMA_WC_OP_RDMA_WRITE, 0, ON_RC },
    [PVRDMA_WR_RDMA_WRITE_WITH_IMM] = { PVRDMA_WC_OP_RDMA_WRITE, 0, ON_RC },
    [PVRDMA_WR_SEND] = { PVRDMA_WC_OP_SEND, 0, ON_RC | ON_UD },
    [PVRDMA_WR_SEND_WITH_IMM] = { PVRDMA_WC_OP_SEND, 0, ON_RC | ON_UD },
    [PVRDMA_WR_RDMA_READ] =
        { PVRDMA_WC_OP_RDMA_READ, PVRDMA_ACCESS_LOCAL_WRITE, ON_RC },
    [PVRDMA_WR_ATOMIC_CMP_AND_SWP] =
        { PVRDMA_WC_OP_COMP_SWAP, PVRDMA_ACCESS_LOCAL_WRITE, ON_RC },
    [PVRDMA_WR_ATOMIC_FETCH_AND_ADD] =
        { PVRDMA_WC_OP_FETCH_ADD, PVRDMA_ACCESS_LOCAL_WRITE, ON_RC },
    [PVRDMA_WR_SEND_WITH_INV] = { PVRDMA_WC_OP_SEND, 0, ON_KERNEL_RC },
    [PVRDMA_WR_LOCAL_INV] = { PVRDMA_WC_OP_LOCAL_INV, 0, ON_KERNEL_RC },
    [PVRDMA_WR_FAST_REG_MR] = { PVRDMA_WC_OP_FAST_REG_MR, 0, ON_KERNEL_RC },
};

static bool opcode_allowed(const PvrdmaQp *qp, uint32_t opcode)
{
    uint32_t have = qp->type == PVRDMA_QPT_RC ? ON_RC : ON_UD;

    if (qp->type == PVRDMA_QPT_RC && !qp->pd->uc && qp->dev->caps.bmme_flags) {
        have |= ON_KERNEL_RC;
    }
    return opcode < G_N_ELEMENTS(ops) && (ops[opcode].on & have);
}

static void decode_av(const PvrdmaWireAv *wire, PvrdmaAv *av)
{
    uint32_t word = le32_to_cpu(wire->sl_tclass_flowlabel);

    memcpy(av->dgid, wire->dgid, sizeof(av->dgid));
    memcpy(av->dmac, wire->dmac, sizeof(av->dmac));
    av->sgid_index = wire->gid_index;
    av->hop_limit = wire->hop_limit;
    av->traffic_class = word >> 20;
    av->flow_label = word & 0xfffff;
    av->sl = 0;
    av->static_rate = 0;
}

/* 0, a PVRDMA_WC_* status, or -EAGAIN. */
static int decode_ud(PvrdmaQp *qp, const PvrdmaWireSendWr *hdr,
                     PvrdmaSendWr *wr)
{
    const PvrdmaBackendOps *ops = qp->dev->be->ops;
    uint32_t qkey = le32_to_cpu(hdr->wr.ud.remote_qkey);
    int err;

    if ((le32_to_cpu(hdr->wr.ud.av.port_pd) & 0xffffff) != qp->pd->handle ||
        !pvrdma_gid_is_bound(qp->dev, hdr->wr.ud.av.gid_index)) {
        return PVRDMA_WC_LOC_QP_OP_ERR;
    }
    decode_av(&hdr->wr.ud.av, &wr->av);
    wr->remote_qpn = le32_to_cpu(hdr->wr.ud.remote_qpn) & 0xffffff;
    wr->remote_qkey = qkey & (1u << 31) ? qp->attr.qkey : qkey;
    if (!ops->ah_get) {
        return 0;
    }
    err = ops->ah_get(qp->dev->be, qp->pd->be, &wr->av, &wr->ah);
    if (err == -EAGAIN) {
        return err;
    }
    return err ? PVRDMA_WC_LOC_QP_OP_ERR : 0;
}

static uint32_t decode_fast_reg(const PvrdmaWireSendWr *hdr, PvrdmaSendWr *wr)
{
    if (le32_to_cpu(hdr->wr.fast_reg.page_shift) != PAGE_SHIFT) {
        return PVRDMA_WC_LOC_QP_OP_ERR;
    }
    wr->fast_reg = (PvrdmaFastReg) {
        .iova = le64_to_cpu(hdr->wr.fast_reg.iova_start),
        .length = le32_to_cpu(hdr->wr.fast_reg.length),
        .pdir = le64_to_cpu(hdr->wr.fast_reg.pl_pdir_dma),
        .num_pages = le32_to_cpu(hdr->wr.fast_reg.page_list_len),
        .access = le32_to_cpu(hdr->wr.fast_reg.access_flags) &
                  PVRDMA_ACCESS_MASK,
        .key = le32_to_cpu(hdr->wr.fast_reg.rkey),
    };
    return 0;
}

/* 0 or a PVRDMA_WC_* status. */
static uint32_t decode_rc(const PvrdmaWireSendWr *hdr, PvrdmaSendWr *wr)
{
    switch (wr->opcode) {
    case PVRDMA_WR_SEND_WITH_INV:
    case PVRDMA_WR_LOCAL_INV:
        wr->invalidate_key = le32_to_cpu(hdr->ex);
        break;
    case PVRDMA_WR_FAST_REG_MR:
        return decode_fast_reg(hdr, wr);
    case PVRDMA_WR_RDMA_WRITE:
    case PVRDMA_WR_RDMA_WRITE_WITH_IMM:
    case PVRDMA_WR_RDMA_READ:
        wr->remote_addr = le64_to_cpu(hdr->wr.rdma.remote_addr);
        wr->rkey = le32_to_cpu(hdr->wr.rdma.rkey);
        break;
    case PVRDMA_WR_ATOMIC_CMP_AND_SWP:
    case PVRDMA_WR_ATOMIC_FETCH_AND_ADD:
        wr->remote_addr = le64_to_cpu(hdr->wr.atomic.remote_addr);
        wr->rkey = le32_to_cpu(hdr->wr.atomic.rkey);
        wr->compare_add = le64_to_cpu(hdr->wr.atomic.compare_add);
        wr->swap = le64_to_cpu(hdr->wr.atomic.swap);
        break;
    }
    return 0;
}

/* Those that only the device sees: what their SGE fields say is stale. */
static bool has_sges(uint32_t opcode)
{
    return opcode != PVRDMA_WR_LOCAL_INV && opcode != PVRDMA_WR_FAST_REG_MR;
}

static bool is_atomic(uint32_t opcode)
{
    return opcode == PVRDMA_WR_ATOMIC_CMP_AND_SWP ||
           opcode == PVRDMA_WR_ATOMIC_FETCH_AND_ADD;
}

static bool length_ok(PvrdmaQp *qp, uint32_t opcode, uint64_t length)
{
    if (is_atomic(opcode)) {
        return length == 8;
    }
    if (qp->type != PVRDMA_QPT_RC) {
        return length <= 128u << qp->dev->port.active_mtu;
    }
    return length <= qp->dev->port.max_msg_sz;
}

/* 0, a PVRDMA_WC_* status, or -EAGAIN. */
static int decode(PvrdmaQp *qp, const SendWqe *wqe, PvrdmaSendWr *wr)
{
    uint32_t flags = le32_to_cpu(wqe->hdr.send_flags);
    uint32_t num_sge = le32_to_cpu(wqe->hdr.num_sge);
    uint64_t length;
    uint32_t status;

    wr->opcode = le32_to_cpu(wqe->hdr.opcode);
    if (!opcode_allowed(qp, wr->opcode)) {
        return PVRDMA_WC_LOC_QP_OP_ERR;
    }
    num_sge = has_sges(wr->opcode) ? num_sge : 0;
    if (num_sge > qp->sq.ring.max_sge) {
        return PVRDMA_WC_LOC_QP_OP_ERR;
    }
    wr->fence = flags & PVRDMA_SEND_FENCE;
    wr->solicited = flags & PVRDMA_SEND_SOLICITED;
    wr->imm = wqe->hdr.ex;
    status = pvrdma_wq_sges(qp->dev, qp->pd, wqe->sge, num_sge,
                            ops[wr->opcode].local_access, wr->sge,
                            &wr->num_sge, &length);
    if (status) {
        return status;
    }
    if (!length_ok(qp, wr->opcode, length)) {
        return PVRDMA_WC_LOC_LEN_ERR;
    }
    return qp->type == PVRDMA_QPT_RC ? decode_rc(&wqe->hdr, wr)
                                     : decode_ud(qp, &wqe->hdr, wr);
}

static PvrdmaWrCtx make_ctx(PvrdmaQp *qp, const SendWqe *wqe)
{
    uint32_t opcode = le32_to_cpu(wqe->hdr.opcode);
    uint32_t flags = le32_to_cpu(wqe->hdr.send_flags);

    return (PvrdmaWrCtx) {
        .wr_id = le64_to_cpu(wqe->hdr.wr_id),
        .opcode = opcode < G_N_ELEMENTS(ops) ? ops[opcode].wc_opcode
                                             : PVRDMA_WC_OP_SEND,
        .signaled = qp->sq_sig_all || (flags & PVRDMA_SEND_SIGNALED),
    };
}

/* The first WR of the batch that was not taken fails; what came after it is
 * still in the guest's ring. */
static void refused(PvrdmaQp *qp, PvrdmaBatch *b, uint32_t taken)
{
    PvrdmaWrCtx ctx, silent;

    while (b->n > taken) {
        pvrdma_wq_cancel(qp->dev, &qp->sq, &ctx);
        b->n--;
    }
    pvrdma_wq_set_failed(&qp->sq, &ctx, PVRDMA_WC_LOC_QP_OP_ERR);
    /* nobody waits for these, and nothing comes that would stand for them */
    while (b->n && !b->send[b->n - 1].signaled) {
        pvrdma_wq_cancel(qp->dev, &qp->sq, &silent);
        b->n--;
    }
}

/* The number of WQEs that this makes of the guest's ring */
static uint32_t post(PvrdmaQp *qp, PvrdmaBatch *b)
{
    PvrdmaBackend *be = qp->dev->be;
    uint32_t taken = b->n ? be->ops->post_send(be, qp->be, b->send, b->n) : 0;

    if (taken == b->n) {
        return taken;
    }
    refused(qp, b, taken);
    return taken + 1;
}

static void add(PvrdmaQp *qp, PvrdmaBatch *b, const PvrdmaWrCtx *ctx)
{
    PvrdmaSendWr *wr = &b->send[b->n++];
    PvrdmaWrCtx *slot = pvrdma_wq_begin(qp, &qp->sq, &wr->wr_id);

    *slot = *ctx;
    slot->ah = wr->ah;
    wr->signaled = ctx->signaled;
}

typedef enum Next {
    MORE,
    STOP,                      /* the next one has to wait */
    FAILED,                    /* @ctx and @status say how */
} Next;

static Next take_wqe(PvrdmaQp *qp, PvrdmaBatch *b, uint32_t i,
                     PvrdmaWrCtx *ctx, int *status)
{
    PvrdmaSendWr *wr = &b->send[b->n];
    SendWqe wqe;

    if (qp->be && !pvrdma_wq_may_post(&qp->sq, 0)) {
        return STOP;
    }
    pvrdma_wq_read(&qp->sq.ring, i, &wqe, qp->sq.ring.wqe_len);
    *wr = (PvrdmaSendWr) { .sge = b->sge[b->n] };
    *ctx = make_ctx(qp, &wqe);
    *status = qp->be ? decode(qp, &wqe, wr) : PVRDMA_WC_GENERAL_ERR;
    if (*status == -EAGAIN) {
        qp->sq.waiting = true;
        timer_mod(qp->dev->retry_timer,
                  qemu_clock_get_ms(QEMU_CLOCK_REALTIME) + AH_RETRY_MS);
        return STOP;
    }
    trace_pvrdma_send(qp->handle, le32_to_cpu(wqe.hdr.opcode), *status);
    if (*status) {
        return FAILED;
    }
    add(qp, b, ctx);
    return MORE;
}

/*
 * Up to @n WQEs of those in the ring, which the guest gets back when they are
 * with the backend.  Returns whether to go on.
 */
static bool send_batch(PvrdmaQp *qp, uint32_t n)
{
    PvrdmaBatch *b = &qp->dev->batch;
    Next next = MORE;
    PvrdmaWrCtx ctx;
    uint32_t used;
    int status;

    b->n = 0;
    for (uint32_t i = 0; i < n && next == MORE; i++) {
        next = take_wqe(qp, b, i, &ctx, &status);
    }
    n = b->n;
    used = post(qp, b);
    if (next == FAILED && used == n) {
        pvrdma_wq_set_failed(&qp->sq, &ctx, status);
        used++;
    }
    pvrdma_wq_consume(&qp->sq.ring, used);
    pvrdma_wq_count(qp, &qp->sq, used);
    return next != STOP;
}

/* False when there is nothing more to do now. */
static bool send_some(PvrdmaQp *qp, uint32_t *budget)
{
    uint32_t avail;

    if (!pvrdma_wq_avail(&qp->sq.ring, &avail)) {
        pvrdma_qp_fatal(qp);
        return false;
    }
    avail = MIN(avail, MIN(*budget, PVRDMA_BATCH));
    *budget -= avail;
    return avail && send_batch(qp, avail);
}

/* What the backend has begun finishes; what it has not may wait there. */
static bool is_draining(PvrdmaQp *qp)
{
    PvrdmaBackend *be = qp->dev->be;
    PvrdmaQpAttr attr = { };

    return qp->sq.outstanding &&
           (be->ops->qp_query(be, qp->be, &attr) || attr.sq_draining);
}

static void drained(PvrdmaQp *qp)
{
    if (!qp->drain_notify) {
        return;
    }
    if (is_draining(qp)) {
        qp->sq.waiting = true;
        pvrdma_cq_kick(qp->sq.cq);
        return;
    }
    qp->drain_notify = false;
    pvrdma_event(qp->dev, PVRDMA_EVENT_SQ_DRAINED, qp->handle);
}

void pvrdma_sq_run(PvrdmaQp *qp)
{
    uint32_t budget = BUDGET;
    bool failed;

    qp->sq.waiting = false;
    while (budget) {
        if (!pvrdma_wq_flush_failed(qp, &qp->sq, &failed)) {
            return;
        }
        if (failed) {
            pvrdma_qp_fail(qp, true);
        }
        switch (qp->state) {
        case PVRDMA_QPS_RTS:
            if (!send_some(qp, &budget)) {
                return;
            }
            break;
        case PVRDMA_QPS_SQE:
        case PVRDMA_QPS_ERR:
            if (!pvrdma_wq_flush(qp, &qp->sq, budget)) {
                pvrdma_qp_kick(qp);
            }
            return;
        case PVRDMA_QPS_SQD:
            drained(qp);
            return;
        default:
            return;
        }
    }
    pvrdma_qp_kick(qp);
}
