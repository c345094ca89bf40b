/*
 * pvrdma: shared receive queues
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WQEs go from the guest's ring to the backend for as long as it has room; it
 * hands each to the QP that a message arrives for.  A broken ring or WQE ends
 * the SRQ with SRQ_ERR: there is no QP that could fail instead.
 */
#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "qemu/log.h"
#include "pvrdma.h"
#include "trace.h"

typedef struct RecvWqe {
    PvrdmaWireRecvWr hdr;
    PvrdmaWireSge sge[PVRDMA_MAX_SGE];
} RecvWqe;

static void srq_free(PvrdmaSrq *srq)
{
    pvrdma_budget_give_queue(srq->dev, srq->bytes);
    pvrdma_queue_mem_clear(&srq->mem);
    g_free(srq);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PvrdmaSrq, srq_free)

static bool take_bytes(PvrdmaSrq *srq)
{
    uint64_t bytes = pvrdma_budget_wrs(srq->ring.count, srq->ring.max_sge) +
                     pvrdma_budget_pages(srq->mem.npages);

    if (!pvrdma_budget_take_queue(srq->dev, bytes)) {
        return false;
    }
    srq->bytes = bytes;
    return true;
}

static int srq_init(PvrdmaDev *dev, PvrdmaSrq *srq,
                    const PvrdmaReqCreateSrq *req)
{
    uint32_t max_wr = le32_to_cpu(req->attrs.max_wr);
    uint32_t max_sge = le32_to_cpu(req->attrs.max_sge);
    uint32_t npages;

    srq->limit = le32_to_cpu(req->attrs.srq_limit);
    srq->pd = pvrdma_table_get(&dev->pds, le32_to_cpu(req->pd_handle));
    if (!srq->pd || req->srq_type || !pvrdma_ring_count_valid(max_wr) ||
        max_wr > dev->caps.max_srq_wr || max_sge > dev->caps.max_srq_sge ||
        srq->limit > max_wr) {
        return -EINVAL;
    }
    pvrdma_wq_ring_init(&srq->ring, &srq->mem, max_wr, max_sge,
                        sizeof(PvrdmaWireRecvWr));
    npages = 1 + pvrdma_wq_ring_pages(&srq->ring);
    if (le32_to_cpu(req->nchunks) < npages) {
        return -EINVAL;
    }
    if (!pvrdma_queue_mem_init(dev, &srq->mem, le64_to_cpu(req->pdir_dma),
                               npages)) {
        return -EFAULT;
    }
    if (!take_bytes(srq)) {
        return -ENOMEM;
    }
    return dev->be->ops->srq_create(dev->be, srq->pd->be, max_wr,
                                    MAX(max_sge, 1), srq, &srq->be);
}

int pvrdma_cmd_create_srq(PvrdmaDev *dev, const PvrdmaReq *req,
                          PvrdmaResp *resp)
{
    g_autoptr(PvrdmaSrq) srq = g_new0(PvrdmaSrq, 1);
    int err;

    srq->dev = dev;
    if (!dev->caps.max_srq) {
        return -EOPNOTSUPP;
    }
    err = srq_init(dev, srq, &req->create_srq);
    if (err) {
        return err;
    }
    if (!pvrdma_table_add(&dev->srqs, srq, &srq->handle)) {
        dev->be->ops->srq_destroy(dev->be, srq->be);
        return -ENOMEM;
    }
    srq->pd->refs++;
    resp->handle.handle = cpu_to_le32(srq->handle);
    trace_pvrdma_srq_create(srq->handle, srq->ring.count);
    g_steal_pointer(&srq);
    return 0;
}

static PvrdmaSrq *find(PvrdmaDev *dev, uint32_t handle)
{
    return pvrdma_table_get(&dev->srqs, le32_to_cpu(handle));
}

int pvrdma_cmd_modify_srq(PvrdmaDev *dev, const PvrdmaReq *req,
                          PvrdmaResp *resp)
{
    const PvrdmaReqModifySrq *modify = &req->modify_srq;
    PvrdmaSrq *srq = find(dev, modify->srq_handle);
    uint32_t limit = le32_to_cpu(modify->attrs.srq_limit);

    if (!srq || le32_to_cpu(modify->attr_mask) != PVRDMA_SRQ_ATTR_LIMIT ||
        limit > srq->ring.count) {
        return -EINVAL;
    }
    srq->limit = limit;
    return 0;
}

