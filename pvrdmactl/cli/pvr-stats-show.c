/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-stats-show.h"

#include "pvr-json.h"

/* As the man page has them; QEMU's own order means nothing. */
static const char *const order[] = {
    "commands", "command-errors", "doorbells", "doorbells-ignored", "send-wqes", "recv-wqes",
    "completions", "completion-errors", "interrupts", "events", "events-dropped",
    "tx-packets", "tx-bytes", "rx-packets", "rx-bytes",
    "uc", "pd", "mr", "cq", "qp", "srq", "gid", "extents", "mappings", "pinned-bytes",
};

static guint
rank(const char *name)
{
    guint i = 0;

    while (i < G_N_ELEMENTS(order) && !g_str_equal(order[i], name)) {
        i++;
    }
    return i;
}

static gint
compare_members(gconstpointer a, gconstpointer b)
{
    const guint x = rank(a);
    const guint y = rank(b);

    return x != y ? (x < y ? -1 : 1) : g_strcmp0(a, b);
}

/* Names of the members; what is unknown comes last. */
static GList *
sorted_members(JsonObject *object)
{
    return g_list_sort(json_object_get_members(object), compare_members);
}

/* Counters only grow, unless the device is another one than before: then there is no rate. */
static gboolean
get_rate(JsonObject *now, JsonObject *before, const char *name, double seconds, double *ret_rate)
{
    double growth;

    if (!before || !json_object_has_member(before, name) || seconds <= 0) {
        return FALSE;
    }
    growth = (double)json_object_get_int_member(now, name) -
             (double)json_object_get_int_member(before, name);
    if (growth < 0) {
        return FALSE;
    }
    *ret_rate = growth / seconds;
    return TRUE;
}

static char *
rate_text(JsonObject *now, JsonObject *before, const char *name, double seconds)
{
    double rate;

    return get_rate(now, before, name, seconds, &rate) ? g_strdup_printf("%.1f", rate) : NULL;
}

static char *
number_text(JsonObject *object, const char *name)
{
    return g_strdup_printf("%" G_GINT64_FORMAT, json_object_get_int_member(object, name));
}

static JsonObject *
counters_of(JsonObject *stats)
{
    return stats ? json_object_get_object_member(stats, "counters") : NULL;
}

static void
show_heading(PvrCtx *ctx, const PvrStatsView *view)
{
    const char *host =
        json_object_get_string_member_with_default(view->now, "host-device", NULL);
    g_autofree char *id = view->id < 0 ? g_strdup("?") : g_strdup_printf("%d", view->id);

    pvr_out(ctx, "%s, device %s (%s): %s", view->domain, id, view->alias,
            json_object_get_string_member(view->now, "backend"));
    if (host) {
        pvr_out(ctx, ", %s port %d", host, (int)json_object_get_int_member(view->now, "port"));
    }
    pvr_out(ctx, "\n\n");
}

static void
show_counters(PvrCtx *ctx, const PvrStatsView *view)
{
    g_autoptr(PvrTable) table = pvr_table_new("COUNTER", "TOTAL", view->watch ? "PER-S" : NULL,
                                              NULL);
    JsonObject *counters = counters_of(view->now);
    g_autoptr(GList) names = sorted_members(counters);

    pvr_table_align_right(table, 1);
    for (GList *l = names; l; l = l->next) {
        g_autofree char *total = number_text(counters, l->data);
        g_autofree char *rate =
            rate_text(counters, counters_of(view->before), l->data, view->seconds);

        pvr_table_add(table, (const char *[]){l->data, total, rate});
    }
    pvr_out_table(ctx, table);
}

static void
show_objects(PvrCtx *ctx, const PvrStatsView *view)
{
    g_autoptr(PvrTable) table = pvr_table_new("OBJECT", "USED", "LIMIT", NULL);
    JsonObject *objects = json_object_get_object_member(view->now, "objects");
    g_autoptr(GList) names = sorted_members(objects);

    pvr_table_align_right(table, 1);
    for (GList *l = names; l; l = l->next) {
        JsonObject *object = json_object_get_object_member(objects, l->data);
        g_autofree char *used = number_text(object, "used");
        g_autofree char *limit = number_text(object, "limit");

        pvr_table_add(table, (const char *[]){l->data, used, limit});
    }
    pvr_out_table(ctx, table);
}

