/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-prepare.h"

#include <string.h>

#include "pvr-claim.h"
#include "pvr-device-lock.h"
#include "pvr-domview.h"
#include "pvr-error.h"
#include "pvr-lease.h"
#include "pvr-metadata.h"
#include "pvr-proc.h"
#include "pvr-verify.h"

const PvrPrepareOptions pvr_prepare_defaults = {.lock_ms = 30000, .settle_ms = 5000};

/* Keeps the first of several errors. */
static void
keep_first(GError **first, GError *next)
{
    if (*first == NULL) {
        *first = next;
    } else {
        g_clear_error(&next);
    }
}

static gboolean
report(GError *first, GError **error)
{
    if (first != NULL) {
        g_propagate_error(error, first);
    }
    return first == NULL;
}

static gboolean
verify_device(const PvrDomainView *view, const PvrMetaDevice *device, GError **error)
{
    if (!pvr_verify_functions(view, device, error)) {
        return FALSE;
    }
    return device->backend == PVR_BACKEND_SOFT ? pvr_verify_connection(view, device, error)
                                               : pvr_verify_mac(view, device, error);
}

static gboolean
verify_domain(const char *xml, gsize len, const PvrDomainMeta *meta, GError **error)
{
    g_autoptr(PvrDomainView) view = pvr_domain_view_parse(xml, len, error);

    if (view == NULL || !pvr_metadata_check_owner(meta, error) ||
        (pvr_metadata_uses_host(meta) && !pvr_verify_memory(view, error))) {
        return FALSE;
    }
    for (guint i = 0; i < meta->devices->len; i++) {
        pvr_verify_adopt_index(view, g_ptr_array_index(meta->devices, i));
        if (!verify_device(view, g_ptr_array_index(meta->devices, i), error)) {
            return FALSE;
        }
    }
    return TRUE;
}

/* Last device first, as they were claimed. */
static gboolean
release_domain(PvrHost *host, const char *uuid, const PvrPrepareOptions *options, GError **error)
{
    g_autoptr(GArray) ids = pvr_lease_list_ids(host, uuid, error);
    GError *first = NULL;

    if (ids == NULL) {
        return FALSE;
    }
    for (guint i = ids->len; i > 0; i--) {
        g_autoptr(GError) local = NULL;

        if (!pvr_claim_release(host, uuid, g_array_index(ids, guint, i - 1), options, &local)) {
            keep_first(&first, g_steal_pointer(&local));
        }
    }
    return report(first, error);
}

/* Somebody runs the hook by hand while the guest is up: its devices must stay. */
static gboolean
check_not_running(PvrHost *host, const char *name, const char *uuid, GError **error)
{
    gint64 pid;

    if (pvr_proc_find_qemu(host, name, uuid, &pid, NULL)) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_BUSY,
                    "the domain is running (process %" G_GINT64_FORMAT ")", pid);
        return FALSE;
    }
    return TRUE;
}

/*
 * Prepared only when all are there: were this process killed before, nobody could tell by the first ones that
 * they are of no use to anybody.
 */
static gboolean
set_prepared(PvrHost *host, const GPtrArray *leases, GError **error)
{
    for (guint i = 0; i < leases->len; i++) {
        if (!pvr_lease_set_process(g_ptr_array_index(leases, i), host, PVR_LEASE_PREPARED, 0,
                                   error)) {
            return FALSE;
        }
    }
    return TRUE;
}

static gboolean
claim_all(PvrHost *host, const PvrDomainMeta *meta, const PvrPrepareOptions *options,
          GError **error)
{
    g_autoptr(GPtrArray) leases = g_ptr_array_new_with_free_func((GDestroyNotify)pvr_lease_free);

    for (guint i = 0; i < meta->devices->len; i++) {
        const PvrMetaDevice *device = g_ptr_array_index(meta->devices, i);
        PvrLease *lease;

        if (device->backend == PVR_BACKEND_SOFT) {
            continue;
        }
        lease = pvr_claim_device(host, meta, device, options, error);
        if (lease == NULL) {
            return FALSE;
        }
        g_ptr_array_add(leases, lease);
    }
    return set_prepared(host, leases, error);
}

/* Also when only what an earlier configuration has left on the host is to go. */
static gboolean
has_work(PvrHost *host, const PvrDomainMeta *meta)
{
    g_autoptr(GArray) ids = pvr_lease_list_ids(host, meta->uuid, NULL);

    return pvr_metadata_uses_host(meta) || ids == NULL || ids->len > 0;
}

gboolean
pvr_prepare(PvrHost *host, const char *xml, gsize len, const PvrPrepareOptions *options,
            GError **error)
{
    g_autoptr(PvrDomainMeta) meta = pvr_metadata_parse_domain(xml, len, error);
    g_autoptr(PvrLock) lock = NULL;

    if (meta == NULL) {
        return FALSE;
    }
    if (meta->devices->len == 0) {
        return TRUE;
    }
    if (!verify_domain(xml, len, meta, error)) {
        return FALSE;
    }
    if (!has_work(host, meta)) {
        return TRUE;
    }
    lock = pvr_domain_lock(host, meta->uuid, options->lock_ms, error);
    if (lock == NULL || !check_not_running(host, meta->name, meta->uuid, error) ||
        !release_domain(host, meta->uuid, options, error)) {
        return FALSE;
    }
    if (!claim_all(host, meta, options, error)) {
        release_domain(host, meta->uuid, options, NULL);
        return FALSE;
    }
    return TRUE;
}

