/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-lease.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pvr-error.h"
#include "pvr-store.h"

/*
 * The step was recorded when neither the name nor a link on the netdev existed, so a link with
 * both is the one that was made, even if the process died before it could say so. Anything else under that
 * name is somebody else's.
 */
static gboolean
undo_rxe_add(const PvrStep *step, PvrHost *host, GError **error)
{
    g_autoptr(GError) local = NULL;
    g_autoptr(PvrIbdev) ibdev = pvr_host_get_ibdev(host, step->what, &local);

    if (ibdev != NULL && (!pvr_ibdev_is_rxe(ibdev) || g_strcmp0(ibdev->parent, step->on) != 0)) {
        return TRUE;
    }
    if (ibdev != NULL && pvr_host_ibdev_del(host, step->what, &local)) {
        return TRUE;
    }
    if (g_error_matches(local, PVR_ERROR, PVR_ERROR_NOT_FOUND)) {
        return TRUE;
    }
    g_propagate_error(error, g_steal_pointer(&local));
    return FALSE;
}

/* The name carries our key, so a link there is ours wherever it points; a file is not. */
static gboolean
undo_symlink(const PvrStep *step, PvrHost *host, GError **error)
{
    g_autofree char *name = g_path_get_basename(step->what);
    g_autofree char *path = pvr_host_path(host, PVR_DIR_DEV_PVRDMA, name, NULL);
    struct stat st;

    if (lstat(path, &st) < 0 || !S_ISLNK(st.st_mode) || unlink(path) == 0 || errno == ENOENT) {
        return TRUE;
    }
    pvr_set_error_errno(error, errno == EACCES ? PVR_ERROR_PRIVILEGE : PVR_ERROR_FAILED, errno,
                        "cannot remove '%s'", path);
    return FALSE;
}

static gboolean
undo_step(const PvrStep *step, PvrHost *host, GError **error)
{
    switch (step->kind) {
    case PVR_STEP_RXE_ADD:
        return undo_rxe_add(step, host, error);
    case PVR_STEP_SYMLINK:
        return undo_symlink(step, host, error);
    }
    g_return_val_if_reached(FALSE);
}

gboolean
pvr_lease_undo(const PvrLease *lease, PvrHost *host, GError **error)
{
    g_autofree char *path = pvr_lease_path(host, lease->uuid, lease->id);
    g_autoptr(GError) first = NULL;

    for (guint i = lease->steps->len; i > 0; i--) {
        const PvrStep *step = g_ptr_array_index(lease->steps, i - 1);

        undo_step(step, host, first == NULL ? &first : NULL);
    }
    if (first != NULL) {
        g_propagate_error(error, g_steal_pointer(&first));
        return FALSE;
    }
    return pvr_store_remove(path, error);
}
