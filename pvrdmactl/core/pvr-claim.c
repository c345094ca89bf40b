/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-claim.h"

#include <string.h>
#include <unistd.h>

#include "pvr-claim-vf.h"
#include "pvr-device-lock.h"
#include "pvr-error.h"
#include "pvr-proc.h"
#include "pvr-resolve.h"
#include "pvr-step-priv.h"
#include "pvr-store.h"
#include "pvr-verify.h"

#define POLL_US 20000

gboolean
pvr_claim_is_dead(PvrHost *host, const PvrLease *lease)
{
    guint64 start;

    if (strcmp(lease->state, PVR_LEASE_PREPARED) == 0) {
        return FALSE;
    }
    start = pvr_proc_start_time(host, lease->pid);
    return start == 0 || start != lease->pid_start;
}

static gboolean
undo(PvrLease *lease, PvrHost *host, const PvrPrepareOptions *options, GError **error)
{
    g_autoptr(PvrLock) lock = NULL;

    if (lease->steps->len > 0) {
        lock = pvr_device_lock(host, pvr_lease_device(lease), options->lock_ms, error);
        if (lock == NULL) {
            return FALSE;
        }
    }
    return pvr_lease_undo(lease, host, options->checkpoint, options->user_data, error);
}

gboolean
pvr_claim_release(PvrHost *host, const char *uuid, guint id, const PvrPrepareOptions *options,
                  GError **error)
{
    g_autoptr(GError) local = NULL;
    g_autoptr(PvrLease) lease = pvr_lease_load(host, uuid, id, &local);
    g_autofree char *path = NULL;

    if (lease != NULL) {
        return undo(lease, host, options, error);
    }
    if (!g_error_matches(local, PVR_ERROR, PVR_ERROR_NOT_FOUND)) {
        g_propagate_error(error, g_steal_pointer(&local));
        return FALSE;
    }
    path = pvr_lease_path(host, uuid, id);
    return pvr_store_remove(path, error);
}

/*
 * The lease of a domain whose QEMU is gone stands only until libvirt runs that domain's release, or
 * for ever if the hook was away at that time; that of a process that died while it prepared, until the domain's next
 * start. Either way it need not stop another domain: a release that finds no lease is content. One that cannot be
 * undone stays, and holds what it holds.
 */
gboolean
pvr_claim_reap(PvrHost *host, const PvrLease *lease, const PvrPrepareOptions *options,
               GError **error)
{
    g_autoptr(PvrLock) lock = pvr_domain_lock(host, lease->uuid, 0, error);
    g_autoptr(PvrLease) now = NULL;
    g_autoptr(GError) local = NULL;

    if (lock == NULL) {
        return FALSE;
    }
    now = pvr_lease_load(host, lease->uuid, lease->id, &local);
    if (now == NULL) {
        return pvr_step_is_gone(g_steal_pointer(&local), error);
    }
    if (!pvr_claim_is_dead(host, now)) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_BUSY, "domain '%s' is there again", now->domain);
        return FALSE;
    }
    return undo(now, host, options, error);
}

static gboolean
check_holder(const PvrLease *holder, const char *ibdev, guint port, GError **error)
{
    if (holder == NULL) {
        return TRUE;
    }
    g_set_error(error, PVR_ERROR, PVR_ERROR_BUSY,
                "port %u of '%s' is held by domain '%s' (device %u, %s)\n"
                "shut that domain down, or give this one another ibdevice",
                port, ibdev, holder->domain, holder->id, holder->state);
    return FALSE;
}

PvrIbdev *
pvr_claim_find_ibdev(PvrHost *host, const PvrMetaDevice *device, GError **error)
{
    if (device->backend == PVR_BACKEND_RXE) {
        return pvr_host_find_rxe(host, device->netdev, error);
    }
    if (device->pci != NULL || device->guid != NULL) {
        return pvr_resolve_stored(host, device->pci, device->guid, error);
    }
    return pvr_host_get_ibdev(host, device->ibdev, error);
}

static gboolean
verify_ibdev(PvrHost *host, const PvrIbdev *ibdev, const PvrMetaDevice *device, GError **error)
{
    return pvr_verify_port(ibdev, device, error) && pvr_verify_gid(ibdev, device, error) &&
           pvr_verify_node(host, ibdev, error);
}

/*
 * The kernel fills the GID table and reports the port's state a moment after it made the link, and
 * udev may do the same with the node.
 */
