/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vf create, vf remove */
#include "pvr-cmd.h"
#include "pvr-error.h"
#include "pvr-json.h"
#include "pvr-resolve.h"
#include "pvr-vf-change.h"
#include "pvr-vf-show.h"

#define VFS_MAX 65535 /* sriov_numvfs has 16 bits (PCI Express, SR-IOV capability) */

/* The function that a PF argument means. */
static PvrPci *
resolve_pf(PvrHost *host, const char *text, GError **error)
{
    g_autoptr(PvrDevice) device = pvr_resolve(host, text, error);

    if (device == NULL)
        return NULL;
    if (device->pci != NULL)
        return g_steal_pointer(&device->pci);
    g_set_error(error, PVR_ERROR, PVR_ERROR_UNSUPPORTED, "it is on no PCI function\n"
                "'pvrdmactl vf list' shows the PFs");
    return NULL;
}

/* ---- vf create ---- */

typedef struct {
    gboolean replace;
    int timeout;
} CreateOpts;

static const CreateOpts create_defaults = { .timeout = PVR_VF_TIMEOUT };

static const GOptionEntry create_options[] = {
    { "replace", 0, 0, G_OPTION_ARG_NONE, PVR_OPT(CreateOpts, replace),
      "remove the VFs that there are, if they are not in use", NULL },
    { "timeout", 0, 0, G_OPTION_ARG_INT, PVR_OPT(CreateOpts, timeout),
      "how long drivers and devices may take to appear (default: 30)", "SECONDS" },
    { NULL }
};

static gboolean
parse_number(const char *text, guint *ret_number, GError **error)
{
    guint64 number;

    if (!g_ascii_string_to_unsigned(text, 10, 1, VFS_MAX, &number, NULL)) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_USAGE, "'%s' is not a number of VFs\n"
                    "give one from 1 to what 'pvrdmactl vf list' shows; 'vf remove' removes them",
                    text);
        return FALSE;
    }
    *ret_number = (guint) number;
    return TRUE;
}

/* A VF that was made, and what is still wrong with it. */
typedef struct {
    char *address;
    GError *error; /* NULL: nothing */
} Made;

static void
made_free(Made *made)
{
    g_free(made->address);
    g_clear_error(&made->error);
    g_free(made);
}

static int
compare_index(gconstpointer a, gconstpointer b)
{
    const PvrPci *const *x = a, *const *y = b;

    return ((*x)->vf > (*y)->vf) - ((*x)->vf < (*y)->vf);
}

static GPtrArray *
list_vfs(PvrHost *host, const char *pf, GError **error)
{
    g_autoptr(GPtrArray) functions = pvr_host_list_pci(host, error);

    if (functions == NULL)
        return NULL;
    for (guint i = functions->len; i > 0; i--) {
        const PvrPci *pci = g_ptr_array_index(functions, i - 1);

        if (g_strcmp0(pci->pf, pf) != 0)
            g_ptr_array_remove_index(functions, i - 1);
    }
    g_ptr_array_sort(functions, compare_index);
    return g_steal_pointer(&functions);
}

/* All of them share the time: a driver that is missing is missing for all. */
static GPtrArray *
complete_all(PvrCtx *ctx, const GPtrArray *vfs, int timeout)
{
    const gint64 end = g_get_monotonic_time() + timeout * G_USEC_PER_SEC;
    GPtrArray *all = g_ptr_array_new_with_free_func((GDestroyNotify) made_free);

    for (guint i = 0; i < vfs->len; i++) {
        const PvrPci *vf = g_ptr_array_index(vfs, i);
        Made *made = g_new0(Made, 1);
        PvrVfChange change;

        pvr_vf_change_init(&change, ctx, timeout);
        change.timeout_ms = (guint) MAX(0, (end - g_get_monotonic_time()) / 1000);
        made->address = g_strdup(vf->address);
        if (!pvr_vf_complete(ctx->host, vf->address, &change, &made->error) &&
            g_error_matches(made->error, PVR_ERROR, PVR_ERROR_NOTHING))
            g_clear_error(&made->error);
        g_ptr_array_add(all, made);
    }
    return all;
}

