/*
 * pvrdma: guest memory
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "qemu/rcu.h"
#include "hw/pci/pci.h"
#include "pvrdma_dma.h"

#define PDIR_SLOTS 512u
#define PDIR_MAX_PAGES (PDIR_SLOTS * PDIR_SLOTS)

/* RAM only: an access that would reach a device fails instead. */
static const MemTxAttrs ram_only = { .memory = 1 };

bool pvrdma_dma_read(PCIDevice *pdev, dma_addr_t addr, void *buf, size_t len)
{
    return dma_memory_read(pci_get_address_space(pdev), addr, buf, len,
                           ram_only) == MEMTX_OK;
}

bool pvrdma_dma_write(PCIDevice *pdev, dma_addr_t addr, const void *buf,
                      size_t len)
{
    return dma_memory_write(pci_get_address_space(pdev), addr, buf, len,
                            ram_only) == MEMTX_OK;
}

bool pvrdma_dma_is_ram(PCIDevice *pdev, dma_addr_t addr, dma_addr_t len,
                       bool write)
{
    AddressSpace *as = pci_get_address_space(pdev);

    RCU_READ_LOCK_GUARD();
    while (len) {
        hwaddr run = len, offset;
        MemoryRegion *mr = address_space_translate(as, addr, &offset, &run,
                                                   write, ram_only);

        if (!run || !memory_access_is_direct(mr, write, ram_only)) {
            return false;
        }
        addr += run;
        len -= run;
    }
    return true;
}

/*
 * The RAM behind one page, with a reference on its region; NULL when it is
 * not plain writable RAM.
 */
static MemoryRegion *page_to_ram(PCIDevice *pdev, dma_addr_t addr,
                                 hwaddr *ret_offset)
{
    hwaddr len = PVRDMA_PAGE_SIZE, offset;
    MemoryRegion *mr;

    RCU_READ_LOCK_GUARD();
    mr = address_space_translate(pci_get_address_space(pdev), addr, &offset,
                                 &len, true, ram_only);
    if (len < PVRDMA_PAGE_SIZE || !memory_access_is_direct(mr, true, ram_only)
        || memory_region_is_ram_device(mr)) {
        return NULL;
    }
    memory_region_ref(mr);
    *ret_offset = offset;
    return mr;
}

static bool page_is_valid(PCIDevice *pdev, dma_addr_t addr)
{
    hwaddr offset;
    MemoryRegion *mr;

    if (!addr || addr % PVRDMA_PAGE_SIZE) {
        return false;
    }
    mr = page_to_ram(pdev, addr, &offset);
    if (!mr) {
        return false;
    }
    memory_region_unref(mr);
    return true;
}

/* Reads @count entries of one directory or table page, all of them valid. */
static bool read_table(PCIDevice *pdev, dma_addr_t table, uint32_t count,
                       dma_addr_t *ret)
{
    uint64_t raw[PDIR_SLOTS];

    if (!table || table % PVRDMA_PAGE_SIZE ||
        !pvrdma_dma_read(pdev, table, raw, count * sizeof(raw[0]))) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        ret[i] = le64_to_cpu(raw[i]);
        if (!page_is_valid(pdev, ret[i])) {
            return false;
        }
    }
    return true;
}

dma_addr_t *pvrdma_pdir_walk(PCIDevice *pdev, dma_addr_t pdir,
                             uint32_t npages)
{
    dma_addr_t tables[PDIR_SLOTS];
    g_autofree dma_addr_t *pages = NULL;
    uint32_t ntables = DIV_ROUND_UP(npages, PDIR_SLOTS);

    if (npages < 1 || npages > PDIR_MAX_PAGES ||
        !read_table(pdev, pdir, ntables, tables)) {
        return NULL;
    }
    pages = g_try_new(dma_addr_t, npages);
    if (!pages) {
        return NULL;
    }
    for (uint32_t t = 0; t < ntables; t++) {
        uint32_t done = t * PDIR_SLOTS;

        if (!read_table(pdev, tables[t], MIN(npages - done, PDIR_SLOTS),
                        pages + done)) {
            return NULL;
        }
    }
    return g_steal_pointer(&pages);
}

