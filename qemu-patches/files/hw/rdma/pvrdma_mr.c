/*
 * pvrdma: memory regions and keys
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Local keys are ours (handle << 8 | generation).  With a backend that resolves
 * keys they are the remote keys, too, and are looked up for every access
 * (pvrdma_mem.c).  Otherwise they are looked up for every SGE, and remote keys
 * are the host's, because peers put them on the wire.
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

/* A guest must not use up what its MRs cost the host. */
static int take_extents(PvrdmaDev *dev, PvrdmaMr *mr, dma_addr_t pdir,
                        uint32_t npages)
{
    uint32_t room = dev->max_extents - dev->extents;
    int err = pvrdma_extents_new(PCI_DEVICE(dev), pdir, npages, room,
                                 &mr->extents);

    if (err == -ENOMEM) {
        qemu_log_mask(LOG_GUEST_ERROR, "pvrdma: an MR of %u pages is more "
                      "than %u runs\n", npages, room);
    }
    if (!err && !pvrdma_budget_take(dev, mr->extents)) {
        g_clear_pointer(&mr->extents, pvrdma_extents_free);
        return -ENOMEM;
    }
    return err;
}

static int map_host_mr(PvrdmaDev *dev, PvrdmaMr *mr, uint32_t *ret_rkey)
{
    if (dev->be->ops->resolves_keys) {
        return 0;
    }
    return dev->be->ops->mr_create(dev->be, mr->pd->be, mr->extents, mr->start,
                                   mr->length, mr->access, &mr->be, ret_rkey);
}

static int map_user_mr(PvrdmaDev *dev, PvrdmaMr *mr, dma_addr_t pdir,
                       uint32_t nchunks, uint32_t *ret_rkey)
{
    int err = take_extents(dev, mr, pdir, nchunks);

    if (err) {
        return err;
    }
    err = map_host_mr(dev, mr, ret_rkey);
    if (err) {
        pvrdma_budget_give(dev, mr->extents);
    }
    return err;
}

static void mr_unmap(PvrdmaDev *dev, PvrdmaMr *mr)
{
    if (mr->be) {
        dev->be->ops->mr_destroy(dev->be, mr->be);
    }
    if (mr->extents) {
        pvrdma_budget_give(dev, mr->extents);
        g_clear_pointer(&mr->extents, pvrdma_extents_free);
    }
}

static void mr_free(PvrdmaMr *mr)
{
    pvrdma_extents_free(mr->extents);
    g_free(mr);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PvrdmaMr, mr_free)

/* Its WRs name bus addresses, so it is the kernel's only. */
static int init_fast_mr(PvrdmaDev *dev, PvrdmaMr *mr, uint32_t nchunks)
{
    if (!dev->caps.bmme_flags) {
        return -EOPNOTSUPP;
    }
    if (mr->pd->uc) {
        return -EPERM;
    }
    if (!nchunks || nchunks > dev->caps.max_fast_reg_page_list_len) {
        return -EINVAL;
    }
    mr->kind = PVRDMA_MR_FAST;
    mr->access = 0;
    mr->max_pages = nchunks;
    return 0;
}

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
    case PVRDMA_MR_FLAG_FRMR:
        return init_fast_mr(dev, mr, nchunks);
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
    if (dev->be->ops->resolves_keys) {
        rkey = mr->lkey;
    }
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

/*
 * @reg takes effect as a whole or not at all.  The page list lies in guest
 * memory, where the guest has put it for this WR.
 */
bool pvrdma_mr_fast_reg(PvrdmaDev *dev, PvrdmaPd *pd, const PvrdmaFastReg *reg)
{
    PvrdmaMr *mr = pvrdma_table_get(&dev->mrs, reg->key >> 8);

    if (!mr || mr->pd != pd || mr->kind != PVRDMA_MR_FAST || mr->extents ||
        !reg->length || reg->num_pages > mr->max_pages ||
        reg->iova + reg->length < reg->iova ||
        mr_pages(reg->iova, reg->length) > reg->num_pages) {
        return false;
    }
    if (take_extents(dev, mr, reg->pdir, reg->num_pages)) {
        return false;
    }
    mr->start = reg->iova;
    mr->length = reg->length;
    mr->access = reg->access;
    mr->lkey = reg->key;
    trace_pvrdma_mr_fast_reg(mr->handle, mr->lkey, mr->start, mr->length);
    return true;
}

bool pvrdma_mr_invalidate(PvrdmaDev *dev, PvrdmaPd *pd, uint32_t key)
{
    PvrdmaMr *mr = pvrdma_table_get(&dev->mrs, key >> 8);

    if (!mr || mr->pd != pd || mr->kind != PVRDMA_MR_FAST ||
        mr->lkey != key || !mr->extents) {
        return false;
    }
    mr_unmap(dev, mr);
    trace_pvrdma_mr_invalidate(mr->handle, key);
    return true;
}
