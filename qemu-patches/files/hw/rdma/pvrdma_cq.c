/*
 * pvrdma: completion queues
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each guest CQ has a host CQ.  Completions move to the guest when it polls
 * (POLL doorbell), when it arms (ARM), or when the host CQ fires.  The host CQ
 * is armed only while the guest is armed or a queue waits for room; some
 * backends fire for each completion all the same.
 */
#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "qemu/log.h"
#include "pvrdma.h"
#include "trace.h"

#define BATCH 16
#define POLL_BUDGET 64u

static void cq_free(PvrdmaCq *cq)
{
    pvrdma_budget_give_queue(cq->dev, cq->bytes);
    pvrdma_queue_mem_clear(&cq->mem);
    g_free(cq);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PvrdmaCq, cq_free)

/* Entries of a host CQ are set aside; where it grows, the WRs pay for it. */
static bool take_bytes(PvrdmaCq *cq)
{
    uint64_t bytes = pvrdma_budget_pages(cq->mem.npages);

    if (!cq->dev->be->ops->cq_grows) {
        bytes += pvrdma_budget_cqes(cq->host_entries);
    }
    if (!pvrdma_budget_take_queue(cq->dev, bytes)) {
        return false;
    }
    cq->bytes = bytes;
    return true;
}

static int cq_init(PvrdmaDev *dev, PvrdmaCq *cq, const PvrdmaReqCreateCq *req)
{
    uint32_t nchunks = le32_to_cpu(req->nchunks);
    uint64_t need;

    cq->cqe = le32_to_cpu(req->cqe);
    if (!pvrdma_ring_count_valid(cq->cqe) || cq->cqe > dev->caps.max_cqe) {
        return -EINVAL;
    }
    need = 1 + DIV_ROUND_UP((uint64_t)cq->cqe * sizeof(PvrdmaWireCqe),
                            PVRDMA_PAGE_SIZE);
    if (nchunks < need) {
        return -EINVAL;
    }
    if (!pvrdma_queue_mem_init(dev, &cq->mem, le64_to_cpu(req->pdir_dma),
                               need)) {
        return -EFAULT;
    }
    cq->host_entries = dev->be->ops->cq_grows ? INT32_MAX :
                       MIN(MAX(2 * cq->cqe, cq->cqe + PVRDMA_CQ_HOST_EXTRA),
                           dev->be->caps.max_cqe);
    cq->credits = cq->host_entries;
    if (!take_bytes(cq)) {
        return -ENOMEM;
    }
    return dev->be->ops->cq_create(dev->be, cq->host_entries, cq, &cq->be);
}

int pvrdma_cmd_create_cq(PvrdmaDev *dev, const PvrdmaReq *req,
                         PvrdmaResp *resp)
{
    g_autoptr(PvrdmaCq) cq = g_new0(PvrdmaCq, 1);
    int err;

    cq->dev = dev;
    if (!pvrdma_uc_find(dev, le32_to_cpu(req->create_cq.ctx_handle),
                        &cq->uc)) {
        return -EINVAL;
    }
    err = cq_init(dev, cq, &req->create_cq);
    if (err) {
        return err;
    }
    if (!pvrdma_table_add(&dev->cqs, cq, &cq->handle)) {
        dev->be->ops->cq_destroy(dev->be, cq->be);
        return -ENOMEM;
    }
    resp->handle.handle = cpu_to_le32(cq->handle);
    resp->handle.cqe = cpu_to_le32(cq->cqe);
    trace_pvrdma_cq_create(cq->handle, cq->cqe);
    g_steal_pointer(&cq);
    return 0;
}

void pvrdma_cq_destroy(PvrdmaDev *dev, PvrdmaCq *cq)
{
    if (cq->kicked) {
        QSIMPLEQ_REMOVE(&dev->kicked_cqs, cq, PvrdmaCq, kick);
    }
    dev->be->ops->cq_destroy(dev->be, cq->be);
    pvrdma_table_remove(&dev->cqs, cq->handle);
    cq_free(cq);
}

int pvrdma_cmd_destroy_cq(PvrdmaDev *dev, const PvrdmaReq *req,
                          PvrdmaResp *resp)
{
    PvrdmaCq *cq = pvrdma_table_get(&dev->cqs,
                                    le32_to_cpu(req->handle.handle));

    if (!cq) {
        return -EINVAL;
    }
    if (cq->refs) {
        return -EBUSY;
    }
    pvrdma_cq_destroy(dev, cq);
    return 0;
}

/* Event, then every QP on this CQ into ERR; nothing is written any more. */
static void cq_set_error(PvrdmaCq *cq)
{
    PvrdmaDev *dev = cq->dev;
    uint32_t handle = 0;
    PvrdmaQp *qp;

    if (cq->error) {
        return;
    }
    pvrdma_cq_publish(cq);
    cq->error = true;
    pvrdma_event(dev, PVRDMA_EVENT_CQ_ERR, cq->handle);
    for (; (qp = pvrdma_table_next(&dev->qps, &handle)); handle++) {
        if (qp->sq.cq == cq || qp->rq.cq == cq) {
            pvrdma_qp_fail(qp, false);
        }
    }
}

static bool cq_load_fill(PvrdmaCq *cq, uint32_t *ret_fill)
{
    uint32_t head = pvrdma_queue_load32(&cq->mem, PVRDMA_RING2_HEAD);

    if (!pvrdma_ring_index_valid(cq->cqe, head)) {
        return false;
    }
    *ret_fill = pvrdma_ring_fill(cq->cqe, cq->tail, head);
    return *ret_fill <= cq->cqe;
}