int pvrdma_cmd_query_srq(PvrdmaDev *dev, const PvrdmaReq *req,
                         PvrdmaResp *resp)
{
    PvrdmaSrq *srq = find(dev, req->handle.handle);
    PvrdmaWireSrqAttr *wire = &resp->query_srq.attrs;

    if (!srq) {
        return -EINVAL;
    }
    wire->max_wr = cpu_to_le32(srq->ring.count);
    wire->max_sge = cpu_to_le32(srq->ring.max_sge);
    wire->srq_limit = cpu_to_le32(srq->limit);
    return 0;
}

void pvrdma_srq_destroy(PvrdmaDev *dev, PvrdmaSrq *srq)
{
    dev->be->ops->srq_destroy(dev->be, srq->be);
    pvrdma_table_remove(&dev->srqs, srq->handle);
    srq->pd->refs--;
    srq_free(srq);
}

int pvrdma_cmd_destroy_srq(PvrdmaDev *dev, const PvrdmaReq *req,
                           PvrdmaResp *resp)
{
    PvrdmaSrq *srq = find(dev, req->handle.handle);

    if (!srq) {
        return -EINVAL;
    }
    if (srq->refs) {
        return -EBUSY;
    }
    pvrdma_srq_destroy(dev, srq);
    return 0;
}

static void set_error(PvrdmaSrq *srq)
{
    qemu_log_mask(LOG_GUEST_ERROR, "pvrdma: SRQ %u is broken\n", srq->handle);
    srq->error = true;
    pvrdma_event(srq->dev, PVRDMA_EVENT_SRQ_ERR, srq->handle);
}

static bool post(PvrdmaSrq *srq, const RecvWqe *wqe)
{
    PvrdmaBackend *be = srq->dev->be;
    uint32_t num_sge = le32_to_cpu(wqe->hdr.num_sge);
    PvrdmaSge sge[PVRDMA_MAX_SGE];
    PvrdmaRecvWr wr = { .wr_id = le64_to_cpu(wqe->hdr.wr_id), .sge = sge };
    uint64_t length;

    pvrdma_wq_consume(&srq->ring, 1);
    if (num_sge > srq->ring.max_sge ||
        pvrdma_wq_sges(srq->dev, srq->pd, wqe->sge, num_sge,
                       PVRDMA_ACCESS_LOCAL_WRITE, wr.sge, &wr.num_sge,
                       &length) ||
        be->ops->srq_post(be, srq->be, &wr)) {
        return false;
    }
    srq->posted++;
    srq->dev->stats.recv_wqes++;
    return true;
}

/* Never more than the ring holds, so it needs no budget. */
static void srq_run(PvrdmaSrq *srq)
{
    uint32_t avail;
    RecvWqe wqe;

    while (!srq->error && srq->posted < srq->ring.count) {
        if (!pvrdma_wq_avail(&srq->ring, &avail)) {
            set_error(srq);
            return;
        }
        if (!avail) {
            return;
        }
        pvrdma_wq_read(&srq->ring, 0, &wqe, srq->ring.wqe_len);
        if (!post(srq, &wqe)) {
            set_error(srq);
        }
    }
}

void pvrdma_srq_doorbell(PvrdmaSrq *srq, uint32_t value)
{
    if (value & PVRDMA_UAR_SRQ_RECV) {
        srq_run(srq);
    }
}

/* The limit counts what the guest has posted and no QP has taken yet, so what
 * is still in the ring has to be fetched first. */
void pvrdma_srq_host_taken(void *opaque, void *cookie, uint32_t n)
{
    PvrdmaSrq *srq = cookie;

    srq->posted -= MIN(srq->posted, n);
    srq_run(srq);
    if (srq->posted < srq->limit) {
        srq->limit = 0;
        pvrdma_event(srq->dev, PVRDMA_EVENT_SRQ_LIMIT_REACHED, srq->handle);
    }
}
