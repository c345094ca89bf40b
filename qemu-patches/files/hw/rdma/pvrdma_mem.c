/*
 * pvrdma: guest memory by key, for backends that resolve keys
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each access looks its key up anew, so that an MR may go at any time, also
 * while work requests that name it are under way.
 */
#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "pvrdma.h"
#include "trace.h"

static PvrdmaMr *look_up(PvrdmaDev *dev, PvrdmaPd *pd, uint32_t key,
                         uint64_t va, uint64_t len, uint32_t access)
{
    PvrdmaMr *mr = pvrdma_table_get(&dev->mrs, key >> 8);

    if (!mr || mr->lkey != key || mr->pd != pd || (access & ~mr->access)) {
        return NULL;
    }
    if (mr->kind == PVRDMA_MR_DMA) {
        return va + len >= va ? mr : NULL;
    }
    if (!mr->extents || va < mr->start || va - mr->start > mr->length ||
        len > mr->length - (va - mr->start)) {
        return NULL;
    }
    return mr;
}

static PvrdmaMr *find(PvrdmaDev *dev, PvrdmaPd *pd, uint32_t key, uint64_t va,
                      uint64_t len, uint32_t access)
{
    PvrdmaMr *mr = look_up(dev, pd, key, va, len, access);

    if (!mr) {
        trace_pvrdma_mem_refused(key, va, len, access);
    }
    return mr;
}

/* Of a byte of @mr in its pages: the first one need not begin a page. */
static uint64_t offset_of(const PvrdmaMr *mr, uint64_t va)
{
    return mr->start % PVRDMA_PAGE_SIZE + (va - mr->start);
}

/* A DMA MR allows no remote access: peers must not reach all of memory. */
static bool mem_check(void *opaque, void *pd, uint32_t key, uint64_t va,
                      uint64_t len, uint32_t access)
{
    PvrdmaDev *dev = opaque;
    PvrdmaMr *mr = find(dev, pd, key, va, len, access);

    if (mr && mr->kind == PVRDMA_MR_DMA) {
        return pvrdma_dma_is_ram(PCI_DEVICE(dev), va, len, access);
    }
    return mr;
}

static bool mem_read(void *opaque, void *pd, uint32_t key, uint64_t va,
                     void *buf, uint32_t len, uint32_t access)
{
    PvrdmaDev *dev = opaque;
    PvrdmaMr *mr = find(dev, pd, key, va, len, access);

    if (!mr) {
        return false;
    }
    if (mr->kind == PVRDMA_MR_DMA) {
        return pvrdma_dma_read(PCI_DEVICE(dev), va, buf, len);
    }
    pvrdma_extents_read(mr->extents, offset_of(mr, va), buf, len);
    return true;
}

static bool mem_write(void *opaque, void *pd, uint32_t key, uint64_t va,
                      const void *buf, uint32_t len, uint32_t access)
{
    PvrdmaDev *dev = opaque;
    PCIDevice *pdev = PCI_DEVICE(dev);
    PvrdmaMr *mr = find(dev, pd, key, va, len, access);

    if (!mr) {
        return false;
    }
    if (mr->kind == PVRDMA_MR_DMA) {
        return pvrdma_dma_is_ram(pdev, va, len, true) &&
               pvrdma_dma_write(pdev, va, buf, len);
    }
    pvrdma_extents_write(mr->extents, offset_of(mr, va), buf, len);
    return true;
}

/* Atomic for the queue pairs of this device, which is what it claims. */
static bool mem_atomic(void *opaque, void *pd, uint32_t key, uint64_t va,
                       bool is_add, uint64_t compare_add, uint64_t swap,
                       uint64_t *ret)
{
    uint64_t word, old;

    if (va % sizeof(word) ||
        !mem_read(opaque, pd, key, va, &word, sizeof(word),
                  PVRDMA_ACCESS_REMOTE_ATOMIC)) {
        return false;
    }
    old = le64_to_cpu(word);
    if (is_add) {
        word = cpu_to_le64(old + compare_add);
    } else if (old == compare_add) {
        word = cpu_to_le64(swap);
    }
    *ret = old;
    return mem_write(opaque, pd, key, va, &word, sizeof(word),
                     PVRDMA_ACCESS_REMOTE_ATOMIC);
}

static bool mem_fast_reg(void *opaque, void *pd, const PvrdmaFastReg *reg)
{
    return pvrdma_mr_fast_reg(opaque, pd, reg);
}

static bool mem_invalidate(void *opaque, void *pd, uint32_t key)
{
    return pvrdma_mr_invalidate(opaque, pd, key);
}

const PvrdmaMemOps pvrdma_mem_ops = {
    .check = mem_check,
    .read = mem_read,
    .write = mem_write,
    .atomic = mem_atomic,
    .fast_reg = mem_fast_reg,
    .invalidate = mem_invalidate,
};
