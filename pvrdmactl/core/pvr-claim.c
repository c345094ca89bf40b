/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-claim.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pvr-error.h"
#include "pvr-proc.h"
#include "pvr-resolve.h"
#include "pvr-store.h"
#include "pvr-verify.h"

#define POLL_US 20000

static void
checkpoint(const PvrPrepareOptions *options, const char *where)
{
    if (options->checkpoint != NULL) {
        options->checkpoint(where, options->user_data);
    }
}

gboolean
pvr_claim_is_dead(PvrHost *host, const PvrLease *lease)
{
    return strcmp(lease->state, PVR_LEASE_RUNNING) == 0 &&
           pvr_proc_start_time(host, lease->pid) != lease->pid_start;
}

/*
 * The lease of a domain whose QEMU is gone stands only until libvirt runs that domain's release, or
 * for ever if the hook was away at that time. Either way it need not stop another domain: a release
 * that finds no lease is content. One that cannot be undone stays, and holds what it holds.
 */
GPtrArray *
pvr_claim_list_holders(PvrHost *host, GError **error)
{
    GPtrArray *leases = pvr_lease_list(host, error);

    for (guint i = leases != NULL ? leases->len : 0; i > 0; i--) {
        const PvrLease *lease = g_ptr_array_index(leases, i - 1);

        if (pvr_claim_is_dead(host, lease) && pvr_lease_undo(lease, host, NULL)) {
            g_ptr_array_remove_index(leases, i - 1);
        }
    }
    return leases;
}

static gboolean
check_holder(GPtrArray *leases, const char *ibdev, guint port, GError **error)
{
    const PvrLease *holder = pvr_lease_find_ibdev(leases, ibdev, port);

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
make_rxe(PvrLease *lease, PvrHost *host, const PvrMetaDevice *device,
         const PvrPrepareOptions *options, GError **error)
{
    if (!pvr_verify_netdev(host, device->netdev, error) || !check_name_free(host, device, error) ||
        !pvr_lease_record(lease, host, PVR_STEP_RXE_ADD, device->ibdev, device->netdev, error)) {
        return NULL;
    }
    checkpoint(options, "recorded rxe-add");
    if (!pvr_host_rxe_add(host, device->ibdev, device->netdev, error)) {
        /* Not made: a link that is there all the same is somebody else's, faster than we were. */
        pvr_lease_drop_step(lease);
        return NULL;
    }
    checkpoint(options, "made rxe-add");
    return wait_ibdev(host, device, options->settle_ms, error);
}

/* A symlink of that name is a left-over of ours; anything else is not ours to remove. */
static gboolean
clear_link(const char *path, GError **error)
{
    struct stat st;

    if (lstat(path, &st) < 0) {
        return TRUE;
    }
    if (!S_ISLNK(st.st_mode)) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_FAILED,
                    "'%s' is in the way: it is no symbolic link\nremove it", path);
        return FALSE;
    }
    if (unlink(path) < 0 && errno != ENOENT) {
        pvr_set_error_errno(error, PVR_ERROR_FAILED, errno, "cannot remove '%s'", path);
        return FALSE;
    }
    return TRUE;
}

static gboolean
make_link(PvrHost *host, const char *name, const char *target, GError **error)
{
    g_autofree char *dir = pvr_host_path(host, PVR_DIR_DEV_PVRDMA, NULL);
    g_autofree char *path = g_build_filename(dir, name, NULL);

    if (!pvr_store_mkdir(dir, error) || !clear_link(path, error)) {
        return FALSE;
    }
    if (symlink(target, path) < 0) {
        pvr_set_error_errno(error, PVR_ERROR_FAILED, errno, "cannot make the link '%s'", path);
        return FALSE;
    }
    return TRUE;
}

static gboolean
link_node(PvrLease *lease, PvrHost *host, const PvrMetaDevice *device, const PvrIbdev *ibdev,
          const PvrPrepareOptions *options, GError **error)
{
    /* Without the root prefix: QEMU and libvirt follow it. */
    g_autofree char *target = pvr_host_plain_path(PVR_DIR_DEV_IB, ibdev->uverbs, NULL);
    g_autofree char *name = g_path_get_basename(device->path);

    if (!pvr_lease_record(lease, host, PVR_STEP_SYMLINK, device->path, target, error)) {
        return FALSE;
    }
    checkpoint(options, "recorded symlink");
    if (!make_link(host, name, target, error)) {
        return FALSE;
    }
    checkpoint(options, "made symlink");
    return TRUE;
}

static gboolean
take_steps(PvrLease *lease, PvrHost *host, const PvrMetaDevice *device, const PvrIbdev *present,
           const PvrPrepareOptions *options, GError **error)
{
    g_autoptr(PvrIbdev) made = NULL;

    if (!pvr_lease_save(host, lease, error)) {
        return FALSE;
    }
    checkpoint(options, "recorded lease");
    if (present == NULL) {
        made = make_rxe(lease, host, device, options, error);
        present = made;
    } else if (!verify_ibdev(host, present, device, error)) {
        present = NULL;
    }
    return present != NULL && link_node(lease, host, device, present, options, error) &&
           pvr_lease_set_state(lease, host, PVR_LEASE_PREPARED, error);
}

