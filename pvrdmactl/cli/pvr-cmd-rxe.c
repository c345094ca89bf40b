/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-cmd.h"
#include "pvr-error.h"
#include "pvr-holder.h"
#include "pvr-json.h"
#include "pvr-resolve.h"
#include "pvr-show.h"

/* ---- rxe add ---- */

typedef struct {
    char *name;
} AddOpts;

static const GOptionEntry add_options[] = {
    { "name", 0, 0, G_OPTION_ARG_STRING, PVR_OPT(AddOpts, name),
      "name of the RDMA device (default: the first free of rxe0, rxe1, ...)", "NAME" },
    { NULL }
};

static gboolean
is_taken(const GPtrArray *ibdevs, const char *name)
{
    for (guint i = 0; i < ibdevs->len; i++) {
        const PvrIbdev *ibdev = g_ptr_array_index(ibdevs, i);

        if (g_str_equal(ibdev->name, name))
            return TRUE;
    }
    return FALSE;
}

static char *
first_free_name(PvrHost *host, GError **error)
{
    g_autoptr(GPtrArray) ibdevs = pvr_host_list_ibdevs(host, error);
    g_autofree char *name = NULL;
    guint number = 0;

    if (ibdevs == NULL)
        return NULL;
    do {
        g_free(name);
        name = g_strdup_printf("rxe%u", number++);
    } while (is_taken(ibdevs, name));
    return g_steal_pointer(&name);
}

/* FALSE with PVR_ERROR_NOTHING when the netdev has the wanted link already. */
static gboolean
check_needed(PvrHost *host, const char *netdev, const char *name, GError **error)
{
    g_autoptr(GError) local = NULL;
    g_autoptr(PvrIbdev) present = pvr_host_find_rxe(host, netdev, &local);

    if (local != NULL) {
        g_propagate_error(error, g_steal_pointer(&local));
        return FALSE;
    }
    if (present == NULL || (name != NULL && !g_str_equal(name, present->name)))
        return TRUE;
    g_set_error(error, PVR_ERROR, PVR_ERROR_NOTHING,
                "it already carries Soft-RoCE link '%s'", present->name);
    return FALSE;
}

static void
show_added_json(PvrCtx *ctx, const PvrIbdev *ibdev)
{
    g_autoptr(JsonBuilder) builder = pvr_json_begin();

    pvr_show_ibdev_json(builder, ibdev);
    pvr_json_begin_array(builder, "ports");
    for (guint i = 0; i < ibdev->ports->len; i++) {
        json_builder_begin_object(builder);
        pvr_show_port_json(builder, g_ptr_array_index(ibdev->ports, i));
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
    pvr_out_json(ctx, builder);
}

static void
show_added(PvrCtx *ctx, const PvrIbdev *ibdev, const char *netdev)
{
    const PvrPort *port = ibdev->ports->len ? g_ptr_array_index(ibdev->ports, 0) : NULL;

    pvr_out(ctx, "%s: Soft-RoCE link on %s, port %s\n", ibdev->name, netdev,
            port != NULL ? port->state : "UNKNOWN");
    if (port != NULL && !pvr_port_is_active(port))
        pvr_out(ctx, "the port becomes ACTIVE when %s is up and has a carrier: "
                "'ip link set %s up'\n", netdev, netdev);
}

static gboolean
run_add(PvrCtx *ctx, int argc, char **argv, GError **error)
{
    const AddOpts *opts = ctx->opts;
    g_autofree char *netdev = pvr_resolve_netdev(ctx->host, argv[0], error);
    g_autofree char *name = g_strdup(opts->name);
    g_autoptr(PvrIbdev) ibdev = NULL;

    if (netdev == NULL || !check_needed(ctx->host, netdev, name, error))
        return FALSE;
    if (name == NULL)
        name = first_free_name(ctx->host, error);
    if (name == NULL || !pvr_host_rxe_add(ctx->host, name, netdev, error))
        return FALSE;
    ibdev = pvr_host_get_ibdev(ctx->host, name, error);
    if (ibdev == NULL)
        return FALSE;
    if (ctx->json)
        show_added_json(ctx, ibdev);
    else
        show_added(ctx, ibdev, netdev);
    return TRUE;
}

const PvrCommand pvr_cmd_rxe_add = {
    .name = "rxe add",
    .args = "NETDEV",
    .summary = "Make a Soft-RoCE link on a network device",
    .description =
        "Needs root and the kernel module rdma_rxe. The link is gone after a reboot; the qemu hook\n"
        "makes it again for a domain that it was attached to.",
    .options = add_options,
    .opts_size = sizeof(AddOpts),
    .min_args = 1,
    .max_args = 1,
    .example = "pvrdmactl rxe add eth1 --name rxe0",
    .run = run_add,
};

/* ---- rxe del ---- */

/* A lease that cannot be read is an error too: then nobody knows what is free. */
static gboolean
check_not_held(PvrHost *host, const char *name, GError **error)
{
    g_autoptr(GPtrArray) holders = pvr_holders_new();

    if (!pvr_holders_add_leases(holders, host, error))
        return FALSE;
    for (guint i = 0; i < holders->len; i++) {
        const PvrHolder *holder = g_ptr_array_index(holders, i);

        if (!g_str_equal(holder->ibdev, name))
            continue;
        g_set_error(error, PVR_ERROR, PVR_ERROR_BUSY,
                    "running domain '%s' holds it\nshut the domain down first", holder->domain);
        return FALSE;
    }
    return TRUE;
}

static gboolean
run_del(PvrCtx *ctx, int argc, char **argv, GError **error)
{
    g_autoptr(PvrIbdev) ibdev = pvr_resolve_ibdev(ctx->host, argv[0], error);
    const char *name = ibdev != NULL ? ibdev->name : NULL;

    if (ibdev == NULL || !check_not_held(ctx->host, name, error) ||
        !pvr_host_ibdev_del(ctx->host, name, error))
        return FALSE;
    if (ctx->json) {
        g_autoptr(JsonBuilder) builder = pvr_json_begin();

        pvr_json_add_string(builder, "removed", name);
        pvr_out_json(ctx, builder);
    } else {
        pvr_out(ctx, "%s removed\n", name);
    }
    return TRUE;
}

const PvrCommand pvr_cmd_rxe_del = {
    .name = "rxe del",
    .args = "DEV",
    .summary = "Remove a Soft-RoCE link",
    .description = "Needs root. A link that a running domain holds is not removed.",
    .min_args = 1,
    .max_args = 1,
    .example = "pvrdmactl rxe del rxe0",
    .run = run_del,
};
