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

/* What address_space_unmap() does */
void pvrdma_ram_written(MemoryRegion *mr, uint8_t *host, hwaddr mr_offset,
                        size_t len)
{
    MemoryRegionCache cache = {
        .ptr = host,
        .mrs = { .mr = mr },
        .is_write = true,
    };

    address_space_cache_invalidate(&cache, mr_offset, len);
}

bool pvrdma_pdir_read(PCIDevice *pdev, dma_addr_t table, uint32_t count,
                      dma_addr_t *ret)
{
    uint64_t raw[PVRDMA_PDIR_SLOTS];

    if (!table || table % PVRDMA_PAGE_SIZE ||
        !pvrdma_dma_read(pdev, table, raw, count * sizeof(raw[0]))) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        ret[i] = le64_to_cpu(raw[i]);
        if (!ret[i] || ret[i] % PVRDMA_PAGE_SIZE) {
            return false;
        }
    }
    return true;
}
