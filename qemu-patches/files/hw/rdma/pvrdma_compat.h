/*
 * pvrdma: the differences between the QEMU releases we build on
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_RDMA_PVRDMA_COMPAT_H
#define HW_RDMA_PVRDMA_COMPAT_H

#include "exec/cpu-common.h"

#if __has_include("system/memory.h") /* 10.1 and later */

#include "system/memory.h"
#include "system/address-spaces.h"
#include "system/ramblock.h"

typedef const void PvrdmaClassData;
typedef const InterfaceInfo PvrdmaInterfaceInfo;

static inline uint64_t pvrdma_ram_fd_offset(RAMBlock *rb)
{
    return qemu_ram_get_fd_offset(rb);
}

#else /* 10.0 */

#include "exec/memory.h"
#include "exec/address-spaces.h"
#include "exec/ramblock.h"

typedef void PvrdmaClassData;
typedef InterfaceInfo PvrdmaInterfaceInfo;

static inline uint64_t pvrdma_ram_fd_offset(RAMBlock *rb)
{
    return rb->fd_offset;
}

#endif

/* Accesses to @mr come without the BQL and without a guard against
 * re-entrancy, if this QEMU can do that. */
static inline void pvrdma_enable_lockless_io(MemoryRegion *mr)
{
#if QEMU_VERSION_MAJOR > 10 || QEMU_VERSION_MINOR >= 2
    memory_region_enable_lockless_io(mr);
#endif
}

#endif
