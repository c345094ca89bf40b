/*
 * pvrdma: statistics, the QOM property
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qapi/visitor.h"
#include "qobject/qdict.h"
#include "qobject/qlist.h"
#include "qobject/qnum.h"
#include "pvrdma.h"

static void put(QDict *dict, const char *name, uint64_t value)
{
    qdict_put(dict, name, qnum_from_uint(value));
}

static void put_backend(QDict *dict, PvrdmaBackend *be)
{
    const char *name;
    uint64_t value;

    for (unsigned i = 0; be->ops->stat && be->ops->stat(be, i, &name, &value);
         i++) {
        put(dict, name, value);
    }
}

static QDict *counters(PvrdmaDev *dev)
{
    const PvrdmaStats *s = &dev->stats;
    QDict *dict = qdict_new();

    put(dict, "commands", s->commands);
    put(dict, "command-errors", s->command_errors);
    put(dict, "doorbells", stat64_get(&s->doorbells));
    put(dict, "doorbells-ignored", stat64_get(&s->doorbells_ignored));
    put(dict, "send-wqes", s->send_wqes);
    put(dict, "recv-wqes", s->recv_wqes);
    put(dict, "completions", s->completions);
    put(dict, "completion-errors", s->completion_errors);
    put(dict, "interrupts", s->interrupts);
    put(dict, "events", s->events);
    put(dict, "events-dropped", s->events_dropped);
    put_backend(dict, dev->be);
    return dict;
}

static void put_usage(QDict *objects, const char *name, uint64_t used,
                      uint64_t limit)
{
    QDict *usage = qdict_new();

    put(usage, "used", used);
    put(usage, "limit", limit);
    qdict_put(objects, name, usage);
}

static void put_table(QDict *objects, const char *name, const PvrdmaTable *t)
{
    put_usage(objects, name, t->used, t->capacity);
}

static uint32_t gids_bound(const PvrdmaDev *dev)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < PVRDMA_GID_TABLE_LEN; i++) {
        n += dev->gid_bound[i];
    }
    return n;
}

static QDict *objects(PvrdmaDev *dev)
{
    QDict *dict = qdict_new();

    put_table(dict, "uc", &dev->ucs);
    put_table(dict, "pd", &dev->pds);
    put_table(dict, "mr", &dev->mrs);
    put_table(dict, "cq", &dev->cqs);
    put_table(dict, "qp", &dev->qps);
    put_table(dict, "srq", &dev->srqs);
    put_usage(dict, "gid", gids_bound(dev), PVRDMA_GID_TABLE_LEN);
    put_usage(dict, "extents", dev->extents, dev->max_extents);
    put_usage(dict, "queue-bytes", dev->queue_bytes,
              dev->limits.max_queue_memory);
    if (!dev->be->ops->resolves_keys) {
        put_usage(dict, "mappings", dev->mappings,
                  dev->limits.max_mappings);
        put_usage(dict, "pinned-bytes", dev->pinned,
                  dev->limits.max_pinned);
    }
    return dict;
}

static const char *type_name(uint8_t type)
{
    switch (type) {
    case PVRDMA_QPT_RC:
        return "RC";
    case PVRDMA_QPT_UD:
        return "UD";
    default:
        return "GSI";
    }
}

static const char *state_name(uint32_t state)
{
    static const char *const names[] = {
        [PVRDMA_QPS_RESET] = "RESET", [PVRDMA_QPS_INIT] = "INIT",
        [PVRDMA_QPS_RTR] = "RTR", [PVRDMA_QPS_RTS] = "RTS",
        [PVRDMA_QPS_SQD] = "SQD", [PVRDMA_QPS_SQE] = "SQE",
        [PVRDMA_QPS_ERR] = "ERR",
    };

    return names[state];
}

static QDict *qp_stats(const PvrdmaQp *qp)
{
    QDict *dict = qdict_new();

    put(dict, "handle", qp->handle);
    put(dict, "qpn", qp->qpn);
    qdict_put_str(dict, "type", type_name(qp->type));
    qdict_put_str(dict, "state", state_name(qp->state));
    put(dict, "sends", qp->stats.sends);
    put(dict, "receives", qp->stats.receives);
    put(dict, "completions", qp->stats.completions);
    put(dict, "errors", qp->stats.errors);
    put(dict, "outstanding-sends", qp->sq.outstanding);
    put(dict, "outstanding-receives", qp->rq.outstanding);
    return dict;
}

static QList *qps(PvrdmaDev *dev)
{
    QList *list = qlist_new();
    uint32_t handle = 0;
    PvrdmaQp *qp;

    for (; (qp = pvrdma_table_next(&dev->qps, &handle)); handle++) {
        qlist_append(list, qp_stats(qp));
    }
    return list;
}

/* Empty before the device is realized */
static QDict *all_stats(PvrdmaDev *dev)
{
    QDict *dict = qdict_new();
    PvrdmaBackend *be = dev->be;

    if (!be) {
        return dict;
    }
    qdict_put_str(dict, "backend", be->ops->name);
    if (!be->ops->resolves_keys) {
        qdict_put_str(dict, "host-device", be->host_name);
    }
    put(dict, "port", be->port);
    qdict_put(dict, "counters", counters(dev));
    qdict_put(dict, "objects", objects(dev));
    qdict_put(dict, "qps", qps(dev));
    return dict;
}

void pvrdma_stats_get(Object *obj, Visitor *v, const char *name, void *opaque,
                      Error **errp)
{
    PvrdmaDev *dev = PVRDMA(obj);
    QObject *all;

    pvrdma_enter(dev);
    all = QOBJECT(all_stats(dev));
    pvrdma_leave(dev);
    visit_type_any(v, name, &all, errp);
    qobject_unref(all);
}
