/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-cmd.h"
#include "pvr-gid-why-show.h"
#include "pvr-json.h"
#include "pvr-resolve.h"
#include "pvr-show.h"

typedef struct {
    int port;
    gboolean why;
} GidOpts;

static const GOptionEntry gid_options[] = {
    { "port", 0, 0, G_OPTION_ARG_INT, PVR_OPT(GidOpts, port), "only this port", "N" },
    { "why", 0, 0, G_OPTION_ARG_NONE, PVR_OPT(GidOpts, why),
      "also whether a guest can use each entry, or why not", NULL },
    { NULL }
};

static const GidOpts gid_defaults = { .port = G_MININT };

static void
show_json(PvrCtx *ctx, const PvrIbdev *ibdev, const GPtrArray *ports)
{
    const GidOpts *opts = ctx->opts;
    g_autoptr(JsonBuilder) builder = pvr_json_begin();

    pvr_json_add_string(builder, "device", ibdev->name);
    pvr_json_begin_array(builder, "ports");
    for (guint i = 0; i < ports->len; i++) {
        const PvrPort *port = g_ptr_array_index(ports, i);

        json_builder_begin_object(builder);
        pvr_json_add_int(builder, "port", port->num);
        if (opts->why)
            pvr_gid_why_show_json(ctx, builder, ibdev, port);
        else
            pvr_show_gids_json(builder, port);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
    pvr_out_json(ctx, builder);
}

static void
add_gid_row(PvrTable *table, const PvrPort *port, const PvrGidEntry *entry)
{
    g_autofree char *num = g_strdup_printf("%u", port->num);
    g_autofree char *index = g_strdup_printf("%u", entry->index);
    g_autofree char *gid = pvr_gid_to_string(&entry->gid);
    g_autofree char *mac = pvr_show_gid_mac(entry);

    pvr_table_add(table, (const char *[]) { num, index, gid, pvr_gid_type_to_string(entry->type),
                                            entry->netdev, mac });
}

static void
show_text(PvrCtx *ctx, const GPtrArray *ports)
{
    g_autoptr(PvrTable) table =
        pvr_table_new("PORT", "INDEX", "GID", "TYPE", "NETDEV", "MAC", NULL);

    for (guint i = 0; i < ports->len; i++) {
        const PvrPort *port = g_ptr_array_index(ports, i);

        for (guint g = 0; g < port->gids->len; g++)
            add_gid_row(table, port, g_ptr_array_index(port->gids, g));
    }
    if (pvr_table_rows(table) == 0)
        pvr_out(ctx, "no GIDs\n");
    else
        pvr_out_table(ctx, table);
}

/* Borrowed ports: the one that was asked for, or all. */
static GPtrArray *
choose_ports(const PvrIbdev *ibdev, int number, GError **error)
{
    g_autoptr(GPtrArray) ports = g_ptr_array_new();
    PvrPort *port;

    if (number == gid_defaults.port) {
        g_ptr_array_extend(ports, ibdev->ports, NULL, NULL);
        return g_steal_pointer(&ports);
    }
    port = pvr_ibdev_get_port(ibdev, (guint) number, error);
    if (port == NULL)
        return NULL;
    g_ptr_array_add(ports, port);
    return g_steal_pointer(&ports);
}

static gboolean
run_gid(PvrCtx *ctx, int argc, char **argv, GError **error)
{
    const GidOpts *opts = ctx->opts;
    g_autoptr(PvrIbdev) ibdev = NULL;
    g_autoptr(GPtrArray) ports = NULL;

    if (opts->port != gid_defaults.port && (opts->port < 1 || opts->port > 255))
        return pvr_usage_error(error, "port %d is not from 1 to 255", opts->port);
    ibdev = pvr_resolve_ibdev(ctx->host, argv[0], error);
    if (ibdev == NULL)
        return FALSE;
    ports = choose_ports(ibdev, opts->port, error);
    if (ports == NULL)
        return FALSE;
    if (ctx->json)
        show_json(ctx, ibdev, ports);
    else if (opts->why)
        pvr_gid_why_show_text(ctx, ibdev, ports);
    else
        show_text(ctx, ports);
    return TRUE;
}

const PvrCommand pvr_cmd_gid = {
    .name = "gid",
    .args = "DEV",
    .summary = "Show the GID table of an RDMA device",
    .description =
        "Only filled entries are shown. MAC is the one that the GID carries; a GID that carries\n"
        "none ('-') cannot be used for a guest. With --why also the empty slots, and for each entry\n"
        "whether a guest can use it, or what stands against it.",
    .options = gid_options,
    .opts_size = sizeof(GidOpts),
    .opts_default = &gid_defaults,
    .min_args = 1,
    .max_args = 1,
    .example = "pvrdmactl gid rxe0\n"
               "pvrdmactl gid mlx5_0 --port 2\n"
               "pvrdmactl gid mlx5_4 --why",
    .run = run_gid,
};
