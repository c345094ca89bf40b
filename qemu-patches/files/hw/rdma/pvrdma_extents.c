/*
 * pvrdma: runs of guest pages
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A region may have 262144 pages, and a guest waits while they are looked up.
 * So pages that follow one another are taken together, and what the address
 * space says of one address is asked only when another part of it is reached.
 */
#include "qemu/osdep.h"
#include "qemu/rcu.h"
#include "hw/pci/pci.h"
#include "pvrdma_dma.h"

#define FIRST_ROOM 16u

/* RAM that the bus addresses from @bus on lead to */
typedef struct Section {
    dma_addr_t bus;
    hwaddr length;             /* multiple of the page size */
    MemoryRegion *mr;
    hwaddr mr_offset;
    uint8_t *host;
} Section;

typedef struct Builder {
    PCIDevice *pdev;
    Section section;           /* that of the last page */
    dma_addr_t bus;            /* pages not yet in @extents */
    uint64_t length;
    PvrdmaExtents *extents;
    uint32_t room;             /* runs that fit into @extents */
    uint32_t most;             /* that there may be */
} Builder;

/* Plain RAM that can be written; within an RCU critical section. */
static bool section_find(PCIDevice *pdev, dma_addr_t bus, Section *ret)
{
    const MemTxAttrs ram_only = { .memory = 1 };
    hwaddr len = UINT64_MAX - bus, offset;
    MemoryRegion *mr = address_space_translate(pci_get_address_space(pdev),
                                               bus, &offset, &len, true,
                                               ram_only);

    if (len < PVRDMA_PAGE_SIZE || !memory_access_is_direct(mr, true, ram_only)
        || memory_region_is_ram_device(mr)) {
        return false;
    }
    *ret = (Section) {
        .bus = bus,
        .length = QEMU_ALIGN_DOWN(len, PVRDMA_PAGE_SIZE),
        .mr = mr,
        .mr_offset = offset,
        .host = (uint8_t *)memory_region_get_ram_ptr(mr) + offset,
    };
    return true;
}

static bool extents_make_room(Builder *b)
{
    uint32_t room = MIN(MAX(b->room * 2, FIRST_ROOM), b->most);
    PvrdmaExtents *more;

    if (b->extents->count < b->room) {
        return true;
    }
    if (room <= b->room) {
        return false;
    }
    more = g_try_realloc(b->extents, sizeof(PvrdmaExtents) +
                                     (size_t)room * sizeof(PvrdmaExtent));
    if (!more) {
        return false;
    }
    b->extents = more;
    b->room = room;
    return true;
}

static bool extents_append(Builder *b, hwaddr skip, uint64_t length)
{
    PvrdmaExtents *e = b->extents;
    PvrdmaExtent *last = e->count ? &e->run[e->count - 1] : NULL;
    MemoryRegion *mr = b->section.mr;
    uint8_t *host = b->section.host + skip;

    if (last && last->mr == mr && last->host + last->length == host) {
        last->length += length;
        e->length += length;
        return true;
    }
    if (!extents_make_room(b)) {
        return false;
    }
    e = b->extents;
    e->run[e->count++] = (PvrdmaExtent) {
        .host = host,
        .mr = mr,
        .mr_offset = b->section.mr_offset + skip,
        .at = e->length,
        .fd = qemu_ram_is_shared(mr->ram_block)
              ? qemu_ram_get_fd(mr->ram_block) : -1,
        .fd_offset = pvrdma_ram_fd_offset(mr->ram_block) +
                     b->section.mr_offset + skip,
        .length = length,
    };
    e->length += length;
    memory_region_ref(mr);
    return true;
}

/* Adds the pages that were put together. */
static int builder_flush(Builder *b)
{
    while (b->length) {
        Section *s = &b->section;
        uint64_t n;

        if ((b->bus < s->bus || b->bus - s->bus >= s->length) &&
            !section_find(b->pdev, b->bus, s)) {
            return -EFAULT;
        }
        n = MIN(b->length, s->length - (b->bus - s->bus));
        if (!extents_append(b, b->bus - s->bus, n)) {
            return -ENOMEM;
        }
        b->bus += n;
        b->length -= n;
    }
    return 0;
}

static int builder_add(Builder *b, const dma_addr_t *page, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        int err;

        if (page[i] == b->bus + b->length) {
            b->length += PVRDMA_PAGE_SIZE;
            continue;
        }
        err = builder_flush(b);
        if (err) {
            return err;
        }
        b->bus = page[i];
        b->length = PVRDMA_PAGE_SIZE;
    }
    return 0;
}

static int builder_walk(Builder *b, dma_addr_t pdir, uint32_t npages)
{
    dma_addr_t tables[PVRDMA_PDIR_SLOTS], pages[PVRDMA_PDIR_SLOTS];
    uint32_t ntables = DIV_ROUND_UP(npages, PVRDMA_PDIR_SLOTS);
    int err;

    if (npages < 1 || npages > PVRDMA_PDIR_MAX_PAGES ||
        !pvrdma_pdir_read(b->pdev, pdir, ntables, tables)) {
        return -EFAULT;
    }
    for (uint32_t t = 0; t < ntables; t++) {
        uint32_t count = MIN(npages - t * PVRDMA_PDIR_SLOTS,
                             PVRDMA_PDIR_SLOTS);

        if (!pvrdma_pdir_read(b->pdev, tables[t], count, pages)) {
            return -EFAULT;
        }
        err = builder_add(b, pages, count);
        if (err) {
            return err;
        }
    }
    return builder_flush(b);
}

int pvrdma_extents_new(PCIDevice *pdev, dma_addr_t pdir, uint32_t npages,
                       uint32_t most, PvrdmaExtents **ret)
{
    Builder b = {
        .pdev = pdev,
        .extents = g_new0(PvrdmaExtents, 1),
        .most = most,
    };
    int err;

    RCU_READ_LOCK_GUARD();
    err = builder_walk(&b, pdir, npages);
    if (err) {
        pvrdma_extents_free(b.extents);
        return err;
    }
    *ret = g_realloc(b.extents, sizeof(PvrdmaExtents) +
                                b.extents->count * sizeof(PvrdmaExtent));
    return 0;
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

void pvrdma_extents_write(const PvrdmaExtents *extents, uint64_t offset,
                          const void *buf, size_t len)
{
    const PvrdmaExtent *run = extent_at(extents, offset);

    for (; len; run++) {
        size_t n = MIN(len, run->at + run->length - offset);
        uint8_t *host = run->host + (offset - run->at);

        memcpy(host, buf, n);
        pvrdma_ram_written(run->mr, host, run->mr_offset + (offset - run->at),
                           n);
        buf = (const uint8_t *)buf + n;
        offset += n;
        len -= n;
    }
}