/* Whether the page at @offset of @mr goes on where @run ends. */
static bool extent_grows(const PvrdmaExtent *run, MemoryRegion *mr,
                         const uint8_t *host)
{
    return run->mr == mr && run->host + run->length == host;
}

static void extent_start(PvrdmaExtent *run, MemoryRegion *mr, hwaddr offset,
                         uint8_t *host, uint64_t at)
{
    run->host = host;
    run->mr = mr;
    run->mr_offset = offset;
    run->at = at;
    run->fd = qemu_ram_is_shared(mr->ram_block)
              ? qemu_ram_get_fd(mr->ram_block) : -1;
    run->fd_offset = pvrdma_ram_fd_offset(mr->ram_block) + offset;
    run->length = PVRDMA_PAGE_SIZE;
    memory_region_ref(mr);
}

static bool extents_append(PvrdmaExtents *extents, PCIDevice *pdev,
                           dma_addr_t page)
{
    PvrdmaExtent *last = extents->count ? &extents->run[extents->count - 1]
                                        : NULL;
    hwaddr offset;
    MemoryRegion *mr = page_to_ram(pdev, page, &offset);
    uint8_t *host;

    if (!mr) {
        return false;
    }
    host = (uint8_t *)memory_region_get_ram_ptr(mr) + offset;
    if (last && extent_grows(last, mr, host)) {
        last->length += PVRDMA_PAGE_SIZE;
    } else {
        extent_start(&extents->run[extents->count++], mr, offset, host,
                     extents->length);
    }
    extents->length += PVRDMA_PAGE_SIZE;
    memory_region_unref(mr);
    return true;
}

PvrdmaExtents *pvrdma_extents_new(PCIDevice *pdev, const dma_addr_t *pages,
                                  uint32_t npages)
{
    g_autoptr(PvrdmaExtents) extents =
        g_try_malloc0(sizeof(PvrdmaExtents) +
                      (size_t)npages * sizeof(PvrdmaExtent));
    size_t size;

    if (!extents) {
        return NULL;
    }
    for (uint32_t i = 0; i < npages; i++) {
        if (!extents_append(extents, pdev, pages[i])) {
            return NULL;
        }
    }
    /* most of it is unused: runs merge */
    size = sizeof(PvrdmaExtents) + extents->count * sizeof(PvrdmaExtent);
    return g_realloc(g_steal_pointer(&extents), size);
}

void pvrdma_extents_free(PvrdmaExtents *extents)
{
    if (!extents) {
        return;
    }
    for (uint32_t i = 0; i < extents->count; i++) {
        memory_region_unref(extents->run[i].mr);
    }
    g_free(extents);
}

/* The run that has the byte at @offset */
static const PvrdmaExtent *extent_at(const PvrdmaExtents *extents,
                                     uint64_t offset)
{
    uint32_t low = 0, high = extents->count - 1;

    while (low < high) {
        uint32_t mid = low + (high - low + 1) / 2;

        if (extents->run[mid].at <= offset) {
            low = mid;
        } else {
            high = mid - 1;
        }
    }
    return &extents->run[low];
}

void pvrdma_extents_read(const PvrdmaExtents *extents, uint64_t offset,
                         void *buf, size_t len)
{
    const PvrdmaExtent *run = extent_at(extents, offset);

    for (; len; run++) {
        size_t n = MIN(len, run->at + run->length - offset);

        memcpy(buf, run->host + (offset - run->at), n);
        buf = (uint8_t *)buf + n;
        offset += n;
        len -= n;
    }
}

/* What address_space_unmap() does: translated code of these bytes is stale. */
static void extent_dirty(const PvrdmaExtent *run, uint64_t from, size_t len)
{
    MemoryRegionCache cache = {
        .ptr = run->host,
        .mrs = { .mr = run->mr },
        .is_write = true,
    };

    address_space_cache_invalidate(&cache, run->mr_offset + from, len);
}

void pvrdma_extents_write(const PvrdmaExtents *extents, uint64_t offset,
                          const void *buf, size_t len)
{
    const PvrdmaExtent *run = extent_at(extents, offset);

    for (; len; run++) {
        size_t n = MIN(len, run->at + run->length - offset);

        memcpy(run->host + (offset - run->at), buf, n);
        extent_dirty(run, offset - run->at, n);
        buf = (const uint8_t *)buf + n;
        offset += n;
        len -= n;
    }
}