static PvrIbdev *
wait_ibdev(PvrHost *host, const PvrMetaDevice *device, guint timeout_ms, GError **error)
{
    gint64 end = g_get_monotonic_time() + timeout_ms * G_TIME_SPAN_MILLISECOND;

    for (;;) {
        g_autoptr(GError) local = NULL;
        g_autoptr(PvrIbdev) ibdev = pvr_host_get_ibdev(host, device->ibdev, &local);

        if (ibdev != NULL && verify_ibdev(host, ibdev, device, &local)) {
            return g_steal_pointer(&ibdev);
        }
        if (g_get_monotonic_time() >= end) {
            g_propagate_error(error, g_steal_pointer(&local));
            return NULL;
        }
        g_usleep(POLL_US);
    }
}

/* FALSE when a device of that name exists: it would be another one, or on another netdev. */
static gboolean
check_name_free(PvrHost *host, const PvrMetaDevice *device, GError **error)
{
    g_autoptr(GError) local = NULL;
    g_autoptr(PvrIbdev) ibdev = pvr_host_get_ibdev(host, device->ibdev, &local);

    if (ibdev != NULL) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_BUSY,
                    "cannot make the rxe link '%s' on '%s': an RDMA device '%s' on '%s' exists\n"
                    "rename or remove that one",
                    device->ibdev, device->netdev, ibdev->name,
                    ibdev->parent != NULL ? ibdev->parent : "unknown");
        return FALSE;
    }
    if (!g_error_matches(local, PVR_ERROR, PVR_ERROR_NOT_FOUND)) {
        g_propagate_error(error, g_steal_pointer(&local));
        return FALSE;
    }
    return TRUE;
}

static PvrIbdev *
make_rxe(PvrJournal *journal, PvrHost *host, const PvrMetaDevice *device,
         const PvrPrepareOptions *options, GError **error)
{
    if (!pvr_verify_netdev(host, device->netdev, error) || !check_name_free(host, device, error) ||
        !pvr_journal_run(journal,
                         pvr_step_new(PVR_STEP_RXE_ADD, device->ibdev, device->netdev, NULL),
                         error)) {
        return NULL;
    }
    return wait_ibdev(host, device, options->settle_ms, error);
}

static PvrStep *
symlink_step(const PvrMetaDevice *device, const PvrIbdev *ibdev)
{
    /* Without the root prefix: QEMU and libvirt follow it. */
    g_autofree char *target = pvr_host_plain_path(PVR_DIR_DEV_IB, ibdev->uverbs, NULL);

    return pvr_step_new(PVR_STEP_SYMLINK, device->path, target, NULL);
}

/* The node, port and GID table of a VF whose driver was bound anew come a moment later. */
static PvrIbdev *
provide_vf(PvrLease *lease, PvrJournal *journal, PvrHost *host, const PvrMetaDevice *device,
           const PvrPrepareOptions *options, GError **error)
{
    g_autoptr(PvrMetaDevice) named = pvr_meta_device_copy(device);

    if (!pvr_claim_provide_vf(lease, journal, host, device, options, error)) {
        return NULL;
    }
    g_free(named->ibdev);
    named->ibdev = g_strdup(lease->ibdev);
    return wait_ibdev(host, named, options->settle_ms, error);
}

/* Found again, because between the choice and the lock of the device anything may have happened to it. */
static PvrIbdev *
provide_ibdev(PvrLease *lease, PvrJournal *journal, PvrHost *host, const PvrMetaDevice *device,
              const PvrPrepareOptions *options, GError **error)
{
    g_autoptr(GError) local = NULL;
    g_autoptr(PvrIbdev) ibdev = NULL;

    if (pvr_backend_is_vf(device->backend)) {
        return provide_vf(lease, journal, host, device, options, error);
    }
    ibdev = pvr_claim_find_ibdev(host, device, &local);
    if (local != NULL) {
        g_propagate_error(error, g_steal_pointer(&local));
        return NULL;
    }
    if (ibdev == NULL) {
        return make_rxe(journal, host, device, options, error);
    }
    g_free(lease->ibdev);
    lease->ibdev = g_strdup(ibdev->name);
    return verify_ibdev(host, ibdev, device, error) ? g_steal_pointer(&ibdev) : NULL;
}

/* Which GID a policy has come to this time. */
static void
note_gid(PvrLease *lease, const PvrIbdev *ibdev, const PvrMetaDevice *device)
{
    const PvrGidEntry *entry = ibdev != NULL ? pvr_verify_find_gid(ibdev, device) : NULL;

    if (entry != NULL) {
        lease->gid = entry->gid;
    }
}

