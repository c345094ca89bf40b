/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "pvr-check-text.h"
#include "pvr-check.h"
#include "pvr-cmd.h"
#include "pvr-doctor-run.h"
#include "pvr-domview.h"
#include "pvr-emulator.h"
#include "pvr-error.h"
#include "pvr-json.h"
#include "pvr-virt.h"

typedef struct {
    char *explain;
} DoctorOpts;

static const GOptionEntry doctor_options[] = {
    {"explain", 0, 0, G_OPTION_ARG_STRING, PVR_OPT(DoctorOpts, explain),
     "say what this check is about, check nothing", "ID"},
    {NULL},
};

#define HOOK_PROGRAM PVR_SBINDIR "/pvrdma-hook"
#define DEFAULT_EMULATOR "/usr/bin/qemu-system-x86_64"
#define EMULATOR_TIMEOUT_MS 15000

static void
check_emulator(PvrCtx *ctx, const char *emulator, const char *xml, guint use, GPtrArray *checks)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GError) soft_error = NULL;
    g_autofree char *models =
        pvr_emulator_ask(ctx->host, emulator, "help", EMULATOR_TIMEOUT_MS, &error);
    g_autofree char *properties =
        models != NULL
            ? pvr_emulator_ask(ctx->host, emulator, "pvrdma,help", EMULATOR_TIMEOUT_MS, NULL)
            : NULL;

    if (pvr_check_emulator(emulator, models, properties, error, checks)) {
        if (xml != NULL) {
            pvr_check_properties(emulator, properties, xml, strlen(xml), checks);
        }
        pvr_emulator_try_soft(ctx->host, emulator, EMULATOR_TIMEOUT_MS, &soft_error);
        pvr_check_emulator_soft(emulator, use, soft_error, checks);
    }
}

static char *
load_xml(PvrCtx *ctx, const char *name, gboolean *ret_running, GError **error)
{
    g_autoptr(PvrVirt) virt = pvr_virt_open(ctx->uri, error);
    g_autoptr(PvrVirtDomain) domain = virt != NULL ? pvr_virt_find(virt, name, error) : NULL;

    if (domain == NULL) {
        return NULL;
    }
    *ret_running = domain->active;
    return pvr_virt_get_xml(virt, domain->uuid, domain->active ? PVR_VIRT_LIVE : PVR_VIRT_CONFIG,
                            error);
}

/* @xml: NULL without a domain. */
static void
check_all(PvrCtx *ctx, const char *xml, gboolean running, GPtrArray *checks)
{
    const gsize len = xml != NULL ? strlen(xml) : 0;
    const guint use = xml != NULL ? pvr_use_of_domain(xml, len) : 0;
    g_autoptr(PvrDomainView) view = xml != NULL ? pvr_domain_view_parse(xml, len, NULL) : NULL;
    const char *emulator = view != NULL ? view->emulator : NULL;

    pvr_check_host(ctx->host, use, checks);
    pvr_check_hook(ctx->host, HOOK_PROGRAM, use, checks);
    pvr_doctor_run_programs(ctx, use, checks);
    check_emulator(ctx, emulator != NULL ? emulator : DEFAULT_EMULATOR, xml, use, checks);
    if (xml != NULL) {
        pvr_check_domain(ctx->host, xml, len, running, checks);
    }
}

static void
print_text(PvrCtx *ctx, const GPtrArray *checks)
{
    g_autoptr(PvrTable) table = pvr_table_new("CHECK", "STATE", "EVIDENCE", NULL);
    gboolean first = TRUE;

    for (guint i = 0; i < checks->len; i++) {
        const PvrCheck *check = g_ptr_array_index(checks, i);

        pvr_table_add(table, (const char *[]){check->id, pvr_check_state_to_string(check->state),
                                              check->evidence});
    }
    pvr_out_table(ctx, table);
    for (guint i = 0; i < checks->len; i++) {
        const PvrCheck *check = g_ptr_array_index(checks, i);

        if (check->remedy != NULL) {
            pvr_out(ctx, "%s%s: %s\n", first ? "\nWhat to do:\n" : "", check->id, check->remedy);
            first = FALSE;
        }
    }
}