static gboolean
assert_device(PvrHost *host, const PvrDomainMeta *meta, const PvrMetaDevice *device, gint64 pid,
              const PvrPrepareOptions *options, GError **error)
{
    g_autoptr(PvrLease) lease = pvr_claim_reassert(host, meta, device, options, error);

    return lease != NULL && pvr_lease_set_process(lease, host, PVR_LEASE_RUNNING, pid, error);
}

/* Not needed where it is unlimited already; the daemon may lack the privilege then. */
static gboolean
raise_memlock(PvrHost *host, gint64 pid, GError **error)
{
    guint64 limit = 0;

    return (pvr_proc_get_memlock(host, pid, &limit) && limit == PVR_MEMLOCK_MAX) ||
           pvr_host_set_memlock(host, (pid_t)pid, PVR_MEMLOCK_MAX, error);
}

static gboolean
assert_all(PvrHost *host, const PvrDomainMeta *meta, gint64 pid,
           const PvrPrepareOptions *options, GError **error)
{
    GError *first = NULL;

    /* First, and whatever follows: without it the guest's RDMA fails, with it most of it works. */
    raise_memlock(host, pid, &first);
    for (guint i = 0; i < meta->devices->len; i++) {
        const PvrMetaDevice *device = g_ptr_array_index(meta->devices, i);
        g_autoptr(GError) local = NULL;

        if (device->backend != PVR_BACKEND_SOFT &&
            !assert_device(host, meta, device, pid, options, &local)) {
            keep_first(&first, g_steal_pointer(&local));
        }
    }
    return report(first, error);
}

gboolean
pvr_assert_running(PvrHost *host, const char *xml, gsize len, const PvrPrepareOptions *options,
                   GError **error)
{
    g_autoptr(PvrDomainMeta) meta = pvr_metadata_parse_domain(xml, len, error);
    g_autoptr(PvrLock) lock = NULL;
    gint64 pid;

    if (meta == NULL) {
        return FALSE;
    }
    if (!pvr_metadata_uses_host(meta)) {
        return TRUE;
    }
    if (!pvr_metadata_check_owner(meta, error) ||
        !pvr_proc_find_qemu(host, meta->name, meta->uuid, &pid, error)) {
        return FALSE;
    }
    lock = pvr_domain_lock(host, meta->uuid, options->lock_ms, error);
    return lock != NULL && assert_all(host, meta, pid, options, error);
}

gboolean
pvr_release_may_have_work(PvrHost *host)
{
    g_autofree char *path = pvr_host_path(host, PVR_DIR_RUN, "leases", NULL);
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);

    return dir != NULL && g_dir_read_name(dir) != NULL;
}

gboolean
pvr_release(PvrHost *host, const char *xml, gsize len, const PvrPrepareOptions *options,
            GError **error)
{
    /* Not our metadata but the lease says what there is to give back: metadata may be damaged. */
    g_autoptr(PvrDomainView) view = pvr_domain_view_parse(xml, len, error);
    g_autoptr(GArray) ids = NULL;
    g_autoptr(PvrLock) lock = NULL;

    if (view == NULL) {
        return FALSE;
    }
    ids = pvr_lease_list_ids(host, view->uuid, error);
    if (ids == NULL || ids->len == 0) {
        return ids != NULL;
    }
    lock = pvr_domain_lock(host, view->uuid, options->lock_ms, error);
    return lock != NULL && release_domain(host, view->uuid, options, error);
}

/* Not by its name, which libvirt may have changed since. */
static gboolean
check_no_process(PvrHost *host, const char *uuid, const GArray *ids, GError **error)
{
    for (guint i = 0; i < ids->len; i++) {
        g_autoptr(PvrLease) lease =
            pvr_lease_load(host, uuid, g_array_index(ids, guint, i), NULL);

        if (lease != NULL && strcmp(lease->state, PVR_LEASE_RUNNING) == 0 &&
            !pvr_claim_is_dead(host, lease)) {
            g_set_error(error, PVR_ERROR, PVR_ERROR_BUSY,
                        "the domain is running (process %" G_GINT64_FORMAT ")\n"
                        "shut it down; its release comes by itself then",
                        lease->pid);
            return FALSE;
        }
    }
    return TRUE;
}

gboolean
pvr_release_by_hand(PvrHost *host, const char *name, const char *uuid,
                    const PvrPrepareOptions *options, GError **error)
{
    g_autoptr(PvrLock) lock = pvr_domain_lock(host, uuid, options->lock_ms, error);
    g_autoptr(GArray) ids = lock != NULL ? pvr_lease_list_ids(host, uuid, error) : NULL;

    if (ids == NULL || !check_not_running(host, name, uuid, error) ||
        !check_no_process(host, uuid, ids, error)) {
        return FALSE;
    }
    if (ids->len == 0) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_NOTHING, "it holds nothing");
        return FALSE;
    }
    return release_domain(host, uuid, options, error);
}