static gboolean
take_steps(PvrLease *lease, PvrHost *host, const PvrMetaDevice *device,
           const PvrPrepareOptions *options, GError **error)
{
    g_autoptr(PvrLock) lock =
        pvr_device_lock(host, pvr_lease_device(lease), options->lock_ms, error);
    g_autoptr(PvrJournal) journal =
        pvr_lease_journal(lease, host, options->checkpoint, options->user_data);
    g_autoptr(PvrIbdev) ibdev =
        lock != NULL ? provide_ibdev(lease, journal, host, device, options, error) : NULL;

    note_gid(lease, ibdev, device);
    return ibdev != NULL && pvr_journal_run(journal, symlink_step(device, ibdev), error);
}

/* What the device of a lease is called, and what it is on, as far as that can be told before it is made. */
typedef struct {
    char *ibdev;
    char *device;
} Choice;

static void
choice_clear(Choice *choice)
{
    g_free(choice->ibdev);
    g_free(choice->device);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Choice, choice_clear)

static gboolean
choose(PvrHost *host, const PvrMetaDevice *device, gboolean must_exist, Choice *ret_choice,
       GError **error)
{
    g_autoptr(GError) local = NULL;
    g_autoptr(PvrIbdev) ibdev = pvr_claim_find_ibdev(host, device, &local);

    if (ibdev == NULL && local == NULL && must_exist) {
        g_set_error(&local, PVR_ERROR, PVR_ERROR_NOT_FOUND, "the rxe link on '%s' is gone",
                    device->netdev);
    }
    if (local != NULL) {
        g_propagate_error(error, g_steal_pointer(&local));
        return FALSE;
    }
    ret_choice->ibdev = g_strdup(ibdev != NULL ? ibdev->name : device->ibdev);
    ret_choice->device = ibdev != NULL ? pvr_device_key_of_ibdev(host, ibdev)
                                       : pvr_device_key_of_netdev(host, device->netdev);
    return TRUE;
}

/* On failure because of a lease in the way, that one is in @ret_holder. */
static PvrLease *
record(PvrHost *host, const PvrDomainMeta *meta, const PvrMetaDevice *device,
       const PvrPrepareOptions *options, gboolean must_exist, PvrLease **ret_holder,
       GError **error)
{
    g_autoptr(PvrLock) table = pvr_lease_lock(host, options->lock_ms, error);
    g_autoptr(GPtrArray) leases = table != NULL ? pvr_lease_list(host, error) : NULL;
    g_autoptr(PvrLease) lease = NULL;
    g_auto(Choice) choice = {0};
    PvrLease *holder = NULL;
    guint index = 0;
    gboolean chosen;

    if (leases == NULL) {
        return NULL;
    }
    chosen = pvr_backend_is_vf(device->backend)
                 ? pvr_claim_choose_vf(host, meta, device, leases, must_exist, &choice.ibdev,
                                       &choice.device, &holder, error)
                 : choose(host, device, must_exist, &choice, error);
    if (!chosen && holder == NULL) {
        return NULL;
    }
    if (chosen) {
        holder = pvr_lease_find_holder(leases, choice.ibdev, device->port, choice.device);
    }
    if (!chosen || !check_holder(holder, choice.ibdev, device->port, error)) {
        g_ptr_array_find(leases, holder, &index);
        *ret_holder = g_ptr_array_steal_index(leases, index);
        return NULL;
    }
    lease = pvr_lease_new(meta->uuid, meta->name, device->id, choice.ibdev, device->port,
                          &device->gid);
    lease->device = g_steal_pointer(&choice.device);
    return pvr_lease_set_process(lease, host, PVR_LEASE_PREPARING, getpid(), error)
               ? g_steal_pointer(&lease)
               : NULL;
}

/* A second time when a holder in the way was dead. Without the table's lock then: its steps may take long. */
static PvrLease *
record_or_reap(PvrHost *host, const PvrDomainMeta *meta, const PvrMetaDevice *device,
               const PvrPrepareOptions *options, gboolean must_exist, GError **error)
{
    g_autoptr(GError) local = NULL;
    g_autoptr(PvrLease) holder = NULL;
    g_autoptr(PvrLease) later = NULL;
    PvrLease *lease = record(host, meta, device, options, must_exist, &holder, &local);

    if (lease == NULL && holder != NULL && pvr_claim_is_dead(host, holder) &&
        pvr_claim_reap(host, holder, options, NULL)) {
        g_clear_error(&local);
        lease = record(host, meta, device, options, must_exist, &later, &local);
    }
    if (lease == NULL) {
        g_propagate_error(error, g_steal_pointer(&local));
    }
    return lease;
}

