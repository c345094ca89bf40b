/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "pvr-check.h"
#include "pvr-cmd.h"
#include "pvr-domview.h"
#include "pvr-emulator.h"
#include "pvr-error.h"
#include "pvr-json.h"
#include "pvr-virt.h"

#define HOOK_PROGRAM PVR_SBINDIR "/pvrdma-hook"
#define DEFAULT_EMULATOR "/usr/bin/qemu-system-x86_64"
#define EMULATOR_TIMEOUT_MS 15000

static void
check_emulator(PvrCtx *ctx, const char *emulator, GPtrArray *checks)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *models =
        pvr_emulator_ask(ctx->host, emulator, "help", EMULATOR_TIMEOUT_MS, &error);
    g_autofree char *properties =
        models != NULL
            ? pvr_emulator_ask(ctx->host, emulator, "pvrdma,help", EMULATOR_TIMEOUT_MS, NULL)
            : NULL;

    pvr_check_emulator(emulator, models, properties, error, checks);
}

static void
check_xml(PvrCtx *ctx, const char *xml, gboolean running, GPtrArray *checks)
{
    g_autoptr(PvrDomainView) view = pvr_domain_view_parse(xml, strlen(xml), NULL);
    const char *emulator = view != NULL ? view->emulator : NULL;

    check_emulator(ctx, emulator != NULL ? emulator : DEFAULT_EMULATOR, checks);
    pvr_check_domain(ctx->host, xml, strlen(xml), running, checks);
}

static gboolean
check_domain(PvrCtx *ctx, const char *name, GPtrArray *checks, GError **error)
{
    g_autoptr(PvrVirt) virt = pvr_virt_open(ctx->uri, error);
    g_autoptr(PvrVirtDomain) domain = virt != NULL ? pvr_virt_find(virt, name, error) : NULL;
    g_autofree char *xml = NULL;

    if (domain == NULL) {
        return FALSE;
    }
    xml = pvr_virt_get_xml(virt, domain->uuid, domain->active ? PVR_VIRT_LIVE : PVR_VIRT_CONFIG,
                           error);
    if (xml == NULL) {
        return FALSE;
    }
    check_xml(ctx, xml, domain->active, checks);
    return TRUE;
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
run_doctor(PvrCtx *ctx, int argc, char **argv, GError **error)
{
    g_autoptr(GPtrArray) checks = pvr_checks_new();
    const char *name = argc > 0 ? argv[0] : NULL;
    guint failed;

    pvr_check_host(ctx->host, checks);
    pvr_check_hook(ctx->host, HOOK_PROGRAM, checks);
    if (name == NULL) {
        check_emulator(ctx, DEFAULT_EMULATOR, checks);
    } else if (!check_domain(ctx, name, checks, error)) {
        return FALSE;
    }
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
        "failed, 0 otherwise.",
    .max_args = 1,
    .example = "pvrdmactl doctor\n"
               "pvrdmactl doctor vm1 --json",
    .run = run_doctor,
};