static void
print_json(PvrCtx *ctx, const char *name, const GPtrArray *checks)
{
    g_autoptr(JsonBuilder) builder = pvr_json_begin();

    pvr_json_add_string(builder, "domain", name);
    pvr_json_add_string(builder, "worst", pvr_check_state_to_string(pvr_checks_worst(checks)));
    pvr_json_begin_array(builder, "checks");
    for (guint i = 0; i < checks->len; i++) {
        const PvrCheck *check = g_ptr_array_index(checks, i);

        json_builder_begin_object(builder);
        pvr_json_add_string(builder, "id", check->id);
        pvr_json_add_string(builder, "state", pvr_check_state_to_string(check->state));
        pvr_json_add_string(builder, "evidence", check->evidence);
        pvr_json_add_string(builder, "remedy", check->remedy);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
    pvr_out_json(ctx, builder);
}

static gboolean
fail_unknown(const char *id, GError **error)
{
    g_autoptr(GString) ids = g_string_new(NULL);
    const PvrCheckText *text;

    for (guint i = 0; (text = pvr_check_text_nth(i)) != NULL; i++) {
        g_string_append_printf(ids, "%s%s", i > 0 ? ", " : "", text->id);
    }
    g_set_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND, "no check '%s'\nthere are: %s", id, ids->str);
    return FALSE;
}

static gboolean
explain(PvrCtx *ctx, const char *id, GError **error)
{
    const PvrCheckText *text = pvr_check_text_find(id);
    g_autoptr(JsonBuilder) builder = NULL;

    if (text == NULL) {
        return fail_unknown(id, error);
    }
    if (!ctx->json) {
        pvr_out(ctx, "%s: %s\n\n%s", text->id, text->title, text->text);
        return TRUE;
    }
    builder = pvr_json_begin();
    pvr_json_add_string(builder, "id", text->id);
    pvr_json_add_string(builder, "title", text->title);
    pvr_json_add_string(builder, "text", text->text);
    pvr_out_json(ctx, builder);
    return TRUE;
}

static gboolean
run_doctor(PvrCtx *ctx, int argc, char **argv, GError **error)
{
    const DoctorOpts *opts = ctx->opts;
    g_autoptr(GPtrArray) checks = pvr_checks_new();
    const char *name = argc > 0 ? argv[0] : NULL;
    g_autofree char *xml = NULL;
    gboolean running = FALSE;
    guint failed;

    if (opts->explain != NULL && name != NULL) {
        return pvr_usage_error(error, "--explain goes without a domain");
    }
    if (opts->explain != NULL) {
        return explain(ctx, opts->explain, error);
    }
    if (name != NULL) {
        xml = load_xml(ctx, name, &running, error);
        if (xml == NULL) {
            return FALSE;
        }
    }
    check_all(ctx, xml, running, checks);
    if (ctx->json) {
        print_json(ctx, name, checks);
    } else {
        print_text(ctx, checks);
    }
    failed = pvr_checks_count(checks, PVR_CHECK_FAILED);
    if (failed > 0) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_FAILED, "%u of %u checks failed", failed,
                    checks->len);
        return FALSE;
    }
    return TRUE;
}

const PvrCommand pvr_cmd_doctor = {
    .name = "doctor",
    .args = "[DOMAIN]",
    .summary = "Find out why RDMA does not work, on this host or in a domain",
    .description =
        "Runs checks and shows for each its state (ok, n/a, warning, failed), what it saw, and,\n"
        "where there is something to do, what to type. Changes nothing. Exit status 1 when a "
        "check\n"
        "failed, 0 otherwise. --explain says what a check is about and why it matters.",
    .options = doctor_options,
    .opts_size = sizeof(DoctorOpts),
    .max_args = 1,
    .example = "pvrdmactl doctor\n"
               "pvrdmactl doctor vm1 --json\n"
               "pvrdmactl doctor --explain hook.known",
    .run = run_doctor,
};
