/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-gid-why-show.h"

#include "pvr-gid-why.h"
#include "pvr-json.h"
#include "pvr-show.h"

static void
add_row(PvrTable *table, const PvrPort *port, const PvrGidWhy *why)
{
    const PvrGidEntry *entry = why->entry;
    g_autofree char *num = g_strdup_printf("%u", port->num);
    g_autofree char *index = why->first == why->last
                                 ? g_strdup_printf("%u", why->first)
                                 : g_strdup_printf("%u-%u", why->first, why->last);
    g_autofree char *gid = entry != NULL ? pvr_gid_to_string(&entry->gid) : NULL;
    g_autofree char *mac = entry != NULL ? pvr_show_gid_mac(entry) : NULL;

    pvr_table_add(table, (const char *[]){num, index, gid,
                                          entry != NULL ? pvr_gid_type_to_string(entry->type) : NULL,
                                          entry != NULL ? entry->netdev : NULL, mac,
                                          why->verdict == PVR_GID_USABLE ? "yes" : "no", why->why});
}

void
pvr_gid_why_show_text(PvrCtx *ctx, const PvrIbdev *ibdev, const GPtrArray *ports)
{
    g_autoptr(PvrTable) table = pvr_table_new("PORT", "INDEX", "GID", "TYPE", "NETDEV", "MAC",
                                              "USABLE", "WHY", NULL);

    for (guint i = 0; i < ports->len; i++) {
        const PvrPort *port = g_ptr_array_index(ports, i);
        g_autoptr(GPtrArray) list = pvr_gid_why_port(ctx->host, ibdev, port);

        for (guint k = 0; k < list->len; k++) {
            add_row(table, port, g_ptr_array_index(list, k));
        }
    }
    if (pvr_table_rows(table) == 0) {
        pvr_out(ctx, "no GIDs\n");
    } else {
        pvr_out_table(ctx, table);
    }
}

static void
entries_json(JsonBuilder *builder, const GPtrArray *list)
{
    pvr_json_begin_array(builder, "gids");
    for (guint i = 0; i < list->len; i++) {
        const PvrGidWhy *why = g_ptr_array_index(list, i);

        if (why->entry == NULL) {
            continue;
        }
        json_builder_begin_object(builder);
        pvr_show_gid_json(builder, why->entry);
        pvr_json_add_bool(builder, "usable", why->verdict == PVR_GID_USABLE);
        pvr_json_add_string(builder, "verdict", pvr_gid_verdict_to_string(why->verdict));
        pvr_json_add_string(builder, "why", why->why);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
}

void
pvr_gid_why_show_json(PvrCtx *ctx, JsonBuilder *builder, const PvrIbdev *ibdev,
                      const PvrPort *port)
{
    g_autoptr(GPtrArray) list = pvr_gid_why_port(ctx->host, ibdev, port);

    entries_json(builder, list);
    pvr_json_begin_array(builder, "empty");
    for (guint i = 0; i < list->len; i++) {
        const PvrGidWhy *why = g_ptr_array_index(list, i);

        if (why->entry != NULL) {
            continue;
        }
        json_builder_begin_object(builder);
        pvr_json_add_int(builder, "first", why->first);
        pvr_json_add_int(builder, "last", why->last);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
}
