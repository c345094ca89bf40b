/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pvr-store and pvr-lock: durable small files, one writer at a time. */
#include <string.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pvr-error.h"
#include "pvr-fake-host.h"
#include "pvr-lock.h"
#include "pvr-store.h"

typedef struct {
    char *root;
    char *path;
} Fixture;

static void
setup(Fixture *f, gconstpointer data)
{
    f->root = pvr_fake_root_new();
    f->path = g_build_filename(f->root, "a/b/file", NULL);
}

static void
teardown(Fixture *f, gconstpointer data)
{
    g_free(f->path);
    pvr_fake_root_free(f->root);
}

static void
write_ok(const char *path, const char *text)
{
    GError *error = NULL;

    g_assert_true(pvr_store_write(path, text, strlen(text), &error));
    g_assert_no_error(error);
}

static void
assert_content(const char *path, const char *want)
{
    g_autoptr(GError) error = NULL;
    gsize len = 99;
    g_autofree char *data = pvr_store_read(path, 100, &len, &error);

    g_assert_no_error(error);
    g_assert_cmpmem(data, len + 1, want, strlen(want) + 1);
}

static void
test_round_trip(Fixture *f, gconstpointer data)
{
    struct stat st;
    mode_t old = umask(077);

    write_ok(f->path, "first, and longer");
    write_ok(f->path, "second");
    umask(old);
    assert_content(f->path, "second");
    g_assert_cmpint(stat(f->path, &st), ==, 0);
    g_assert_cmpint(st.st_mode & 07777, ==, 0644);
}

static void
test_write_fails(Fixture *f, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *in_file = g_build_filename(f->path, "x", NULL);

    write_ok(f->path, "kept");
    g_assert_false(pvr_store_write(in_file, "lost", 4, &error));
    g_assert_error(error, PVR_ERROR, PVR_ERROR_FAILED);
    assert_content(f->path, "kept");
}

/* A directory in the place of the file: rename fails, and the temporary file goes. */
static void
test_rename_fails(Fixture *f, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *tmp = g_strconcat(f->path, PVR_STORE_TMP_SUFFIX, NULL);

    pvr_fake_write(f->root, "a/b/file/x", "");
    g_assert_false(pvr_store_write(f->path, "lost", 4, &error));
    g_assert_nonnull(strstr(error->message, "cannot replace"));
    g_assert_false(g_file_test(tmp, G_FILE_TEST_EXISTS));
}

static void
assert_read_fails(const char *path, gsize max, int code)
{
    g_autoptr(GError) error = NULL;
    gsize len = 77;

    g_assert_null(pvr_store_read(path, max, &len, &error));
    g_assert_error(error, PVR_ERROR, code);
    g_assert_cmpuint(len, ==, 77);
}

static void
test_read_fails(Fixture *f, gconstpointer data)
{
    g_autofree char *link = g_build_filename(f->root, "link", NULL);
    g_autofree char *fifo = g_build_filename(f->root, "fifo", NULL);

    assert_read_fails(f->path, 10, PVR_ERROR_NOT_FOUND);
    write_ok(f->path, "12345678901");
    assert_read_fails(f->path, 10, PVR_ERROR_CORRUPT);
    g_assert_cmpint(symlink(f->path, link), ==, 0);
    assert_read_fails(link, 100, PVR_ERROR_CORRUPT);
    g_assert_cmpint(mkfifo(fifo, 0600), ==, 0);
    assert_read_fails(fifo, 100, PVR_ERROR_CORRUPT);
    assert_read_fails(f->root, 100, PVR_ERROR_CORRUPT);
}

static void
test_remove(Fixture *f, gconstpointer data)
{
    g_autofree char *tmp = g_strconcat(f->path, PVR_STORE_TMP_SUFFIX, NULL);
    GError *error = NULL;

    write_ok(f->path, "x");
    pvr_fake_write(f->root, "a/b/file" PVR_STORE_TMP_SUFFIX, "half a wri");
    g_assert_true(pvr_store_remove(f->path, &error));
    g_assert_false(g_file_test(f->path, G_FILE_TEST_EXISTS));
    g_assert_false(g_file_test(tmp, G_FILE_TEST_EXISTS));
    g_assert_true(pvr_store_remove(f->path, &error));
    g_assert_no_error(error);
}

/* A child takes the lock, says so, and holds it until it is killed. */
static pid_t
start_holder(const char *path)
{
    int ready[2];
    char byte;
    pid_t pid;

    g_assert_cmpint(pipe(ready), ==, 0);
    pid = fork();
    if (pid == 0) {
        if (pvr_lock_take(path, 0, NULL) == NULL || write(ready[1], "x", 1) != 1) {
            _exit(1);
        }
        pause();
        _exit(0);
    }
    close(ready[1]);
    g_assert_cmpint(read(ready[0], &byte, 1), ==, 1);
    close(ready[0]);
    return pid;
}

static void
test_lock_busy(Fixture *f, gconstpointer data)
{
    g_autofree char *path = g_build_filename(f->root, "run/lock", NULL);
    g_autofree char *who = NULL;
    g_autoptr(GError) error = NULL;
    g_autoptr(PvrLock) lock = NULL;
    pid_t pid = start_holder(path);
    gint64 start = g_get_monotonic_time();

    lock = pvr_lock_take(path, 60, &error);
    g_assert_null(lock);
    g_assert_error(error, PVR_ERROR, PVR_ERROR_BUSY);
    g_assert_cmpint(g_get_monotonic_time() - start, >=, 60000);
    who = g_strdup_printf("process %d ", (int)pid);
    g_assert_nonnull(strstr(error->message, who));

    /* The kernel frees the lock of a process that was killed. */
    g_assert_cmpint(kill(pid, SIGKILL), ==, 0);
    g_assert_cmpint(waitpid(pid, NULL, 0), ==, pid);
    lock = pvr_lock_take(path, 0, NULL);
    g_assert_nonnull(lock);
}

static void
test_lock_again(Fixture *f, gconstpointer data)
{
    g_autofree char *path = g_build_filename(f->root, "lock", NULL);
    g_autoptr(GError) error = NULL;

    for (int i = 0; i < 3; i++) {
        g_autoptr(PvrLock) lock = pvr_lock_take(path, 0, &error);

        g_assert_no_error(error);
        g_assert_nonnull(lock);
    }
}

static void
test_lock_fails(Fixture *f, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *inside = g_build_filename(f->path, "lock", NULL);

    write_ok(f->path, "a file, not a directory");
    g_assert_null(pvr_lock_take(inside, 0, &error));
    g_assert_error(error, PVR_ERROR, PVR_ERROR_FAILED);
    g_clear_error(&error);
    g_assert_null(pvr_lock_take(f->root, 0, &error));
    g_assert_error(error, PVR_ERROR, PVR_ERROR_FAILED);
}

#define ADD(path, func) g_test_add(path, Fixture, NULL, setup, func, teardown)

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ADD("/store/round-trip", test_round_trip);
    ADD("/store/write-fails", test_write_fails);
    ADD("/store/rename-fails", test_rename_fails);
    ADD("/store/read-fails", test_read_fails);
    ADD("/store/remove", test_remove);
    ADD("/lock/busy", test_lock_busy);
    ADD("/lock/again", test_lock_again);
    ADD("/lock/fails", test_lock_fails);
    return g_test_run();
}