PvrLease *
pvr_claim_device(PvrHost *host, const PvrDomainMeta *meta, const PvrMetaDevice *device,
                 GPtrArray *leases, const PvrPrepareOptions *options, GError **error)
{
    g_autoptr(GError) local = NULL;
    g_autoptr(PvrIbdev) ibdev = pvr_claim_find_ibdev(host, device, &local);
    g_autoptr(PvrLease) lease = NULL;
    const char *name = ibdev != NULL ? ibdev->name : device->ibdev;

    if (local != NULL) {
        g_propagate_error(error, g_steal_pointer(&local));
        return NULL;
    }
    if (!check_holder(leases, name, device->port, error)) {
        return NULL;
    }
    lease = pvr_lease_new(meta->uuid, meta->name, device->id, name, device->port, &device->gid);
    if (!take_steps(lease, host, device, ibdev, options, error)) {
        pvr_lease_undo(lease, host, NULL); /* what is left then is in the lease file */
        return NULL;
    }
    return g_steal_pointer(&lease);
}

/* As pvr_claim_find_ibdev(), but one that has yet to be made is an error. */
static PvrIbdev *
find_present(PvrHost *host, const PvrMetaDevice *device, GError **error)
{
    g_autoptr(GError) local = NULL;
    PvrIbdev *ibdev = pvr_claim_find_ibdev(host, device, &local);

    if (ibdev == NULL && local == NULL) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND, "the rxe link on '%s' is gone",
                    device->netdev);
    } else if (ibdev == NULL) {
        g_propagate_error(error, g_steal_pointer(&local));
    }
    return ibdev;
}

/* No lease, but a running guest: the state directory was lost, or the hook came later. */
static PvrLease *
adopt(PvrHost *host, const PvrDomainMeta *meta, const PvrMetaDevice *device, const PvrIbdev *ibdev,
      GError **error)
{
    g_autoptr(GPtrArray) leases = pvr_claim_list_holders(host, error);

    if (leases == NULL || !check_holder(leases, ibdev->name, device->port, error)) {
        return NULL;
    }
    return pvr_lease_new(meta->uuid, meta->name, device->id, ibdev->name, device->port,
                         &device->gid);
}

/* The recorded target, else NULL. Borrowed. */
static const char *
recorded_target(const PvrLease *lease)
{
    for (guint i = lease->steps->len; i > 0; i--) {
        const PvrStep *step = g_ptr_array_index(lease->steps, i - 1);

        if (step->kind == PVR_STEP_SYMLINK) {
            return step->on;
        }
    }
    return NULL;
}

static gboolean
reassert_link(PvrLease *lease, PvrHost *host, const PvrMetaDevice *device, const PvrIbdev *ibdev,
              GError **error)
{
    const PvrPrepareOptions silent = {0};
    g_autofree char *name = g_path_get_basename(device->path);
    g_autofree char *path = pvr_host_path(host, PVR_DIR_DEV_PVRDMA, name, NULL);
    g_autofree char *target = pvr_host_plain_path(PVR_DIR_DEV_IB, ibdev->uverbs, NULL);
    g_autofree char *have = g_file_read_link(path, NULL);

    if (g_strcmp0(recorded_target(lease), target) != 0) {
        return link_node(lease, host, device, ibdev, &silent, error);
    }
    return g_strcmp0(have, target) == 0 || make_link(host, name, target, error);
}

PvrLease *
pvr_claim_reassert(PvrHost *host, const PvrDomainMeta *meta, const PvrMetaDevice *device,
                   GError **error)
{
    g_autoptr(GError) local = NULL;
    g_autoptr(PvrLease) lease = pvr_lease_load(host, meta->uuid, device->id, &local);
    g_autoptr(PvrIbdev) ibdev = NULL;

    if (lease == NULL && !g_error_matches(local, PVR_ERROR, PVR_ERROR_NOT_FOUND)) {
        g_propagate_error(error, g_steal_pointer(&local));
        return NULL;
    }
    /* What was stored of a card finds it after a rename; of others the lease knows the name that they got. */
    ibdev = lease == NULL || device->pci != NULL || device->guid != NULL
                ? find_present(host, device, error)
                : pvr_host_get_ibdev(host, lease->ibdev, error);
    if (ibdev == NULL) {
        return NULL;
    }
    if (lease != NULL && strcmp(lease->ibdev, ibdev->name) != 0) {
        g_free(lease->ibdev);
        lease->ibdev = g_strdup(ibdev->name);
    }
    if (lease == NULL) {
        lease = adopt(host, meta, device, ibdev, error);
    }
    if (lease == NULL || !pvr_verify_node(host, ibdev, error) ||
        !reassert_link(lease, host, device, ibdev, error)) {
        return NULL;
    }
    return g_steal_pointer(&lease);
}
