/*
 * pvrdma: memory regions and keys
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Local keys are ours (handle << 8 | generation) and are looked up for every
 * SGE; remote keys are the host's, because peers put them on the wire.
 */
#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "qemu/log.h"
#include "pvrdma.h"
#include "trace.h"

static uint64_t mr_pages(uint64_t start, uint64_t length)
{
    return DIV_ROUND_UP(start % PVRDMA_PAGE_SIZE + length, PVRDMA_PAGE_SIZE);
}

static bool user_mr_valid(PvrdmaDev *dev, const PvrdmaMr *mr, uint32_t nchunks)
{
    return mr->length && mr->length <= dev->caps.max_mr_size &&
           mr->start + mr->length > mr->start &&
           nchunks == mr_pages(mr->start, mr->length);
}

/* Mappings are the process's: a guest must not use them up. */
static int map_budget(PvrdmaDev *dev, uint32_t runs)
{
    if (runs > PVRDMA_MAX_MAPPINGS - dev->mappings) {
        qemu_log_mask(LOG_GUEST_ERROR, "pvrdma: MR of %u runs exceeds the "
                      "budget of %u mappings\n", runs, PVRDMA_MAX_MAPPINGS);
        return -ENOMEM;
    }
    dev->mappings += runs;
    return 0;
}

static int map_user_mr(PvrdmaDev *dev, PvrdmaMr *mr, dma_addr_t pdir,
                       uint32_t nchunks, uint32_t *ret_rkey)
{
    PCIDevice *pdev = PCI_DEVICE(dev);
    g_autofree dma_addr_t *pages = pvrdma_pdir_walk(pdev, pdir, nchunks);
    int err;

    mr->extents = pages ? pvrdma_extents_new(pdev, pages, nchunks) : NULL;
    if (!mr->extents) {
        return -EFAULT;
    }
    err = map_budget(dev, mr->extents->count);
    if (err) {
        return err;
    }
    err = dev->be->ops->mr_create(dev->be, mr->pd->be, mr->extents, mr->start,
                                  mr->length, mr->access, &mr->be, ret_rkey);
    if (err) {
        dev->mappings -= mr->extents->count;
    }
    return err;
}

static void mr_unmap(PvrdmaDev *dev, PvrdmaMr *mr)
{
    if (mr->be) {
        dev->be->ops->mr_destroy(dev->be, mr->be);
        dev->mappings -= mr->extents->count;
    }
}

static void mr_free(PvrdmaMr *mr)
{
    pvrdma_extents_free(mr->extents);
    g_free(mr);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PvrdmaMr, mr_free)

static int mr_init(PvrdmaDev *dev, PvrdmaMr *mr, const PvrdmaReqCreateMr *req,
                   uint32_t *ret_rkey)
{
    uint32_t nchunks = le32_to_cpu(req->nchunks);

    mr->start = le64_to_cpu(req->start);
    mr->length = le64_to_cpu(req->length);
    mr->access = le32_to_cpu(req->access_flags) & PVRDMA_ACCESS_MASK;
    switch (le32_to_cpu(req->flags)) {
    case 0:
        mr->kind = PVRDMA_MR_USER;
        if (!user_mr_valid(dev, mr, nchunks)) {
            return -EINVAL;
        }
        return map_user_mr(dev, mr, le64_to_cpu(req->pdir_dma), nchunks,
                           ret_rkey);
    case PVRDMA_MR_FLAG_DMA:
        if (mr->pd->uc) {
            return -EPERM; /* all guest memory is the kernel's only */
        }
        mr->kind = PVRDMA_MR_DMA;
        mr->access &= PVRDMA_ACCESS_LOCAL_WRITE;
        return 0;
    default:
        return -EOPNOTSUPP;
    }
}

int pvrdma_cmd_create_mr(PvrdmaDev *dev, const PvrdmaReq *req,
                         PvrdmaResp *resp)
{
    g_autoptr(PvrdmaMr) mr = g_new0(PvrdmaMr, 1);
    uint32_t rkey = 0;
    int err;

    mr->pd = pvrdma_table_get(&dev->pds, le32_to_cpu(req->create_mr.pd_handle));
    if (!mr->pd) {
        return -EINVAL;
    }
    err = mr_init(dev, mr, &req->create_mr, &rkey);
    if (err) {
        return err;
    }
    if (!pvrdma_table_add(&dev->mrs, mr, &mr->handle)) {
        mr_unmap(dev, mr);
        return -ENOMEM;
    }
    mr->pd->refs++;
    mr->lkey = mr->handle << 8 | dev->mr_generation++;
    resp->create_mr.mr_handle = cpu_to_le32(mr->handle);
    resp->create_mr.lkey = cpu_to_le32(mr->lkey);
    resp->create_mr.rkey = cpu_to_le32(rkey);
    trace_pvrdma_mr_create(mr->handle, mr->start, mr->length,
                           mr->extents ? mr->extents->count : 0);
    g_steal_pointer(&mr);
    return 0;
}

void pvrdma_mr_destroy(PvrdmaDev *dev, PvrdmaMr *mr)
{
    pvrdma_table_remove(&dev->mrs, mr->handle);
    mr_unmap(dev, mr);
    mr->pd->refs--;
    mr_free(mr);
}

int pvrdma_cmd_destroy_mr(PvrdmaDev *dev, const PvrdmaReq *req,
                          PvrdmaResp *resp)
{
    PvrdmaMr *mr = pvrdma_table_get(&dev->mrs,
                                    le32_to_cpu(req->handle.handle));

    if (!mr) {
        return -EINVAL;
    }
    pvrdma_mr_destroy(dev, mr);
    return 0;
}

PvrdmaMr *pvrdma_mr_for_sge(PvrdmaDev *dev, PvrdmaPd *pd, uint32_t lkey,
                            uint64_t addr, uint32_t length, uint32_t access)
{
    PvrdmaMr *mr = pvrdma_table_get(&dev->mrs, lkey >> 8);

    if (!mr || mr->lkey != lkey || mr->pd != pd ||
        (access & ~mr->access) || mr->kind != PVRDMA_MR_USER) {
        return NULL;
    }
    if (addr < mr->start || addr - mr->start > mr->length ||
        length > mr->length - (addr - mr->start)) {
        return NULL;
    }
    return mr;
}
