/*
 * pvrdma: statistics, for the host's administrator
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Counters never go back: those of a device count from its creation, whatever
 * its guest resets, those of a QP from the QP's.
 */
#ifndef HW_RDMA_PVRDMA_STATS_H
#define HW_RDMA_PVRDMA_STATS_H

#include "qemu/stats64.h"
#include "qom/object.h"

typedef struct PvrdmaStats {
    Stat64 doorbells;          /* rung by several vCPUs at a time */
    Stat64 doorbells_ignored;
    uint64_t commands;
    uint64_t command_errors;
    uint64_t send_wqes;
    uint64_t recv_wqes;
    uint64_t completions;
    uint64_t completion_errors;
    uint64_t interrupts;
    uint64_t events;
    uint64_t events_dropped;
} PvrdmaStats;

typedef struct PvrdmaQpStats {
    uint64_t sends;            /* WQEs taken from the guest */
    uint64_t receives;
    uint64_t completions;
    uint64_t errors;
} PvrdmaQpStats;

/* Getter of the property "stats" (docs/device.md) */
ObjectPropertyAccessor pvrdma_stats_get;

#endif
