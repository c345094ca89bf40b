/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-apply.h"
#include "pvr-cmd.h"
#include "pvr-error.h"
#include "pvr-json.h"

/* ---- apply ---- */

typedef struct {
    gboolean dry_run;
    char *pf;
} ApplyOpts;

static const GOptionEntry apply_options[] = {
    {"dry-run", 0, 0, G_OPTION_ARG_NONE, PVR_OPT(ApplyOpts, dry_run),
     "say what would change, change nothing", NULL},
    {"pf", 0, 0, G_OPTION_ARG_STRING, PVR_OPT(ApplyOpts, pf),
     "only this PF, and the links on it and its VFs", "ADDRESS"},
    {NULL},
};

static const char *
state_word(const PvrApplyResult *result, gboolean dry_run)
{
    if (result->state == PVR_APPLY_CHANGED) {
        return dry_run ? "would change" : "changed";
    }
    return result->state == PVR_APPLY_OK ? "ok" : "failed";
}

static void
show_table(PvrCtx *ctx, const GPtrArray *results, gboolean dry_run)
{
    g_autoptr(PvrTable) table = pvr_table_new("DECLARED", "STATE", "DETAILS", NULL);

    for (guint i = 0; i < results->len; i++) {
        const PvrApplyResult *result = g_ptr_array_index(results, i);

        pvr_table_add(table, (const char *[]){result->what, state_word(result, dry_run),
                                              result->text});
    }
    pvr_out_table(ctx, table);
}

static void
show_json(PvrCtx *ctx, const GPtrArray *results, gboolean dry_run)
{
    g_autoptr(JsonBuilder) builder = pvr_json_begin();

    pvr_json_add_bool(builder, "dry_run", dry_run);
    pvr_json_begin_array(builder, "declared");
    for (guint i = 0; i < results->len; i++) {
        const PvrApplyResult *result = g_ptr_array_index(results, i);

        json_builder_begin_object(builder);
        pvr_json_add_string(builder, "what", result->what);
        pvr_json_add_string(builder, "state",
                            result->state == PVR_APPLY_CHANGED ? "changed"
                                                               : state_word(result, dry_run));
        pvr_json_add_string(builder, "details", result->text);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
    pvr_out_json(ctx, builder);
}

/* The first failure is that of the command. Nothing to do is one only where there is nothing else to say. */
static gboolean
judge(const GPtrArray *results, const char *only_pf, GError **error)
{
    gboolean changed = FALSE;

    for (guint i = 0; i < results->len; i++) {
        const PvrApplyResult *result = g_ptr_array_index(results, i);

        if (result->state == PVR_APPLY_FAILED) {
            g_set_error(error, PVR_ERROR, result->error->code, "%s: %s", result->what,
                        result->error->message);
            return FALSE;
        }
        changed = changed || result->state == PVR_APPLY_CHANGED;
    }
    if (!changed && results->len == 0 && only_pf != NULL) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_NOTHING, "nothing is declared for PF %s", only_pf);
    } else if (!changed) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_NOTHING,
                    results->len > 0 ? "the host is as declared"
                                     : "nothing is declared in /etc/pvrdma\n"
                                       "'pvrdmactl export' prints what the host has; see "
                                       "pvrdma.conf(5)");
    }
    return changed;
}

static gboolean
run_apply(PvrCtx *ctx, int argc G_GNUC_UNUSED, char **argv G_GNUC_UNUSED, GError **error)
{
    const ApplyOpts *opts = ctx->opts;
    PvrApplyOptions options = pvr_apply_defaults;
    g_autofree char *pf = opts->pf != NULL ? pvr_pci_parse_address(opts->pf) : NULL;
    g_autoptr(PvrConf) conf = NULL;
    g_autoptr(GPtrArray) results = NULL;

    if (opts->pf != NULL && pf == NULL) {
        return pvr_usage_error(error, "--pf '%s' is no PCI address", opts->pf);
    }
    conf = pvr_conf_load(ctx->host, error);
    if (conf == NULL) {
        return FALSE;
    }
    options.dry_run = opts->dry_run;
    options.only_pf = pf;
    results = pvr_apply(ctx->host, conf, &options);
    if (ctx->json) {
        show_json(ctx, results, opts->dry_run);
    } else if (results->len > 0) {
        show_table(ctx, results, opts->dry_run);
    }
    return judge(results, pf, error);
}

const PvrCommand pvr_cmd_apply = {
    .name = "apply",
    .summary = "Make the host what /etc/pvrdma declares",
    .description =
        "Makes VFs and Soft-RoCE links, see pvrdma.conf(5). What is as declared stays as it is; what\n"
        "is not declared is left alone. Needs root. At boot, pvrdma-host.service does it.",
    .options = apply_options,
    .opts_size = sizeof(ApplyOpts),
    .example = "pvrdmactl apply --dry-run\npvrdmactl apply",
    .run = run_apply,
};

/* ---- export ---- */

static gboolean
run_export(PvrCtx *ctx, int argc G_GNUC_UNUSED, char **argv G_GNUC_UNUSED, GError **error)
{
    g_autoptr(PvrConf) declared = pvr_conf_load(ctx->host, error);
    g_autoptr(PvrConf) present = declared != NULL ? pvr_apply_export(ctx->host, error) : NULL;
    g_autofree char *text = NULL;

    if (present == NULL) {
        return FALSE;
    }
    g_ptr_array_extend_and_steal(present->pools, g_steal_pointer(&declared->pools));
    declared->pools = g_ptr_array_new();
    text = pvr_conf_to_json(present);
    pvr_out(ctx, "%s", text);
    return TRUE;
}

const PvrCommand pvr_cmd_export = {
    .name = "export",
    .summary = "Print the present host as a file for /etc/pvrdma",
    .description = "PFs with their number of VFs and Soft-RoCE links, as they are now, and the pools that are\n"
                   "declared. 'pvrdmactl apply' makes a host so.",
    .example = "pvrdmactl export > host.json && mv host.json /etc/pvrdma/",
    .run = run_export,
};
