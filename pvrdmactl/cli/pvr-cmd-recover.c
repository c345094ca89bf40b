/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-cmd.h"
#include "pvr-error.h"
#include "pvr-json.h"
#include "pvr-recover.h"

typedef struct {
    gboolean dry_run;
} RecoverOpts;

static const GOptionEntry options[] = {
    {"dry-run", 0, 0, G_OPTION_ARG_NONE, PVR_OPT(RecoverOpts, dry_run),
     "only say what would be taken back", NULL},
    {NULL}};

static void
print_title(PvrCtx *ctx, const PvrLeftover *left)
{
    g_autofree char *by =
        left->pid > 0 ? g_strdup_printf(", process %" G_GINT64_FORMAT " is gone", left->pid)
                      : g_strdup("");

    if (left->domain != NULL) {
        pvr_out(ctx, "lease %s of domain '%s' (%s%s): ", left->name, left->domain, left->state,
                by);
    } else {
        pvr_out(ctx, "journal %s%s: ", left->name, by);
    }
}

static void
print_error(PvrCtx *ctx, const GError *error)
{
    g_autoptr(GString) text = g_string_new(error->message);

    g_string_replace(text, "\n", "\n  ", 0);
    pvr_out(ctx, "stays\n  because %s\n", text->str);
}

static void
print_text(PvrCtx *ctx, const GPtrArray *leftovers, gboolean dry_run)
{
    for (guint i = 0; i < leftovers->len; i++) {
        const PvrLeftover *left = g_ptr_array_index(leftovers, i);

        print_title(ctx, left);
        if (left->error != NULL) {
            print_error(ctx, left->error);
        } else {
            pvr_out(ctx, "%s\n", dry_run ? "would be taken back" : "taken back");
        }
        /* As they are undone: the last one first. */
        for (guint j = left->steps != NULL ? left->steps->len : 0; j > 0; j--) {
            g_autofree char *step =
                pvr_step_to_string(g_ptr_array_index(left->steps, j - 1));

            pvr_out(ctx, "  %s\n", step);
        }
    }
}

static void
print_json(PvrCtx *ctx, const GPtrArray *leftovers, gboolean dry_run)
{
    g_autoptr(JsonBuilder) builder = pvr_json_begin();

    pvr_json_add_bool(builder, "dry_run", dry_run);
    pvr_json_begin_array(builder, "leftovers");
    for (guint i = 0; i < leftovers->len; i++) {
        const PvrLeftover *left = g_ptr_array_index(leftovers, i);
        g_autoptr(GPtrArray) none = pvr_steps_new();

        json_builder_begin_object(builder);
        pvr_json_add_string(builder, "kind", left->domain != NULL ? "lease" : "journal");
        pvr_json_add_string(builder, "name", left->name);
        pvr_json_add_string(builder, "domain", left->domain);
        pvr_json_add_string(builder, "state", left->state);
        pvr_json_add_int(builder, "pid", left->pid);
        pvr_json_add_string(builder, "error", left->error != NULL ? left->error->message : NULL);
        pvr_steps_add_json(builder, left->steps != NULL ? left->steps : none);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
    pvr_out_json(ctx, builder);
}

static gboolean
report(const GPtrArray *leftovers, GError **error)
{
    guint failed = 0;

    for (guint i = 0; i < leftovers->len; i++) {
        const PvrLeftover *left = g_ptr_array_index(leftovers, i);

        failed += left->error != NULL;
    }
    if (failed > 0) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_FAILED, "%u of %u cannot be taken back", failed,
                    leftovers->len);
    } else if (leftovers->len == 0) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_NOTHING, "nothing was left by a crash");
    }
    return failed == 0 && leftovers->len > 0;
}

static gboolean
run_recover(PvrCtx *ctx, int argc, char **argv, GError **error)
{
    const RecoverOpts *opts = ctx->opts;
    g_autoptr(GPtrArray) leftovers =
        pvr_recover(ctx->host, opts->dry_run, &pvr_prepare_defaults, error);

    if (leftovers == NULL) {
        return FALSE;
    }
    if (ctx->json) {
        print_json(ctx, leftovers, opts->dry_run);
    } else {
        print_text(ctx, leftovers, opts->dry_run);
    }
    return report(leftovers, error);
}

const PvrCommand pvr_cmd_recover = {
    .name = "recover",
    .summary = "Take back what a crash has left on the host",
    .description =
        "Undoes the steps of commands and hooks that did not finish, and gives back what domains\n"
        "hold whose QEMU is gone. What a running domain uses stays. Needs root.",
    .options = options,
    .opts_size = sizeof(RecoverOpts),
    .example = "pvrdmactl recover --dry-run",
    .run = run_recover,
};
