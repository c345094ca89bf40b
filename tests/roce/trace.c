/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace.h"

static bool record(void *opaque, unsigned from, uint8_t *frame, size_t len)
{
    Trace *t = opaque;
    TraceEntry e = { .when = t->sim->now, .from = from, .len = len };

    g_assert_cmpint(roce_frame_parse(frame, len, &e.pkt), ==, ROCE_PARSE_OK);
    g_assert_true(roce_frame_icrc_ok(&e.pkt));
    e.pkt.payload = e.pkt.l3 = NULL;
    e.frame = g_memdup2(frame, len);
    g_array_append_val(t->entries, e);
    return !t->lose || !t->lose(&e, t->opaque);
}

static void clear_entry(void *data)
{
    g_free(((TraceEntry *)data)->frame);
}

Trace *trace_new(Sim *sim)
{
    Trace *t = g_new0(Trace, 1);

    t->sim = sim;
    t->entries = g_array_new(FALSE, FALSE, sizeof(TraceEntry));
    g_array_set_clear_func(t->entries, clear_entry);
    g_assert_null(sim->filter);
    sim->filter = record;
    sim->filter_opaque = t;
    return t;
}

void trace_free(Trace *t)
{
    t->sim->filter = NULL;
    g_array_unref(t->entries);
    g_free(t);
}

const TraceEntry *trace_at(const Trace *t, unsigned index)
{
    return &g_array_index(t->entries, TraceEntry, index);
}

static bool matches(const TraceEntry *e, unsigned from, int opcode)
{
    return e->from == from && (opcode < 0 || e->pkt.opcode == opcode);
}

unsigned trace_count(const Trace *t, unsigned from, int opcode)
{
    unsigned n = 0;

    for (unsigned i = 0; i < t->entries->len; i++) {
        n += matches(trace_at(t, i), from, opcode);
    }
    return n;
}

const TraceEntry *trace_find(const Trace *t, unsigned from, int opcode,
                             unsigned start)
{
    for (unsigned i = start; i < t->entries->len; i++) {
        if (matches(trace_at(t, i), from, opcode)) {
            return trace_at(t, i);
        }
    }
    return NULL;
}
