/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-store.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pvr-error.h"

const char *
pvr_store_remedy(int err)
{
    switch (err) {
    case EACCES:
    case EPERM:
        return "\nrun this as root";
    case EROFS:
        return "\nmount that file system for writing";
    case ENOSPC:
        return "\nmake room in that file system";
    }
    return "";
}

static void
set_errno(GError **error, const char *verb, const char *path, int err)
{
    int code = err == ENOENT                   ? PVR_ERROR_NOT_FOUND
               : err == EACCES || err == EPERM ? PVR_ERROR_PRIVILEGE
                                               : PVR_ERROR_FAILED;

    g_set_error(error, PVR_ERROR, code, "cannot %s '%s': %s%s", verb, path, g_strerror(err),
                pvr_store_remedy(err));
}

static gboolean
close_fd(int *fd)
{
    int rc = close(*fd);

    *fd = -1;
    return rc == 0;
}

static char *
read_fd(int fd, const char *path, gsize max, gsize *ret_len, GError **error)
{
    g_autofree char *data = g_malloc(max + 1);
    gsize len = 0;
    gssize n;

    /* One byte more than allowed, so that a file that is too long shows. */
    while (len <= max && (n = read(fd, data + len, max + 1 - len)) != 0) {
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            set_errno(error, "read", path, errno);
            return NULL;
        }
        len += n;
    }
    if (len > max) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_CORRUPT,
                    "'%s' is longer than %" G_GSIZE_FORMAT " bytes", path, max);
        return NULL;
    }
    data[len] = '\0';
    *ret_len = len;
    return g_steal_pointer(&data);
}

char *
pvr_store_read(const char *path, gsize max, gsize *ret_len, GError **error)
{
    struct stat st;
    char *data = NULL;
    /* O_NONBLOCK: a FIFO in that place must not hang the hook. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

    if (fd < 0 && errno != ELOOP) {
        set_errno(error, "open", path, errno);
        return NULL;
    }
    if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_CORRUPT, "'%s' is not a regular file", path);
    } else {
        data = read_fd(fd, path, max, ret_len, error);
    }
    if (fd >= 0) {
        close(fd);
    }
    return data;
}

static gboolean
write_all(int fd, const char *data, gsize len)
{
    while (len > 0) {
        gssize n = write(fd, data, len);

        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return FALSE;
        }
        data += n;
        len -= n;
    }
    return TRUE;
}

static gboolean
write_tmp(const char *tmp, const char *data, gsize len, GError **error)
{
    int fd = open(tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
    gboolean ok;

    if (fd < 0) {
        set_errno(error, "create", tmp, errno);
        return FALSE;
    }
    /* fchmod: the daemon's umask must not hide leases from 'pvrdmactl list'. */
    ok = write_all(fd, data, len) && fchmod(fd, 0644) == 0 && fsync(fd) == 0;
    if (!ok) {
        set_errno(error, "write", tmp, errno);
    }
    if (!close_fd(&fd) && ok) {
        set_errno(error, "write", tmp, errno);
        ok = FALSE;
    }
    return ok;
}

static gboolean
sync_dir_of(const char *path, GError **error)
{
    g_autofree char *dir = g_path_get_dirname(path);
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    /* Some file systems cannot sync a directory and say EINVAL: nothing more can be done there. */
    gboolean ok = fd >= 0 && (fsync(fd) == 0 || errno == EINVAL);

    if (!ok) {
        set_errno(error, "sync directory", dir, errno);
    }
    if (fd >= 0) {
        close(fd);
    }
    return ok;
}

gboolean
pvr_store_mkdir(const char *path, GError **error)
{
    mode_t old = umask(022);
    int rc = g_mkdir_with_parents(path, 0755);
    int err = errno;

    umask(old);
    if (rc != 0) {
        set_errno(error, "create directory", path, err);
        return FALSE;
    }
    return TRUE;
}

gboolean
pvr_store_write(const char *path, const char *data, gsize len, GError **error)
{
    g_autofree char *dir = g_path_get_dirname(path);
    g_autofree char *tmp = g_strconcat(path, PVR_STORE_TMP_SUFFIX, NULL);

    if (!pvr_store_mkdir(dir, error)) {
        return FALSE;
    }
    if (!write_tmp(tmp, data, len, error)) {
        unlink(tmp);
        return FALSE;
    }
    if (rename(tmp, path) < 0) {
        set_errno(error, "replace", path, errno);
        unlink(tmp);
        return FALSE;
    }
    return sync_dir_of(path, error);
}

gboolean
pvr_store_remove(const char *path, GError **error)
{
    g_autofree char *tmp = g_strconcat(path, PVR_STORE_TMP_SUFFIX, NULL);

    unlink(tmp);
    if (unlink(path) < 0) {
        if (errno == ENOENT || errno == ENOTDIR) {
            return TRUE;
        }
        set_errno(error, "remove", path, errno);
        return FALSE;
    }
    return sync_dir_of(path, error);
}
