/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What nodes send: a record of it, and frames to lose or to send again. */
#pragma once

#include "roce_frame.h"
#include "sim.h"

typedef struct TraceEntry {
    uint64_t when;
    unsigned from;
    RocePacket pkt;                /* without payload */
    size_t len;
    uint8_t *frame;
} TraceEntry;

typedef struct Trace {
    Sim *sim;
    GArray *entries;               /* lost ones, too */
    bool (*lose)(const TraceEntry *e, void *opaque);
    void *opaque;
} Trace;

/* One per Sim, while it has no other filter. */
Trace *trace_new(Sim *sim);
void trace_free(Trace *t);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Trace, trace_free)

const TraceEntry *trace_at(const Trace *t, unsigned index);
/* Packets of node @from with this opcode; -1 is any. */
unsigned trace_count(const Trace *t, unsigned from, int opcode);
/* The first of them at or after @start; NULL without one. */
const TraceEntry *trace_find(const Trace *t, unsigned from, int opcode,
                             unsigned start);
