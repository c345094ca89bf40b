/*
 * pvrdma: object tables, user contexts and protection domains
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Children hold references on their parents: QPs, SRQs and MRs on PDs, QPs on
 * CQs and SRQs.
 * A parent in use is not destroyed (EBUSY).  A UC needs no count: DESTROY_UC,
 * like reset, first destroys all that belongs to it.
 */
#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "qemu/log.h"
#include "hw/pci/pci.h"
#include "pvrdma.h"
#include "trace.h"

void pvrdma_objects_init(PvrdmaDev *dev)
{
    pvrdma_table_init(&dev->ucs, 1, PVRDMA_MAX_UAR - 1);
    pvrdma_table_init(&dev->pds, 1, dev->caps.max_pd);
    pvrdma_table_init(&dev->mrs, 1, dev->caps.max_mr);
    pvrdma_table_init(&dev->cqs, 1, dev->caps.max_cq - 1);
    pvrdma_table_init(&dev->qps, 1, dev->caps.max_qp - 1);
    pvrdma_table_init(&dev->srqs, 1, MAX(dev->caps.max_srq, 1) - 1);
}

void pvrdma_objects_exit(PvrdmaDev *dev)
{
    pvrdma_table_clear(&dev->ucs);
    pvrdma_table_clear(&dev->pds);
    pvrdma_table_clear(&dev->mrs);
    pvrdma_table_clear(&dev->cqs);
    pvrdma_table_clear(&dev->qps);
    pvrdma_table_clear(&dev->srqs);
}

static void uc_free(PvrdmaDev *dev, PvrdmaUc *uc)
{
    dev->uar_owner[uc->uar] = NULL;
    pvrdma_table_remove(&dev->ucs, uc->handle);
    g_free(uc);
}

static void pd_free(PvrdmaDev *dev, PvrdmaPd *pd)
{
    dev->be->ops->pd_destroy(dev->be, pd->be);
    pvrdma_table_remove(&dev->pds, pd->handle);
    g_free(pd);
}

static void destroy_qps(PvrdmaDev *dev, bool all, PvrdmaUc *uc)
{
    uint32_t h = 0;
    PvrdmaQp *qp;

    for (; (qp = pvrdma_table_next(&dev->qps, &h)); h++) {
        if (all || pvrdma_qp_uc(qp) == uc) {
            pvrdma_qp_destroy(dev, qp);
        }
    }
}

/* Destroys in the order that the references allow; @all or those of @uc. */
static void destroy_children(PvrdmaDev *dev, bool all, PvrdmaUc *uc)
{
    uint32_t h = 0;
    PvrdmaSrq *srq;
    PvrdmaCq *cq;
    PvrdmaMr *mr;
    PvrdmaPd *pd;

    destroy_qps(dev, all, uc);
    for (h = 0; (srq = pvrdma_table_next(&dev->srqs, &h)); h++) {
        if (all || srq->pd->uc == uc) {
            pvrdma_srq_destroy(dev, srq);
        }
    }
    for (h = 0; (cq = pvrdma_table_next(&dev->cqs, &h)); h++) {
        if (all || cq->uc == uc) {
            pvrdma_cq_destroy(dev, cq);
        }
    }
    for (h = 0; (mr = pvrdma_table_next(&dev->mrs, &h)); h++) {
        if (all || mr->pd->uc == uc) {
            pvrdma_mr_destroy(dev, mr);
        }
    }
    for (h = 0; (pd = pvrdma_table_next(&dev->pds, &h)); h++) {
        if (all || pd->uc == uc) {
            pd_free(dev, pd);
        }
    }
}

void pvrdma_uc_reap(PvrdmaDev *dev, PvrdmaUc *uc)
{
    destroy_children(dev, false, uc);
    uc_free(dev, uc);
}

void pvrdma_objects_destroy(PvrdmaDev *dev)
{
    uint32_t h = 0;
    PvrdmaUc *uc;

    destroy_children(dev, true, NULL);
    for (; (uc = pvrdma_table_next(&dev->ucs, &h)); h++) {
        uc_free(dev, uc);
    }
}

/* @handle 0 is the kernel's context, which is no object: NULL. */
bool pvrdma_uc_find(PvrdmaDev *dev, uint32_t handle, PvrdmaUc **ret)
{
    *ret = handle ? pvrdma_table_get(&dev->ucs, handle) : NULL;
    return !handle || *ret;
}

/* The UAR page that a page frame number means, 0 if it is none of ours. */
static uint32_t uar_index(PvrdmaDev *dev, uint64_t pfn)
{
    pcibus_t base = pci_get_bar_addr(PCI_DEVICE(dev), 2);
    uint64_t first = base / PVRDMA_PAGE_SIZE;

    if (base == PCI_BAR_UNMAPPED || pfn <= first ||
        pfn - first >= PVRDMA_MAX_UAR) {
        return 0;
    }
    return pfn - first;
}

int pvrdma_cmd_create_uc(PvrdmaDev *dev, const PvrdmaReq *req,
                         PvrdmaResp *resp)
{
    uint64_t pfn = le64_to_cpu(req->create_uc.pfn);
    uint32_t uar;
    PvrdmaUc *uc;

    if (dev->driver_version < PVRDMA_VERSION_PFN64) {
        pfn = (uint32_t)pfn;
    }
    uar = uar_index(dev, pfn);
    if (!uar || dev->uar_owner[uar]) {
        qemu_log_mask(LOG_GUEST_ERROR, "pvrdma: bad UAR page frame 0x%"
                      PRIx64 "\n", pfn);
        return -EINVAL;
    }
    uc = g_new0(PvrdmaUc, 1);
    if (!pvrdma_table_add(&dev->ucs, uc, &uc->handle)) {
        g_free(uc);
        return -ENOMEM;
    }
    uc->uar = uar;
    dev->uar_owner[uar] = uc;
    resp->handle.handle = cpu_to_le32(uc->handle);
    return 0;
}

int pvrdma_cmd_destroy_uc(PvrdmaDev *dev, const PvrdmaReq *req,
                          PvrdmaResp *resp)
{
    PvrdmaUc *uc = pvrdma_table_get(&dev->ucs,
                                    le32_to_cpu(req->handle.handle));

    if (!uc) {
        return -EINVAL;
    }
    pvrdma_uc_reap(dev, uc);
    return 0;
}

int pvrdma_cmd_create_pd(PvrdmaDev *dev, const PvrdmaReq *req,
                         PvrdmaResp *resp)
{
    g_autofree PvrdmaPd *pd = g_new0(PvrdmaPd, 1);
    int err;

    if (!pvrdma_uc_find(dev, le32_to_cpu(req->handle.handle), &pd->uc)) {
        return -EINVAL;
    }
    err = dev->be->ops->pd_create(dev->be, pd, &pd->be);
    if (err) {
        return err;
    }
    if (!pvrdma_table_add(&dev->pds, pd, &pd->handle)) {
        dev->be->ops->pd_destroy(dev->be, pd->be);
        return -ENOMEM;
    }
    resp->handle.handle = cpu_to_le32(pd->handle);
    trace_pvrdma_pd_create(pd->handle);
    g_steal_pointer(&pd);
    return 0;
}

int pvrdma_cmd_destroy_pd(PvrdmaDev *dev, const PvrdmaReq *req,
                          PvrdmaResp *resp)
{
    PvrdmaPd *pd = pvrdma_table_get(&dev->pds,
                                    le32_to_cpu(req->handle.handle));

    if (!pd) {
        return -EINVAL;
    }
    if (pd->refs) {
        return -EBUSY;
    }
    pd_free(dev, pd);
    return 0;
}
