/*
 * QTest testcase for pvrdma: what the host can see of a guest
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "pvrdma-guest.h"

QDict *pvrdma_stats(PvrdmaGuest *g)
{
    g_autofree char *path = g_strdup_printf("/machine/peripheral/rdma%u",
                                            g->slot);
    QDict *reply = qtest_qmp(g->qts, "{'execute': 'qom-get', 'arguments':"
                             "{'path': %s, 'property': 'stats'}}", path);
    QDict *stats = qdict_get_qdict(reply, "return");

    g_assert_nonnull(stats);
    qobject_ref(stats);
    qobject_unref(reply);
    return stats;
}

uint64_t pvrdma_counter(PvrdmaGuest *g, const char *name)
{
    g_autoptr(QDict) stats = pvrdma_stats(g);

    return qdict_get_int(qdict_get_qdict(stats, "counters"), name);
}

uint64_t pvrdma_usage(PvrdmaGuest *g, const char *kind, const char *what)
{
    g_autoptr(QDict) stats = pvrdma_stats(g);
    QDict *objects = qdict_get_qdict(stats, "objects");

    return qdict_get_int(qdict_get_qdict(objects, kind), what);
}

char *pvrdma_set(PvrdmaGuest *g, const char *property, const char *value)
{
    g_autofree char *path = g_strdup_printf("/machine/peripheral/rdma%u",
                                            g->slot);
    QDict *reply = qtest_qmp(g->qts, "{'execute': 'qom-set', 'arguments':"
                             "{'path': %s, 'property': %s, 'value': %s}}",
                             path, property, value);
    QDict *error = qdict_get_qdict(reply, "error");
    char *text = error ? g_strdup(qdict_get_str(error, "desc")) : NULL;

    qobject_unref(reply);
    return text;
}

char *pvrdma_get(PvrdmaGuest *g, const char *property)
{
    g_autofree char *path = g_strdup_printf("/machine/peripheral/rdma%u",
                                            g->slot);
    QDict *reply = qtest_qmp(g->qts, "{'execute': 'qom-get', 'arguments':"
                             "{'path': %s, 'property': %s}}", path, property);
    char *text = g_strdup(qdict_get_str(reply, "return"));

    qobject_unref(reply);
    return text;
}
