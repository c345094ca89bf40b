/*
 * pvrdma: budgets, what a guest can make the host hold
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Objects are counted by their tables.  The same guest pages can be named for
 * any number of queues and MRs, so what these cost the host is counted here:
 *
 * queue memory  contexts and the backend's own queues, in QEMU or the kernel
 * extents       runs of guest pages that MRs consist of
 * mappings      only with a backend that maps guest memory: its runs and the
 *               windows around them are mappings of this process, of which
 *               there are only so many
 * pinned bytes  of those; pages of several MRs count for each of them, as
 *               RLIMIT_MEMLOCK counts them
 */
#include "qemu/osdep.h"
#include "qemu/cutils.h"
#include "qemu/log.h"
#include "qemu/units.h"
#include "qapi/error.h"
#include "hw/boards.h"
#include "pvrdma.h"
#include "trace.h"

/* What each WR may take: a context, the backend's, and completions (twice, as
 * they wait in a ring that grows by doubling) */
#define WR_BYTES 256u
#define SGE_BYTES 16u
#define CQE_BYTES 128u         /* in the host's queue, and set aside */

#define USUAL_QUEUE_MEMORY (1 * GiB)
#define LEAST_QUEUE_MEMORY (1 * MiB) /* the guest's MAD service has a quarter */

/* vm.max_map_count is the process's: what QEMU without us may need of it */
#define OTHER_MAPPINGS 8192u
#define USUAL_MAP_COUNT 65530u

static uint64_t max_map_count(void)
{
    g_autofree char *text = NULL;
    uint64_t n;

    if (!g_file_get_contents("/proc/sys/vm/max_map_count", &text, NULL,
                             NULL) || qemu_strtou64(text, NULL, 10, &n) < 0) {
        return USUAL_MAP_COUNT;
    }
    return n;
}

typedef struct {
    PvrdmaDev *dev;
    uint64_t mappings;
} Others;

static int add_other(Object *obj, void *opaque)
{
    Others *others = opaque;
    PvrdmaDev *dev = (PvrdmaDev *)object_dynamic_cast(obj, TYPE_PVRDMA);

    if (dev && dev != others->dev && dev->be) {
        others->mappings += dev->limits.max_mappings;
    }
    return 0;
}

/* Mappings that neither QEMU nor another device of ours has been promised */
static uint32_t mappings_left(PvrdmaDev *dev)
{
    Others others = { .dev = dev, .mappings = OTHER_MAPPINGS };
    uint64_t most = max_map_count();

    object_child_foreach_recursive(object_get_root(), add_other, &others);
    return most > others.mappings ? MIN(most - others.mappings, INT32_MAX) : 0;
}

bool pvrdma_limit_check(PvrdmaDev *dev, const char *name, uint64_t value,
                        uint64_t least, uint64_t most, Error **errp)
{
    g_autofree char *who = NULL;

    if (value >= least && value <= most) {
        return true;
    }
    who = dev->be->ops->resolves_keys
          ? g_strdup("RDMA in software")
          : g_strdup_printf("RDMA device '%s'", dev->be->host_name);
    if (most == UINT64_MAX) {
        error_setg(errp, "%s=%" PRIu64 " is out of range: %s allows %" PRIu64
                   " and more", name, value, who, least);
    } else {
        error_setg(errp, "%s=%" PRIu64 " is out of range: %s allows %" PRIu64
                   " to %" PRIu64, name, value, who, least, most);
    }
    return false;
}

/* Without a limit given, half of what is left: there may be more devices. */
static bool init_mappings(PvrdmaDev *dev, Error **errp)
{
    uint32_t left = mappings_left(dev);

    if (left < 4) {
        error_setg(errp, "vm.max_map_count leaves no mappings for guest "
                   "memory: raise it (sysctl -w vm.max_map_count=262144) or "
                   "lower max-mappings of other pvrdma devices");
        return false;
    }
    dev->limits.max_mappings = dev->limits.max_mappings ?: left / 2;
    dev->max_extents = dev->limits.max_mappings;
    return pvrdma_limit_check(dev, "max-mappings", dev->limits.max_mappings, 2,
                              left, errp);
}

bool pvrdma_budget_init(PvrdmaDev *dev, Error **errp)
{
    PvrdmaLimits *limits = &dev->limits;

    limits->max_queue_memory = limits->max_queue_memory ?: USUAL_QUEUE_MEMORY;
    if (!pvrdma_limit_check(dev, "max-queue-memory", limits->max_queue_memory,
                            LEAST_QUEUE_MEMORY, UINT64_MAX, errp)) {
        return false;
    }
    if (dev->be->ops->resolves_keys) {
        dev->max_extents = dev->be->caps.max_extents;
        return true;
    }
    limits->max_pinned = limits->max_pinned ?: current_machine->maxram_size;
    return pvrdma_limit_check(dev, "max-pinned", limits->max_pinned,
                              PVRDMA_PAGE_SIZE, UINT64_MAX, errp) &&
           init_mappings(dev, errp);
}

static const char *first_short(PvrdmaDev *dev, const PvrdmaExtents *extents)
{
    if (extents->count > dev->max_extents - dev->extents) {
        return "runs";
    }
    if (dev->be->ops->resolves_keys) {
        return NULL;
    }
    if (pvrdma_window_mappings(extents) >
        dev->limits.max_mappings - dev->mappings) {
        return "mappings";
    }
    return extents->length > dev->limits.max_pinned - dev->pinned
           ? "pinned bytes" : NULL;
}

bool pvrdma_budget_take(PvrdmaDev *dev, const PvrdmaExtents *extents)
{
    const char *what = first_short(dev, extents);

    if (what) {
        trace_pvrdma_budget_exceeded(what, extents->length);
        qemu_log_mask(LOG_GUEST_ERROR, "pvrdma: an MR of %u runs and %" PRIu64
                      " bytes exceeds the budget of %s\n", extents->count,
                      extents->length, what);
        return false;
    }
    dev->extents += extents->count;
    if (!dev->be->ops->resolves_keys) {
        dev->mappings += pvrdma_window_mappings(extents);
        dev->pinned += extents->length;
    }
    return true;
}

void pvrdma_budget_give(PvrdmaDev *dev, const PvrdmaExtents *extents)
{
    dev->extents -= extents->count;
    if (!dev->be->ops->resolves_keys) {
        dev->mappings -= pvrdma_window_mappings(extents);
        dev->pinned -= extents->length;
    }
}

uint64_t pvrdma_budget_wrs(uint32_t count, uint32_t max_sge)
{
    return (uint64_t)count * (WR_BYTES + max_sge * SGE_BYTES);
}

uint64_t pvrdma_budget_cqes(uint32_t count)
{
    return (uint64_t)count * CQE_BYTES;
}

uint64_t pvrdma_budget_pages(uint32_t count)
{
    return (uint64_t)count * sizeof(PvrdmaQueuePage);
}

bool pvrdma_budget_take_queue(PvrdmaDev *dev, uint64_t bytes)
{
    if (bytes > dev->limits.max_queue_memory - dev->queue_bytes) {
        trace_pvrdma_budget_exceeded("queue memory", bytes);
        qemu_log_mask(LOG_GUEST_ERROR, "pvrdma: a queue of %" PRIu64
                      " bytes exceeds the budget\n", bytes);
        return false;
    }
    dev->queue_bytes += bytes;
    return true;
}

void pvrdma_budget_give_queue(PvrdmaDev *dev, uint64_t bytes)
{
    dev->queue_bytes -= bytes;
}
