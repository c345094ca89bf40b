/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Steps on rxe links, and on the names that the domain XML has for nodes. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pvr-error.h"
#include "pvr-metadata.h"
#include "pvr-step-priv.h"
#include "pvr-store.h"

#define TARGET_PREFIX "/dev/infiniband/uverbs"
#define MAX_UVERBS_DIGITS 6

/* ---- rxe links ---- */

/* The address in "pci ADDRESS", else NULL. */
static const char *
pci_of(const PvrStep *step)
{
    return pvr_step_pci_of(step->on);
}

static gboolean
check_rxe(const PvrStep *step)
{
    return pvr_ibdev_check_name(step->what, NULL) && pvr_step_check_netdev(step->on);
}

static gboolean
is_parent(const PvrStep *step, PvrHost *host, const PvrIbdev *ibdev)
{
    const char *address = pci_of(step);
    g_autoptr(PvrPci) pci = address != NULL ? pvr_host_get_pci(host, address, NULL) : NULL;

    if (address == NULL) {
        return g_strcmp0(ibdev->parent, step->on) == 0;
    }
    for (guint i = 0; pci != NULL && i < pci->netdevs->len; i++) {
        if (g_strcmp0(ibdev->parent, g_ptr_array_index(pci->netdevs, i)) == 0) {
            return TRUE;
        }
    }
    return FALSE;
}

/* The link that the step speaks of; NULL without error when there is none, or somebody else's under that name. */
static PvrIbdev *
find_link(const PvrStep *step, PvrHost *host, GError **error)
{
    g_autoptr(GError) local = NULL;
    g_autoptr(PvrIbdev) ibdev = pvr_host_get_ibdev(host, step->what, &local);

    if (ibdev == NULL) {
        pvr_step_is_gone(g_steal_pointer(&local), error);
        return NULL;
    }
    return pvr_ibdev_is_rxe(ibdev) && is_parent(step, host, ibdev) ? g_steal_pointer(&ibdev) : NULL;
}

static gboolean
add_link(const PvrStep *step, PvrHost *host, GError **error)
{
    g_autofree char *netdev = pvr_step_find_netdev(step->on, host, 0, error);

    return netdev != NULL && pvr_host_rxe_add(host, step->what, netdev, error);
}

/*
 * The step was recorded when neither the name nor a link on the netdev existed, so a link with
 * both is the one that was made, even if the process died before it could say so. Anything else under that
 * name is somebody else's.
 */
static gboolean
remove_link(const PvrStep *step, PvrHost *host, GError **error)
{
    g_autoptr(GError) local = NULL;
    g_autoptr(PvrIbdev) ibdev = find_link(step, host, &local);

    if (ibdev == NULL && local != NULL) {
        g_propagate_error(error, g_steal_pointer(&local));
        return FALSE;
    }
    return ibdev == NULL || pvr_host_ibdev_del(host, step->what, &local) ||
           pvr_step_is_gone(g_steal_pointer(&local), error);
}

/* Neither when the name is taken, nor when the netdev has another link: somebody has put them there since. */
static gboolean
put_link_back(const PvrStep *step, PvrHost *host, GError **error)
{
    g_autoptr(GError) local = NULL;
    g_autoptr(PvrIbdev) present = pvr_host_get_ibdev(host, step->what, NULL);
    g_autofree char *netdev =
        present == NULL ? pvr_step_find_netdev(step->on, host, PVR_STEP_NETDEV_WAIT_MS, &local)
                        : NULL;

    if (present != NULL || (netdev != NULL && pvr_host_rxe_add(host, step->what, netdev, &local))) {
        return TRUE;
    }
    if (g_error_matches(local, PVR_ERROR, PVR_ERROR_BUSY)) {
        return TRUE;
    }
    return pvr_step_is_gone(g_steal_pointer(&local), error);
}

const PvrStepClass pvr_step_rxe_add = {check_rxe, add_link, remove_link, FALSE};
const PvrStepClass pvr_step_rxe_del = {check_rxe, remove_link, put_link_back, FALSE};

/* ---- symbolic links ---- */

/* PVR_METADATA_LINK_DIR/UUID-ID, and nothing else. */
static gboolean
is_link_path(const char *text)
{
    const gsize prefix = strlen(PVR_METADATA_LINK_DIR "/");
    g_autofree char *uuid = NULL;
    g_autofree char *again = NULL;
    guint64 id = 0;

    if (!g_str_has_prefix(text, PVR_METADATA_LINK_DIR "/") || strlen(text) < prefix + 38 ||
        !g_ascii_string_to_unsigned(text + prefix + 37, 10, 0, G_MAXUINT8, &id, NULL)) {
        return FALSE;
    }
    uuid = g_strndup(text + prefix, 36);
    if (!g_uuid_string_is_valid(uuid)) {
        return FALSE;
    }
    again = pvr_metadata_link_path(uuid, (guint)id);
    return strcmp(again, text) == 0;
}

static gboolean
is_target(const char *text)
{
    const gsize prefix = strlen(TARGET_PREFIX);
    gsize digits;

    if (!g_str_has_prefix(text, TARGET_PREFIX)) {
        return FALSE;
    }
    digits = strspn(text + prefix, "0123456789");
    return digits > 0 && digits <= MAX_UVERBS_DIGITS && text[prefix + digits] == '\0';
}

static gboolean
check_symlink(const PvrStep *step)
{
    return is_link_path(step->what) && is_target(step->on);
}

static char *
symlink_path(const PvrStep *step, PvrHost *host)
{
    g_autofree char *name = g_path_get_basename(step->what);

    return pvr_host_path(host, PVR_DIR_DEV_PVRDMA, name, NULL);
}

static gboolean
remove_path(const char *path, GError **error)
{
    if (unlink(path) == 0 || errno == ENOENT) {
        return TRUE;
    }
    pvr_set_error_errno(error, errno == EACCES ? PVR_ERROR_PRIVILEGE : PVR_ERROR_FAILED, errno,
                        "cannot remove '%s'", path);
    return FALSE;
}

/* A symlink of that name is a left-over of ours; anything else is not ours to remove. */
static gboolean
clear_path(const char *path, GError **error)
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
    return remove_path(path, error);
}

static gboolean
make_symlink(const PvrStep *step, PvrHost *host, GError **error)
{
    g_autofree char *dir = pvr_host_path(host, PVR_DIR_DEV_PVRDMA, NULL);
    g_autofree char *path = symlink_path(step, host);

    if (!pvr_store_mkdir(dir, error) || !clear_path(path, error)) {
        return FALSE;
    }
    if (symlink(step->on, path) < 0) {
        pvr_set_error_errno(error, PVR_ERROR_FAILED, errno, "cannot make the link '%s'", path);
        return FALSE;
    }
    return TRUE;
}

/* The name carries our key, so a link there is ours wherever it points; a file is not. */
static gboolean
undo_symlink(const PvrStep *step, PvrHost *host, GError **error)
{
    g_autofree char *path = symlink_path(step, host);
    struct stat st;

    return lstat(path, &st) < 0 || !S_ISLNK(st.st_mode) || remove_path(path, error);
}

const PvrStepClass pvr_step_symlink = {check_symlink, make_symlink, undo_symlink, FALSE};
