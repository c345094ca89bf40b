/*
 * pvrdma: budgets, what a guest can make the host hold for its MRs
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Runs cost memory.  With a backend that maps guest memory, each is also a
 * mapping of this process, of which there are only so many, and the pages are
 * pinned.  Pages of several MRs count for each of them, as RLIMIT_MEMLOCK
 * counts them.
 */
#include "qemu/osdep.h"
#include "qemu/log.h"
#include "hw/boards.h"
#include "pvrdma.h"

void pvrdma_budget_init(PvrdmaDev *dev)
{
    dev->max_mappings = dev->be->caps.max_extents;
    dev->max_pinned = current_machine->ram_size;
}

/* The runs, and the window that they are put together in */
static uint32_t mappings_of(const PvrdmaExtents *extents)
{
    return extents->count + 1;
}

static const char *first_short(PvrdmaDev *dev, const PvrdmaExtents *extents)
{
    if (extents->count > dev->be->caps.max_extents - dev->extents) {
        return "runs";
    }
    if (dev->be->ops->resolves_keys) {
        return NULL;
    }
    if (mappings_of(extents) > dev->max_mappings - dev->mappings) {
        return "mappings";
    }
    return extents->length > dev->max_pinned - dev->pinned ? "pinned bytes"
                                                           : NULL;
}

bool pvrdma_budget_take(PvrdmaDev *dev, const PvrdmaExtents *extents)
{
    const char *what = first_short(dev, extents);

    if (what) {
        qemu_log_mask(LOG_GUEST_ERROR, "pvrdma: an MR of %u runs and %" PRIu64
                      " bytes exceeds the budget of %s\n", extents->count,
                      extents->length, what);
        return false;
    }
    dev->extents += extents->count;
    if (!dev->be->ops->resolves_keys) {
        dev->mappings += mappings_of(extents);
        dev->pinned += extents->length;
    }
    return true;
}

void pvrdma_budget_give(PvrdmaDev *dev, const PvrdmaExtents *extents)
{
    dev->extents -= extents->count;
    if (!dev->be->ops->resolves_keys) {
        dev->mappings -= mappings_of(extents);
        dev->pinned -= extents->length;
    }
}
