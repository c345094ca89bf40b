/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-doctor-run.h"

#include "pvr-check.h"
#include "pvr-run.h"

#define TIMEOUT_MS 5000

static char *
ask(PvrCtx *ctx, const char *const *argv)
{
    return pvr_run_output(ctx->host, argv, TIMEOUT_MS, NULL);
}

static void
check_firewall(PvrCtx *ctx, guint use, GPtrArray *checks)
{
    static const char *const nft_argv[] = {"/usr/sbin/nft", "-j", "list", "ruleset", NULL};
    static const char *const legacy_argv[] = {"/usr/sbin/ip6tables-legacy-save", NULL};
    static const char *const save_argv[] = {"/usr/sbin/ip6tables-save", NULL};
    g_autofree char *names =
        pvr_host_path(ctx->host, PVR_DIR_PROC, "net/ip6_tables_names", NULL);
    /* To ask for the old tables would load their module. */
    gboolean legacy = g_file_test(names, G_FILE_TEST_EXISTS);
    g_autofree char *nft = ask(ctx, nft_argv);
    g_autofree char *ip6tables = legacy ? ask(ctx, legacy_argv) : NULL;

    if (legacy && ip6tables == NULL) {
        ip6tables = ask(ctx, save_argv);
    }
    pvr_check_firewall(nft, ip6tables, use, checks);
}

static void
check_denials(PvrCtx *ctx, guint use, GPtrArray *checks)
{
    static const char *const argv[] = {"/usr/bin/journalctl", "-b", "-q", "--no-pager", "-o", "cat",
                                       "-n", "5000", "_TRANSPORT=audit", "+", "_TRANSPORT=kernel",
                                       NULL};
    g_autofree char *log = ask(ctx, argv);

    pvr_check_denials(log, use, checks);
}

static void
check_libvirt(PvrCtx *ctx, guint use, GPtrArray *checks)
{
    static const char *const modular[] = {"/usr/sbin/virtqemud", "--version", NULL};
    static const char *const whole[] = {"/usr/sbin/libvirtd", "--version", NULL};
    g_autofree char *version = ask(ctx, whole);

    if (version == NULL) {
        version = ask(ctx, modular);
    }
    pvr_check_libvirt(ctx->host, version, use, checks);
}

void
pvr_doctor_run_programs(PvrCtx *ctx, guint use, GPtrArray *checks)
{
    check_firewall(ctx, use, checks);
    check_denials(ctx, use, checks);
    check_libvirt(ctx, use, checks);
}
