/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "pvr-diff.h"
#include "pvr-domain.h"
#include "pvr-edit.h"
#include "pvr-error.h"
#include "pvr-json.h"
#include "pvr-pool.h"
#include "pvr-undo.h"

typedef struct {
    gboolean print_xml, dry_run;
} DetachOpts;

static const GOptionEntry detach_options[] = {
    {"print-xml", 0, 0, G_OPTION_ARG_NONE, PVR_OPT(DetachOpts, print_xml),
     "print the new domain XML, change nothing", NULL},
    {"dry-run", 0, 0, G_OPTION_ARG_NONE, PVR_OPT(DetachOpts, dry_run),
     "print what would change as a diff, change nothing", NULL},
    {NULL},
};

static gboolean
parse_id(const char *text, guint *ret_arg, GError **error)
{
    guint64 id = 0;

    if (!g_ascii_string_to_unsigned(text, 10, 0, PVR_METADATA_MAX_DEVICES - 1, &id, NULL)) {
        return pvr_usage_error(error, "'%s' is no device number, from 0 to %u", text,
                               PVR_METADATA_MAX_DEVICES - 1);
    }
    *ret_arg = (guint)id + 1;
    return TRUE;
}

/* Without an argument there must be just one device. */
static gboolean
only_id(const PvrDomainMeta *meta, guint *ret_id, GError **error)
{
    g_autoptr(GString) ids = g_string_new(NULL);

    if (meta->devices->len == 1) {
        *ret_id = ((const PvrMetaDevice *)g_ptr_array_index(meta->devices, 0))->id;
        return TRUE;
    }
    if (meta->devices->len == 0) {
        g_set_error_literal(error, PVR_ERROR, PVR_ERROR_NOTHING, "the domain has no device of ours");
        return FALSE;
    }
    for (guint i = 0; i < meta->devices->len; i++) {
        const PvrMetaDevice *device = g_ptr_array_index(meta->devices, i);

        g_string_append_printf(ids, "%s%u", i ? ", " : "", device->id);
    }
    return pvr_usage_error(error, "the domain has several devices: say which of %s", ids->str);
}

/* @arg: 0, or 1 + the id that was given. */
static gboolean
choose_id(const char *current, guint arg, guint *ret_id, GError **error)
{
    g_autoptr(PvrDomainMeta) meta = NULL;

    if (arg) {
        *ret_id = arg - 1;
        return TRUE;
    }
    meta = pvr_metadata_parse_domain(current, strlen(current), error);
    return meta && only_id(meta, ret_id, error);
}

static void
show_text(PvrCtx *ctx, const PvrVirtDomain *domain, guint id, const PvrEditDetach *plan,
          const GPtrArray *notes)
{
    pvr_out(ctx, "detached device %u from '%s'%s\n", id, domain->name,
            plan->exact ? "; the configuration is exactly as before" : "");
    for (guint i = 0; i < notes->len; i++) {
        pvr_out(ctx, "note: %s\n", (const char *)g_ptr_array_index(notes, i));
    }
}

static void
show_json(PvrCtx *ctx, const PvrVirtDomain *domain, guint id, const PvrEditDetach *plan,
          const char *diff, const GPtrArray *notes)
{
    const DetachOpts *opts = ctx->opts;
    g_autoptr(JsonBuilder) builder = pvr_json_begin();

    pvr_json_add_string(builder, "domain", domain->name);
    pvr_json_add_string(builder, "uuid", domain->uuid);
    pvr_json_add_int(builder, "id", id);
    pvr_json_add_bool(builder, "changed", !opts->dry_run && !opts->print_xml);
    pvr_json_add_bool(builder, "exact", plan->exact);
    if (diff) {
        pvr_json_add_string(builder, "diff", diff);
    }
    if (opts->print_xml) {
        pvr_json_add_string(builder, "xml", plan->xml);
    }
    pvr_domain_notes_json(builder, notes);
    pvr_out_json(ctx, builder);
}

static void
show(PvrCtx *ctx, const PvrVirtDomain *domain, guint id, const char *current,
     const PvrEditDetach *plan)
{
    const DetachOpts *opts = ctx->opts;
    g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *diff =
        opts->dry_run ? pvr_diff_unified(current, plan->xml, "before", "after") : NULL;

    if (plan->note) {
        g_ptr_array_add(notes, g_strdup(plan->note));
    }
    pvr_domain_effect_notes(notes, domain);
    if (ctx->json) {
        show_json(ctx, domain, id, plan, diff, notes);
    } else if (opts->dry_run || opts->print_xml) {
        pvr_out(ctx, "%s", diff ? diff : plan->xml);
    } else {
        show_text(ctx, domain, id, plan, notes);
    }
}

static gboolean
detach(PvrCtx *ctx, PvrVirt *virt, const PvrVirtDomain *domain, guint arg, GError **error)
{
    const DetachOpts *opts = ctx->opts;
    const gboolean dry = opts->dry_run || opts->print_xml;
    g_autoptr(PvrLock) lock = dry ? NULL : pvr_undo_lock(ctx->host, error);
    g_autofree char *current = NULL;
    g_autoptr(PvrEditDetach) plan = NULL;
    guint id = 0;

    if (!dry && !lock) {
        return FALSE;
    }
    current = pvr_virt_get_xml(virt, domain->uuid, dry ? PVR_VIRT_CONFIG : PVR_VIRT_CONFIG_SECURE,
                               error);
    if (!current || !choose_id(current, arg, &id, error)) {
        return FALSE;
    }
    plan = pvr_edit_plan_detach(ctx->host, domain->uuid, current, id, error);
    if (!plan || (!dry && !pvr_edit_detach(virt, ctx->host, domain->uuid, current, plan, id,
                                           error))) {
        return FALSE;
    }
    if (!dry) {
        pvr_pool_forget(ctx->host, domain->uuid, id, NULL); /* a wish for the next start, no more */
    }
    show(ctx, domain, id, current, plan);
    return TRUE;
}

static gboolean
run_detach(PvrCtx *ctx, int argc, char **argv, GError **error)
{
    const DetachOpts *opts = ctx->opts;
    g_autoptr(PvrVirt) virt = NULL;
    g_autoptr(PvrVirtDomain) domain = NULL;
    guint arg = 0;

    if (opts->print_xml && opts->dry_run) {
        return pvr_usage_error(error, "give --print-xml or --dry-run, not both");
    }
    if (argc > 1 && !parse_id(argv[1], &arg, error)) {
        return FALSE;
    }
    virt = pvr_virt_open(ctx->uri, error);
    domain = virt ? pvr_domain_find_persistent(virt, argv[0], error) : NULL;
    return domain && detach(ctx, virt, domain, arg, error);
}

const PvrCommand pvr_cmd_detach = {
    .name = "detach",
    .args = "DOMAIN [ID]",
    .summary = "Take an RDMA device out of a domain",
    .description =
        "Edits the persistent configuration. If nobody has changed it since 'pvrdmactl attach', it\n"
        "becomes exactly what it was before; else only what attach added goes. ID is needed if the\n"
        "domain has several devices; 'pvrdmactl status' shows them. A running domain keeps the\n"
        "device until it is shut off.",
    .options = detach_options,
    .opts_size = sizeof(DetachOpts),
    .min_args = 1,
    .max_args = 2,
    .example = "pvrdmactl detach vm1\n"
               "pvrdmactl detach vm1 1 --dry-run",
    .run = run_detach,
};
