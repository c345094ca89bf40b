/*
 * pvrdma: guest memory
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Bus addresses go through the device's own DMA address space and reach RAM
 * only, so that neither MMIO nor the device's own BARs can be a target.
 */
#ifndef HW_RDMA_PVRDMA_DMA_H
#define HW_RDMA_PVRDMA_DMA_H

#include "hw/pci/pci_device.h"
#include "system/dma.h"
#include "pvrdma_compat.h"

#define PVRDMA_PAGE_SIZE 4096u
#define PVRDMA_PDIR_SLOTS 512u
#define PVRDMA_PDIR_MAX_PAGES (PVRDMA_PDIR_SLOTS * PVRDMA_PDIR_SLOTS)

/* A run of guest memory that is contiguous in one RAM block. */
typedef struct PvrdmaExtent {
    uint8_t *host;             /* in QEMU's own mapping */
    MemoryRegion *mr;          /* referenced */
    hwaddr mr_offset;          /* of @host in it */
    uint64_t at;               /* bytes in all runs before this one */
    int fd;                    /* of the RAM block, -1 without one */
    uint64_t fd_offset;        /* bytes, page aligned */
    uint64_t length;           /* bytes, multiple of the page size */
} PvrdmaExtent;

typedef struct PvrdmaExtents {
    uint32_t count;
    uint64_t length;           /* sum over all */
    PvrdmaExtent run[];
} PvrdmaExtents;

/* Copies @len bytes; false when any of them is not RAM or bus mastering is
 * off.  Multi-byte fields are the caller's to convert. */
bool pvrdma_dma_read(PCIDevice *pdev, dma_addr_t addr, void *buf, size_t len);
bool pvrdma_dma_write(PCIDevice *pdev, dma_addr_t addr, const void *buf,
                      size_t len);

/* Whether all of it is RAM (writable, with @write) that the device reaches */
bool pvrdma_dma_is_ram(PCIDevice *pdev, dma_addr_t addr, dma_addr_t len,
                       bool write);

/* The @len bytes at @host, which is @mr_offset in @mr, were written: dirty logs
 * see it, and code translated from them is stale. */
void pvrdma_ram_written(MemoryRegion *mr, uint8_t *host, hwaddr mr_offset,
                        size_t len);

/*
 * Reads the first @count (1..512) entries of one page of a directory: bus
 * addresses, aligned and not zero.  Whether they are RAM is yet to be seen.
 */
bool pvrdma_pdir_read(PCIDevice *pdev, dma_addr_t table, uint32_t count,
                      dma_addr_t *ret);

/*
 * Translates the first @npages pages of the directory at @pdir into runs.
 * -EFAULT: one is not writable RAM; -ENOMEM: they are more than @most runs.
 */
int pvrdma_extents_new(PCIDevice *pdev, dma_addr_t pdir, uint32_t npages,
                       uint32_t most, PvrdmaExtents **ret);
void pvrdma_extents_free(PvrdmaExtents *extents);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PvrdmaExtents, pvrdma_extents_free)

/*
 * Copies between @buf and the @len bytes at @offset, all of them within
 * @extents; writes are seen by dirty logs and translated code.
 */
void pvrdma_extents_read(const PvrdmaExtents *extents, uint64_t offset,
                         void *buf, size_t len);
void pvrdma_extents_write(const PvrdmaExtents *extents, uint64_t offset,
                          const void *buf, size_t len);

/* All of some extents as one range of host addresses */
typedef struct PvrdmaWindow {
    uint8_t *data;             /* their first byte */
    void *map;                 /* NULL: @data is in QEMU's own mapping */
    uint64_t map_length;
} PvrdmaWindow;

/* Mappings of the process that a window of @extents takes */
uint32_t pvrdma_window_mappings(const PvrdmaExtents *extents);

/*
 * 0 or -errno.  EOPNOTSUPP: RAM without an fd or not shared; EINVAL: RAM on
 * huge pages, of which the runs are not whole ones (docs/device.md).
 * @extents, which hold on to the RAM, have to outlive the window.
 */
int pvrdma_window_map(PvrdmaWindow *window, const PvrdmaExtents *extents);
void pvrdma_window_unmap(PvrdmaWindow *window);

/*
 * Whether every RAM backend of the machine can be mapped by
 * pvrdma_window_map(); false and @errp with the XML to add otherwise.
 */
bool pvrdma_ram_check_shared(Error **errp);

#endif
