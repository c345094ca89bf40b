/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-cmd.h"
#include "pvr-domain.h"
#include "pvr-holding.h"
#include "pvr-json.h"
#include "pvr-show.h"

static void
show_device_json(JsonBuilder *builder, const PvrIbdev *ibdev, const PvrHolding *holding)
{
    json_builder_begin_object(builder);
    pvr_show_ibdev_json(builder, ibdev);
    pvr_json_begin_array(builder, "ports");
    for (guint p = 0; p < ibdev->ports->len; p++) {
        const PvrPort *port = g_ptr_array_index(ibdev->ports, p);

        json_builder_begin_object(builder);
        pvr_show_port_json(builder, port);
        pvr_holding_show_json(builder, pvr_holding_find(holding, ibdev, port->num));
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
    json_builder_end_object(builder);
}

static void
show_json(PvrCtx *ctx, const GPtrArray *ibdevs, const PvrHolding *holding)
{
    g_autoptr(JsonBuilder) builder = pvr_json_begin();

    pvr_json_begin_array(builder, "devices");
    for (guint i = 0; i < ibdevs->len; i++)
        show_device_json(builder, g_ptr_array_index(ibdevs, i), holding);
    json_builder_end_array(builder);
    pvr_domain_notes_json(builder, holding->notes);
    pvr_out_json(ctx, builder);
}

/* "0: fe80:..."; NULL without GIDs. */
static char *
gid_cell(const PvrPort *port, guint i)
{
    const PvrGidEntry *entry = i < port->gids->len ? g_ptr_array_index(port->gids, i) : NULL;
    g_autofree char *gid = entry != NULL ? pvr_gid_to_string(&entry->gid) : NULL;

    return entry != NULL ? g_strdup_printf("%u: %s", entry->index, gid) : NULL;
}

/* One row for the port with its first GID, one more for each further GID. */
static void
add_port_rows(PvrTable *table, const PvrIbdev *ibdev, const PvrPort *port,
              const PvrHolder *holder)
{
    g_autofree char *held_by = pvr_holding_cell(holder);
    g_autofree char *num = g_strdup_printf("%u", port->num);
    g_autofree char *first_gid = gid_cell(port, 0);

    pvr_table_add(table, (const char *[]) { ibdev->name, num, port->state, port->link_layer,
                                            port->netdev, ibdev->parent, held_by, first_gid });
    for (guint i = 1; i < port->gids->len; i++) {
        g_autofree char *gid = gid_cell(port, i);

        pvr_table_add(table, (const char *[]) { "", "", "", "", "", "", "", gid });
    }
}

static void
show_table(PvrCtx *ctx, const GPtrArray *ibdevs, const PvrHolding *holding)
{
    g_autoptr(PvrTable) table = pvr_table_new("DEVICE", "PORT", "STATE", "LINK", "NETDEV",
                                              "PARENT", "HELD BY", "GID", NULL);

    for (guint i = 0; i < ibdevs->len; i++) {
        const PvrIbdev *ibdev = g_ptr_array_index(ibdevs, i);

        for (guint p = 0; p < ibdev->ports->len; p++) {
            const PvrPort *port = g_ptr_array_index(ibdev->ports, p);

            add_port_rows(table, ibdev, port, pvr_holding_find(holding, ibdev, port->num));
        }
    }
    pvr_out_table(ctx, table);
}

static void
show_text(PvrCtx *ctx, const GPtrArray *ibdevs, const PvrHolding *holding)
{
    if (ibdevs->len == 0)
        pvr_out(ctx, "no RDMA devices on this host; 'pvrdmactl attach DOMAIN' needs none, "
                     "'pvrdmactl rxe add NETDEV' makes one\n");
    else
        show_table(ctx, ibdevs, holding);
    for (guint i = 0; i < holding->notes->len; i++)
        pvr_out(ctx, "note: %s\n", (const char *) g_ptr_array_index(holding->notes, i));
}

static gboolean
run_list(PvrCtx *ctx, int argc, char **argv, GError **error)
{
    g_autoptr(GPtrArray) ibdevs = pvr_host_list_ibdevs(ctx->host, error);
    g_autoptr(PvrHolding) holding = ibdevs != NULL ? pvr_holding_collect(ctx, error) : NULL;

    if (holding == NULL)
        return FALSE;
    if (ctx->json)
        show_json(ctx, ibdevs, holding);
    else
        show_text(ctx, ibdevs, holding);
    return TRUE;
}

const PvrCommand pvr_cmd_list = {
    .name = "list",
    .summary = "List RDMA devices, their ports and GIDs, and who holds them",
    .example = "pvrdmactl list\n"
               "pvrdmactl list --json",
    .run = run_list,
};