/* The same QP in the sample before; handles are used again, so that its number has to be, too. */
static JsonObject *
find_before(const PvrStatsView *view, JsonObject *qp)
{
    JsonArray *qps = view->before ? json_object_get_array_member(view->before, "qps") : NULL;

    for (guint i = 0; qps && i < json_array_get_length(qps); i++) {
        JsonObject *other = json_array_get_object_element(qps, i);

        if (json_object_get_int_member(other, "handle") ==
                json_object_get_int_member(qp, "handle") &&
            json_object_get_int_member(other, "qpn") == json_object_get_int_member(qp, "qpn")) {
            return other;
        }
    }
    return NULL;
}

static void
add_qp(PvrTable *table, const PvrStatsView *view, JsonObject *qp)
{
    JsonObject *before = find_before(view, qp);
    g_autofree char *qpn = number_text(qp, "qpn");
    g_autofree char *sends = number_text(qp, "sends");
    g_autofree char *receives = number_text(qp, "receives");
    g_autofree char *completions = number_text(qp, "completions");
    g_autofree char *errors = number_text(qp, "errors");
    g_autofree char *waiting_sends = number_text(qp, "outstanding-sends");
    g_autofree char *waiting_receives = number_text(qp, "outstanding-receives");
    g_autofree char *send_rate = rate_text(qp, before, "sends", view->seconds);
    g_autofree char *receive_rate = rate_text(qp, before, "receives", view->seconds);

    pvr_table_add(table, (const char *[]){json_object_get_string_member(qp, "type"),
                                          json_object_get_string_member(qp, "state"), qpn, sends,
                                          waiting_sends, receives, waiting_receives, completions,
                                          errors, send_rate, receive_rate});
}

static void
show_qps(PvrCtx *ctx, const PvrStatsView *view)
{
    JsonArray *qps = json_object_get_array_member(view->now, "qps");
    g_autoptr(PvrTable) table =
        pvr_table_new("QP", "STATE", "QPN", "SENDS", "QUEUED", "RECEIVES", "QUEUED", "COMPLETIONS",
                      "ERRORS", view->watch ? "SENDS-PER-S" : NULL, "RECEIVES-PER-S", NULL);

    if (!json_array_get_length(qps)) {
        pvr_out(ctx, "no QP\n");
        return;
    }
    pvr_table_align_right(table, 2);
    for (guint i = 0; i < json_array_get_length(qps); i++) {
        add_qp(table, view, json_array_get_object_element(qps, i));
    }
    pvr_out_table(ctx, table);
}

void
pvr_stats_show_text(PvrCtx *ctx, const PvrStatsView *view)
{
    show_heading(ctx, view);
    show_counters(ctx, view);
    pvr_out(ctx, "\n");
    show_objects(ctx, view);
    pvr_out(ctx, "\n");
    show_qps(ctx, view);
}

static void
add_rates(JsonBuilder *builder, const PvrStatsView *view)
{
    JsonObject *counters = counters_of(view->now);
    g_autoptr(GList) names = json_object_get_members(counters);

    json_builder_set_member_name(builder, "rates");
    if (!view->before) {
        json_builder_add_null_value(builder);
        return;
    }
    json_builder_begin_object(builder);
    for (GList *l = names; l; l = l->next) {
        double rate;

        if (get_rate(counters, counters_of(view->before), l->data, view->seconds, &rate)) {
            json_builder_set_member_name(builder, l->data);
            json_builder_add_double_value(builder, rate);
        }
    }
    json_builder_end_object(builder);
}

void
pvr_stats_show_json(JsonBuilder *builder, const PvrStatsView *view)
{
    g_autoptr(JsonNode) stats = json_node_new(JSON_NODE_OBJECT);

    json_node_set_object(stats, view->now);
    json_builder_begin_object(builder);
    pvr_json_add_string(builder, "domain", view->domain);
    pvr_json_add_string(builder, "uuid", view->uuid);
    json_builder_set_member_name(builder, "id");
    if (view->id < 0) {
        json_builder_add_null_value(builder);
    } else {
        json_builder_add_int_value(builder, view->id);
    }
    pvr_json_add_string(builder, "alias", view->alias);
    json_builder_set_member_name(builder, "stats");
    json_builder_add_value(builder, g_steal_pointer(&stats));
    if (view->watch) {
        add_rates(builder, view);
    }
    json_builder_end_object(builder);
}
