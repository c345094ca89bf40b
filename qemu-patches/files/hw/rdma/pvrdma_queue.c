/*
 * pvrdma: memory of queues and device rings
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The pages are looked up once, when the queue is made, and kept by a reference
 * on their memory region, like those of MRs.  What the guest puts in their
 * place afterwards (another device's registers, ours) is never reached through
 * them; memory that it unplugs stays until the queue is gone.
 */
#include "qemu/osdep.h"
#include "qemu/atomic.h"
#include "qemu/bswap.h"
#include "pvrdma.h"

static void map_pages(PvrdmaQueueMem *mem, const PvrdmaExtents *extents)
{
    for (uint32_t i = 0; i < extents->count; i++) {
        const PvrdmaExtent *run = &extents->run[i];

        for (uint64_t at = 0; at < run->length; at += PVRDMA_PAGE_SIZE) {
            memory_region_ref(run->mr);
            mem->pages[mem->npages++] = (PvrdmaQueuePage) {
                .host = run->host + at,
                .mr = run->mr,
                .mr_offset = run->mr_offset + at,
            };
        }
    }
}

bool pvrdma_queue_mem_init(PvrdmaDev *dev, PvrdmaQueueMem *mem,
                           dma_addr_t pdir, uint32_t npages)
{
    g_autoptr(PvrdmaExtents) extents = NULL;

    if (pvrdma_extents_new(PCI_DEVICE(dev), pdir, npages, npages, &extents)) {
        return false;
    }
    mem->pages = g_try_new(PvrdmaQueuePage, npages);
    if (!mem->pages) {
        return false;
    }
    map_pages(mem, extents);
    return true;
}

void pvrdma_queue_mem_clear(PvrdmaQueueMem *mem)
{
    for (; mem->npages; mem->npages--) {
        memory_region_unref(mem->pages[mem->npages - 1].mr);
    }
    g_clear_pointer(&mem->pages, g_free);
}

uint32_t pvrdma_queue_load32(const PvrdmaQueueMem *mem, uint32_t off)
{
    const uint32_t *word = (const uint32_t *)(mem->pages[0].host + off);

    /* what the index covers is read after it */
    return le32_to_cpu(qatomic_load_acquire(word));
}

void pvrdma_queue_store32(PvrdmaQueueMem *mem, uint32_t off, uint32_t value)
{
    const PvrdmaQueuePage *p = &mem->pages[0];
    uint8_t *host = p->host + off;

    /* what the index covers is visible before it */
    qatomic_store_release((uint32_t *)host, cpu_to_le32(value));
    pvrdma_ram_written(p->mr, host, p->mr_offset + off, sizeof(value));
}

const void *pvrdma_queue_at(const PvrdmaQueueMem *mem, uint32_t page,
                            uint32_t at)
{
    return mem->pages[page + at / PVRDMA_PAGE_SIZE].host +
           at % PVRDMA_PAGE_SIZE;
}

void pvrdma_queue_write(PvrdmaQueueMem *mem, uint32_t page, uint32_t at,
                        const void *elem, uint32_t len)
{
    const PvrdmaQueuePage *p = &mem->pages[page + at / PVRDMA_PAGE_SIZE];
    uint8_t *host = p->host + at % PVRDMA_PAGE_SIZE;

    memcpy(host, elem, len);
    pvrdma_ram_written(p->mr, host, p->mr_offset + at % PVRDMA_PAGE_SIZE, len);
}
