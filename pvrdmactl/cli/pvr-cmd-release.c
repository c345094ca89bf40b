/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "pvr-cmd.h"
#include "pvr-error.h"
#include "pvr-json.h"
#include "pvr-lease.h"
#include "pvr-prepare.h"
#include "pvr-virt.h"

typedef struct {
    char *name;
    char *uuid;
} Target;

static void
target_clear(Target *target)
{
    g_free(target->name);
    g_free(target->uuid);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Target, target_clear)

/* FALSE without an error when libvirt does not know the domain, or cannot be asked: the leases may. */
static gboolean
ask_libvirt(const PvrCtx *ctx, const char *name, Target *ret_target, GError **error)
{
    const gboolean silent = pvr_host_get_root(ctx->host)[0] != '\0' && ctx->uri == NULL;
    g_autoptr(PvrVirt) virt = silent ? NULL : pvr_virt_open(ctx->uri, NULL);
    g_autoptr(PvrVirtDomain) domain = virt != NULL ? pvr_virt_find(virt, name, NULL) : NULL;

    if (domain == NULL) {
        return FALSE;
    }
    if (domain->active) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_BUSY,
                    "the domain is running\nshut it down; its release comes by itself then");
        return FALSE;
    }
    ret_target->name = g_strdup(domain->name);
    ret_target->uuid = g_strdup(domain->uuid);
    return TRUE;
}

/* The name that the domain had when it started, or its UUID. */
static gboolean
ask_leases(const GPtrArray *leases, const char *name, Target *ret_target, GError **error)
{
    const PvrLease *found = NULL;

    for (guint i = 0; i < leases->len; i++) {
        const PvrLease *lease = g_ptr_array_index(leases, i);

        if (strcmp(lease->domain, name) != 0 && g_ascii_strcasecmp(lease->uuid, name) != 0) {
            continue;
        }
        if (found != NULL && strcmp(found->uuid, lease->uuid) != 0) {
            return pvr_usage_error(error, "domains %s and %s were called so\ngive the UUID",
                                   found->uuid, lease->uuid);
        }
        found = lease;
    }
    if (found == NULL) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND,
                    "no domain of that name or UUID holds anything");
        return FALSE;
    }
    ret_target->name = g_strdup(found->domain);
    ret_target->uuid = g_strdup(found->uuid);
    return TRUE;
}

static gboolean
find_target(const PvrCtx *ctx, const GPtrArray *leases, const char *name, Target *ret_target,
            GError **error)
{
    g_autoptr(GError) local = NULL;

    if (ask_libvirt(ctx, name, ret_target, &local)) {
        return TRUE;
    }
    if (local != NULL) {
        g_propagate_error(error, g_steal_pointer(&local));
        return FALSE;
    }
    return ask_leases(leases, name, ret_target, error);
}

/* @leases: as they were before. */
static void
show(PvrCtx *ctx, const GPtrArray *leases, const Target *target)
{
    g_autoptr(JsonBuilder) builder = pvr_json_begin();

    pvr_json_add_string(builder, "domain", target->name);
    pvr_json_add_string(builder, "uuid", target->uuid);
    pvr_json_begin_array(builder, "released");
    for (guint i = 0; i < leases->len; i++) {
        const PvrLease *lease = g_ptr_array_index(leases, i);

        if (strcmp(lease->uuid, target->uuid) != 0) {
            continue;
        }
        json_builder_begin_object(builder);
        pvr_json_add_int(builder, "id", lease->id);
        pvr_json_add_string(builder, "ibdev", lease->ibdev);
        pvr_json_add_int(builder, "port", lease->port);
        json_builder_end_object(builder);
        if (!ctx->json) {
            pvr_out(ctx, "%s: device %u has given back port %u of %s\n", target->name, lease->id,
                    lease->port, lease->ibdev);
        }
    }
    json_builder_end_array(builder);
    if (ctx->json) {
        pvr_out_json(ctx, builder);
    }
}

static gboolean
run_release(PvrCtx *ctx, int argc, char **argv, GError **error)
{
    g_autoptr(GPtrArray) leases = pvr_lease_list(ctx->host, error);
    g_auto(Target) target = {0};

    if (leases == NULL || !find_target(ctx, leases, argv[0], &target, error) ||
        !pvr_release_by_hand(ctx->host, target.name, target.uuid, &pvr_prepare_defaults, error)) {
        return FALSE;
    }
    show(ctx, leases, &target);
    return TRUE;
}

const PvrCommand pvr_cmd_release = {
    .name = "release",
    .args = "DOMAIN",
    .summary = "Give back what a domain holds that is shut off",
    .description =
        "The hook does the same when the domain stops; this is for when it could not. DOMAIN is a\n"
        "name or UUID, also of a domain that libvirt does not know any more. Needs root.",
    .min_args = 1,
    .max_args = 1,
    .example = "pvrdmactl release vm1",
    .run = run_release,
};