static void
show_made_json(PvrCtx *ctx, const char *pf, const GPtrArray *all)
{
    g_autoptr(JsonBuilder) builder = pvr_json_begin();

    pvr_json_add_string(builder, "pf", pf);
    pvr_json_begin_array(builder, "vfs");
    for (guint i = 0; i < all->len; i++) {
        const Made *made = g_ptr_array_index(all, i);
        g_autoptr(PvrPci) vf = pvr_host_get_pci(ctx->host, made->address, NULL);

        if (vf == NULL)
            continue;
        json_builder_begin_object(builder);
        pvr_vf_show_json(ctx, builder, vf, made->error != NULL ? made->error->message : NULL);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
    pvr_out_json(ctx, builder);
}

static void
show_made(PvrCtx *ctx, const char *pf, const GPtrArray *all)
{
    pvr_out(ctx, "%s: %u VF%s\n", pf, all->len, all->len == 1 ? "" : "s");
    for (guint i = 0; i < all->len; i++) {
        const Made *made = g_ptr_array_index(all, i);
        g_autoptr(PvrPci) vf = pvr_host_get_pci(ctx->host, made->address, NULL);

        if (vf != NULL)
            pvr_vf_show(ctx, vf, made->error != NULL ? made->error->message : NULL);
        else
            pvr_out(ctx, "%s: gone\n", made->address);
    }
}

static gboolean
check_all(const char *pf, const GPtrArray *all, GError **error)
{
    guint bad = 0;

    for (guint i = 0; i < all->len; i++)
        bad += ((const Made *) g_ptr_array_index(all, i))->error != NULL;
    if (bad == 0)
        return TRUE;
    g_set_error(error, PVR_ERROR, PVR_ERROR_FAILED,
                "VFs of %s that are not as they should be: %u of %u\n"
                "the lines above say why; 'pvrdmactl vf reset VF' tries again", pf, bad, all->len);
    return FALSE;
}

static gboolean
run_create(PvrCtx *ctx, int argc, char **argv, GError **error)
{
    const CreateOpts *opts = ctx->opts;
    g_autoptr(PvrPci) pf = NULL;
    g_autoptr(GPtrArray) vfs = NULL;
    g_autoptr(GPtrArray) all = NULL;
    PvrVfChange change;
    guint number;

    if (!pvr_vf_check_timeout(opts->timeout, error) || !parse_number(argv[1], &number, error))
        return FALSE;
    pf = resolve_pf(ctx->host, argv[0], error);
    pvr_vf_change_init(&change, ctx, opts->timeout);
    if (pf == NULL || !pvr_vf_change_number(ctx->host, pf->address, number, opts->replace, &change,
                                            error))
        return FALSE;
    vfs = list_vfs(ctx->host, pf->address, error);
    if (vfs == NULL)
        return FALSE;
    all = complete_all(ctx, vfs, opts->timeout);
    if (ctx->json)
        show_made_json(ctx, pf->address, all);
    else
        show_made(ctx, pf->address, all);
    return check_all(pf->address, all, error);
}

const PvrCommand pvr_cmd_vf_create = {
    .name = "vf create",
    .args = "PF N",
    .summary = "Make VFs on a network or RDMA card, and give them addresses that last",
    .description =
        "Needs root. Each VF gets a MAC (on InfiniBand: GUIDs) made from this machine's id and the VF's\n"
        "PCI address, so that it is the same after a reboot. The PF's network device is set up. The\n"
        "kernel cannot change the number of VFs without removing all of them.",
    .options = create_options,
    .opts_size = sizeof(CreateOpts),
    .opts_default = &create_defaults,
    .min_args = 2,
    .max_args = 2,
    .example = "pvrdmactl vf create ens1f0np0 8\n"
               "pvrdmactl vf create 0000:3b:00.0 16 --replace",
    .run = run_create,
};

/* ---- vf remove ---- */

static gboolean
run_remove(PvrCtx *ctx, int argc, char **argv, GError **error)
{
    g_autoptr(PvrPci) pf = resolve_pf(ctx->host, argv[0], error);
    PvrVfChange change;

    pvr_vf_change_init(&change, ctx, PVR_VF_TIMEOUT);
    if (pf == NULL || !pvr_vf_change_number(ctx->host, pf->address, 0, TRUE, &change, error))
        return FALSE;
    if (ctx->json) {
        g_autoptr(JsonBuilder) builder = pvr_json_begin();

        pvr_json_add_string(builder, "pf", pf->address);
        pvr_json_add_int(builder, "removed", pf->vfs);
        pvr_out_json(ctx, builder);
    } else {
        pvr_out(ctx, "%s: %u VF%s removed\n", pf->address, pf->vfs, pf->vfs == 1 ? "" : "s");
    }
    return TRUE;
}

const PvrCommand pvr_cmd_vf_remove = {
    .name = "vf remove",
    .args = "PF",
    .summary = "Remove all VFs of a card",
    .description = "Needs root. Nothing is removed when one of them is in use.",
    .min_args = 1,
    .max_args = 1,
    .example = "pvrdmactl vf remove ens1f0np0",
    .run = run_remove,
};