/* Looks at the guest's index only when what it last said is used up. */
static bool cq_has_room(PvrdmaCq *cq)
{
    uint32_t fill;

    if (!cq->room && cq_load_fill(cq, &fill)) {
        cq->room = cq->cqe - fill;
    }
    return cq->room;
}

static void cq_write(PvrdmaCq *cq, const PvrdmaWireCqe *cqe)
{
    uint32_t at = pvrdma_ring_slot(cq->cqe, cq->tail) * sizeof(*cqe);

    pvrdma_queue_write(&cq->mem, 1, at, cqe, sizeof(*cqe));
    cq->tail = pvrdma_ring_next(cq->cqe, cq->tail);
    cq->unpublished++;
    cq->room--;
}

void pvrdma_cq_publish(PvrdmaCq *cq)
{
    if (!cq->unpublished) {
        return;
    }
    cq->unpublished = 0;
    cq->room = 0;
    pvrdma_queue_store32(&cq->mem, PVRDMA_RING2_TAIL, cq->tail);
    if (cq->notify) {
        cq->notify = false;
        pvrdma_notify_cq(cq);
    }
}

void pvrdma_cq_push(PvrdmaCq *cq, const PvrdmaWireCqe *cqe, bool solicited)
{
    bool failed;

    if (cq->error) {
        return;
    }
    if (!cq_has_room(cq)) {
        qemu_log_mask(LOG_GUEST_ERROR, "pvrdma: CQ %u overflows or is "
                      "broken\n", cq->handle);
        cq_set_error(cq);
        return;
    }
    cq_write(cq, cqe);
    trace_pvrdma_cqe(cq->handle, le64_to_cpu(cqe->qp), le32_to_cpu(cqe->opcode),
                     le32_to_cpu(cqe->status), le32_to_cpu(cqe->byte_len));
    failed = le32_to_cpu(cqe->status) != PVRDMA_WC_SUCCESS;
    cq->dev->stats.completions++;
    cq->dev->stats.completion_errors += failed;
    cq->notify |= cq->armed || (cq->armed_solicited && (solicited || failed));
}

/* QPs that stopped because this CQ had promised all its host entries. */
void pvrdma_cq_run_starved(PvrdmaCq *cq)
{
    uint32_t handle = 0;
    PvrdmaQp *qp;

    if (!cq->starved || !cq->credits) {
        return;
    }
    cq->starved = false;
    for (; (qp = pvrdma_table_next(&cq->dev->qps, &handle)); handle++) {
        if ((qp->sq.cq == cq && qp->sq.waiting) ||
            (qp->rq.cq == cq && qp->rq.waiting)) {
            pvrdma_qp_kick(qp);
        }
    }
}

void pvrdma_cq_drain(PvrdmaCq *cq, uint32_t budget)
{
    const PvrdmaBackendOps *ops = cq->dev->be->ops;
    PvrdmaWc wc[BATCH];
    uint32_t left = budget;
    int n;

    do {
        n = ops->cq_poll(cq->dev->be, cq->be, wc, MIN(left, BATCH));
        for (int i = 0; i < n; i++) {
            pvrdma_wq_complete(cq->dev, cq, &wc[i]);
        }
        pvrdma_cq_publish(cq);
        left -= MAX(n, 0);
    } while (n == BATCH && left);
    if (n < 0) {
        cq_set_error(cq);
    }
    /* without progress it would only starve again, and kick, without end */
    if (left != budget) {
        pvrdma_cq_run_starved(cq);
    }
}

static void arm_host(PvrdmaCq *cq, bool solicited_only)
{
    if (cq->host_armed || cq->error) {
        return;
    }
    if (cq->dev->be->ops->cq_arm(cq->dev->be, cq->be, solicited_only)) {
        cq_set_error(cq);
        return;
    }
    /* a solicited-only arm does not cover a later full one */
    cq->host_armed = !solicited_only;
}

void pvrdma_cq_kick(PvrdmaCq *cq)
{
    if (!cq->kicked) {
        cq->kicked = true;
        QSIMPLEQ_INSERT_TAIL(&cq->dev->kicked_cqs, cq, kick);
        qemu_bh_schedule(cq->dev->work_bh);
    }
}

/* Arm first: what completes in between is found by the drain. */
void pvrdma_cq_kicked(PvrdmaCq *cq)
{
    arm_host(cq, false);
    pvrdma_cq_drain(cq, UINT32_MAX);
}

void pvrdma_cq_host_ready(void *opaque, void *cookie)
{
    PvrdmaCq *cq = cookie;

    cq->host_armed = false;
    pvrdma_cq_drain(cq, UINT32_MAX);
    if (cq->armed || cq->armed_solicited || cq->starved) {
        arm_host(cq, !cq->armed && !cq->starved);
        pvrdma_cq_drain(cq, UINT32_MAX);
    }
}

void pvrdma_cq_host_error(void *opaque, void *cookie)
{
    cq_set_error(cookie);
}

/* Only what fits: the guest polls because it found the ring empty. */
static void cq_poll(PvrdmaCq *cq)
{
    uint32_t fill;

    if (cq->error || !cq_load_fill(cq, &fill) || fill == cq->cqe) {
        return;
    }
    pvrdma_cq_drain(cq, MIN(cq->cqe - fill, POLL_BUDGET));
}

void pvrdma_cq_doorbell(PvrdmaCq *cq, uint32_t value)
{
    if (value & PVRDMA_UAR_CQ_ARM) {
        cq->armed = true;
        cq->armed_solicited = false;
    } else if (value & PVRDMA_UAR_CQ_ARM_SOL && !cq->armed) {
        cq->armed_solicited = true;
    }
    if (value & (PVRDMA_UAR_CQ_ARM | PVRDMA_UAR_CQ_ARM_SOL)) {
        arm_host(cq, !cq->armed);
    }
    cq_poll(cq);
}
