/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pvr-error.h"
#include "pvr-store.h"

#define POLL_US 10000

struct _PvrLock {
    int fd;
    char *path; /* of a file that is to go with the lock; else NULL */
};

/*
 * An open-file-description lock: it is not lost when some library closes
 * another descriptor of the same file, as a plain POSIX lock would be.
 */
static gboolean
try_lock(int fd)
{
    struct flock fl = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    return fcntl(fd, F_OFD_SETLK, &fl) == 0;
}

/* The kernel does not tell the owner of an OFD lock, so the holder writes its pid into the file. */
static void
write_holder(int fd)
{
    char text[32];
    int len = g_snprintf(text, sizeof(text), "%ld\n", (long)getpid());

    if (ftruncate(fd, 0) < 0 || pwrite(fd, text, len, 0) != len) {
        g_debug("cannot note the holder in the lock file: %s", g_strerror(errno));
    }
}

static void
set_busy(int fd, const char *path, guint timeout_ms, GError **error)
{
    char text[32] = "";
    g_autofree char *holder = NULL;
    gint64 pid = 0;
    gssize n = pread(fd, text, sizeof(text) - 1, 0);

    if (n > 0) {
        pid = g_ascii_strtoll(text, NULL, 10);
    }
    holder =
        pid > 0 ? g_strdup_printf("process %" G_GINT64_FORMAT, pid) : g_strdup("another process");
    g_set_error(error, PVR_ERROR, PVR_ERROR_BUSY,
                "'%s' has been held by %s for more than %u.%u s\n"
                "try again; if that process hangs, end it: the lock goes with it",
                path, holder, timeout_ms / 1000, timeout_ms % 1000 / 100);
}

static gboolean
wait_lock(int fd, const char *path, guint timeout_ms, GError **error)
{
    gint64 end = g_get_monotonic_time() + timeout_ms * G_TIME_SPAN_MILLISECOND;

    while (!try_lock(fd)) {
        if (errno != EAGAIN && errno != EACCES && errno != EINTR) {
            g_set_error(error, PVR_ERROR, PVR_ERROR_FAILED, "cannot lock '%s': %s", path,
                        g_strerror(errno));
            return FALSE;
        }
        if (g_get_monotonic_time() >= end) {
            set_busy(fd, path, timeout_ms, error);
            return FALSE;
        }
        g_usleep(POLL_US);
    }
    return TRUE;
}

static int
open_file(const char *path, GError **error)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

    if (fd < 0) {
        const int err = errno;

        g_set_error(error, PVR_ERROR, err == EACCES ? PVR_ERROR_PRIVILEGE : PVR_ERROR_FAILED,
                    "cannot open lock file '%s': %s%s", path, g_strerror(err),
                    pvr_store_remedy(err));
    }
    return fd;
}

/* FALSE when the former holder has removed the file, so that others lock a new one. */
static gboolean
is_still_there(int fd, const char *path)
{
    struct stat mine, there;

    return fstat(fd, &mine) == 0 && lstat(path, &there) == 0 && mine.st_ino == there.st_ino &&
           mine.st_dev == there.st_dev;
}

/* The descriptor, or -1. */
static int
open_locked(const char *path, guint timeout_ms, GError **error)
{
    for (;;) {
        int fd = open_file(path, error);

        if (fd < 0) {
            return -1;
        }
        if (!wait_lock(fd, path, timeout_ms, error)) {
            close(fd);
            return -1;
        }
        if (is_still_there(fd, path)) {
            return fd;
        }
        close(fd);
    }
}

PvrLock *
pvr_lock_take(const char *path, guint timeout_ms, GError **error)
{
    g_autofree char *dir = g_path_get_dirname(path);
    PvrLock *lock;
    int fd;

    if (!pvr_store_mkdir(dir, error)) {
        return NULL;
    }
    fd = open_locked(path, timeout_ms, error);
    if (fd < 0) {
        return NULL;
    }
    write_holder(fd);
    lock = g_new0(PvrLock, 1);
    lock->fd = fd;
    return lock;
}

PvrLock *
pvr_lock_take_passing(const char *path, guint timeout_ms, GError **error)
{
    PvrLock *lock = pvr_lock_take(path, timeout_ms, error);

    if (lock != NULL) {
        lock->path = g_strdup(path);
    }
    return lock;
}

void
pvr_lock_free(PvrLock *lock)
{
    if (lock != NULL) {
        if (lock->path != NULL) {
            unlink(lock->path); /* while it is held: nobody else can have locked this one */
        }
        close(lock->fd);
        g_free(lock->path);
        g_free(lock);
    }
}
