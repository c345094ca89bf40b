/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-undo.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pvr-error.h"
#include "pvr-store.h"
#include "pvr-xml.h"

#define LOCK_TIMEOUT_MS 10000

PvrLock *
pvr_undo_lock(PvrHost *host, GError **error)
{
    g_autofree char *path = pvr_host_path(host, PVR_DIR_LIB, "lock", NULL);

    return pvr_lock_take(path, LOCK_TIMEOUT_MS, error);
}

guint32
pvr_undo_set(const PvrDomainMeta *meta)
{
    guint32 set = 0;

    for (guint i = 0; i < meta->devices->len; i++) {
        const PvrMetaDevice *device = g_ptr_array_index(meta->devices, i);

        set |= (guint32)1 << device->id;
    }
    return set;
}

static char *
domain_dir(PvrHost *host, const char *uuid)
{
    return pvr_host_path(host, PVR_DIR_LIB, "domains", uuid, NULL);
}

static char *
record_path(PvrHost *host, const char *uuid, guint32 set)
{
    char name[16];

    g_snprintf(name, sizeof name, "%08x.xml", set);
    return pvr_host_path(host, PVR_DIR_LIB, "domains", uuid, name, NULL);
}

char *
pvr_undo_load(PvrHost *host, const char *uuid, guint32 set)
{
    g_autofree char *path = record_path(host, uuid, set);
    gsize len = 0;
    g_autofree char *xml = pvr_store_read(path, PVR_XML_MAX_BYTES, &len, NULL);
    g_autoptr(PvrDomainMeta) meta = xml ? pvr_metadata_parse_domain(xml, len, NULL) : NULL;

    if (!meta || !g_str_equal(meta->uuid, uuid) || pvr_undo_set(meta) != set) {
        return NULL;
    }
    return g_steal_pointer(&xml);
}

static gboolean
make_dir(PvrHost *host, GError **error)
{
    g_autofree char *path = pvr_host_path(host, PVR_DIR_LIB, "domains", NULL);

    if (g_mkdir_with_parents(path, 0700) < 0 || g_chmod(path, 0700) < 0) {
        int err = errno;

        pvr_set_error_errno(error,
                            err == EACCES || err == EPERM ? PVR_ERROR_PRIVILEGE : PVR_ERROR_FAILED,
                            err, "cannot make '%s'", path);
        return FALSE;
    }
    return TRUE;
}

/* A new directory is only on the medium when its parent is. */
static gboolean
sync_dir(const char *path, GError **error)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    gboolean ok = fd >= 0 && (fsync(fd) == 0 || errno == EINVAL);

    if (!ok) {
        pvr_set_error_errno(error, PVR_ERROR_FAILED, errno, "cannot sync '%s'", path);
    }
    if (fd >= 0) {
        close(fd);
    }
    return ok;
}

gboolean
pvr_undo_save(PvrHost *host, const char *uuid, guint32 set, const char *xml, GError **error)
{
    g_autofree char *path = record_path(host, uuid, set);
    g_autofree char *all = pvr_host_path(host, PVR_DIR_LIB, "domains", NULL);
    g_autofree char *lib = pvr_host_path(host, PVR_DIR_LIB, NULL);

    return make_dir(host, error) && pvr_store_write(path, xml, strlen(xml), error) &&
           sync_dir(all, error) && sync_dir(lib, error);
}

/* FALSE for a file that is no record (rubbish of an unfinished write): it goes with the domain's last. */
static gboolean
set_of_name(const char *name, guint32 *ret_set)
{
    g_autofree char *digits = g_strndup(name, 8);
    guint64 value = 0;

    if (!g_str_has_suffix(name, ".xml") || strlen(name) != 12 ||
        !g_ascii_string_to_unsigned(digits, 16, 0, G_MAXUINT32, &value, NULL)) {
        return FALSE;
    }
    *ret_set = (guint32)value;
    return TRUE;
}

static gboolean
forget_file(const char *dir, const char *name, guint32 devices, GError **error)
{
    g_autofree char *path = g_build_filename(dir, name, NULL);
    guint32 set = 0;
    gboolean known = set_of_name(name, &set);

    if (devices == G_MAXUINT32 || (known && (set & devices))) {
        return pvr_store_remove(path, error);
    }
    return TRUE;
}

gboolean
pvr_undo_forget(PvrHost *host, const char *uuid, guint32 devices, GError **error)
{
    g_autofree char *dir = domain_dir(host, uuid);
    g_autoptr(GDir) entries = g_dir_open(dir, 0, NULL);
    const char *name = NULL;

    while (entries && (name = g_dir_read_name(entries))) {
        if (!forget_file(dir, name, devices, error)) {
            return FALSE;
        }
    }
    g_rmdir(dir); /* succeeds with the last record only */
    return TRUE;
}