PvrLease *
pvr_claim_device(PvrHost *host, const PvrDomainMeta *meta, const PvrMetaDevice *device,
                 const PvrPrepareOptions *options, GError **error)
{
    g_autoptr(PvrLease) lease = record_or_reap(host, meta, device, options, FALSE, error);

    if (lease == NULL) {
        return NULL;
    }
    if (options->checkpoint != NULL) {
        options->checkpoint("recorded lease", options->user_data);
    }
    if (!take_steps(lease, host, device, options, error)) {
        undo(lease, host, options, NULL); /* what is left then is in the lease file */
        return NULL;
    }
    return g_steal_pointer(&lease);
}

/* Borrowed; NULL when there is none. */
static const PvrStep *
recorded_symlink(const PvrLease *lease)
{
    for (guint i = lease->steps->len; i > 0; i--) {
        const PvrStep *step = g_ptr_array_index(lease->steps, i - 1);

        if (step->kind == PVR_STEP_SYMLINK) {
            return step;
        }
    }
    return NULL;
}

static gboolean
reassert_link(PvrLease *lease, PvrHost *host, const PvrMetaDevice *device, const PvrIbdev *ibdev,
              GError **error)
{
    g_autoptr(PvrStep) step = symlink_step(device, ibdev);
    const PvrStep *recorded = recorded_symlink(lease);
    g_autofree char *name = g_path_get_basename(device->path);
    g_autofree char *path = pvr_host_path(host, PVR_DIR_DEV_PVRDMA, name, NULL);
    g_autofree char *have = g_file_read_link(path, NULL);
    g_autoptr(PvrJournal) journal = NULL;

    if (recorded != NULL && strcmp(recorded->on, step->on) == 0) {
        return g_strcmp0(have, step->on) == 0 || pvr_step_do(step, host, error);
    }
    journal = pvr_lease_journal(lease, host, NULL, NULL);
    return pvr_journal_run(journal, g_steal_pointer(&step), error);
}

/* A link that was made keeps the name that its step has; that of a card may have changed since. */
static void
note_name(PvrLease *lease, const PvrIbdev *ibdev)
{
    for (guint i = 0; i < lease->steps->len; i++) {
        const PvrStep *step = g_ptr_array_index(lease->steps, i);

        if (step->kind == PVR_STEP_RXE_ADD || step->kind == PVR_STEP_RXE_DEL) {
            return;
        }
    }
    g_free(lease->ibdev);
    lease->ibdev = g_strdup(ibdev->name);
}

/* What was stored of a card finds it after a rename; of others the lease knows the name that they got. */
static PvrIbdev *
find_held(PvrHost *host, PvrLease *lease, const PvrMetaDevice *device, GError **error)
{
    PvrIbdev *ibdev = NULL;

    if (device->backend == PVR_BACKEND_IBDEV && (device->pci != NULL || device->guid != NULL)) {
        ibdev = pvr_claim_find_ibdev(host, device, error);
    } else if (pvr_backend_is_vf(device->backend) && lease->device != NULL) {
        ibdev = pvr_resolve_ibdev(host, lease->device, error);
    } else {
        ibdev = pvr_host_get_ibdev(host, lease->ibdev, error);
    }
    if (ibdev != NULL) {
        note_name(lease, ibdev);
    }
    return ibdev;
}

PvrLease *
pvr_claim_reassert(PvrHost *host, const PvrDomainMeta *meta, const PvrMetaDevice *device,
                   const PvrPrepareOptions *options, GError **error)
{
    g_autoptr(GError) local = NULL;
    g_autoptr(PvrLease) lease = pvr_lease_load(host, meta->uuid, device->id, &local);
    g_autoptr(PvrIbdev) ibdev = NULL;
    g_autoptr(PvrLock) lock = NULL;

    if (lease == NULL && !g_error_matches(local, PVR_ERROR, PVR_ERROR_NOT_FOUND)) {
        g_propagate_error(error, g_steal_pointer(&local));
        return NULL;
    }
    if (lease == NULL) {
        /* But a running guest: the state directory was lost, or the hook came later. */
        lease = record_or_reap(host, meta, device, options, TRUE, error);
    }
    ibdev = lease != NULL ? find_held(host, lease, device, error) : NULL;
    if (ibdev == NULL || !pvr_verify_node(host, ibdev, error)) {
        return NULL;
    }
    lock = pvr_device_lock(host, pvr_lease_device(lease), options->lock_ms, error);
    return lock != NULL && reassert_link(lease, host, device, ibdev, error)
               ? g_steal_pointer(&lease)
               : NULL;
}
