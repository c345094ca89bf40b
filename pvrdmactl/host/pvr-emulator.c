/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-emulator.h"

#include <gio/gio.h>

#include "pvr-error.h"

typedef struct {
    GMainLoop *loop;
    GCancellable *cancel;
    char *out;
    GError *error;
} Run;

static void
run_clear(Run *run)
{
    g_clear_pointer(&run->loop, g_main_loop_unref);
    g_clear_object(&run->cancel);
    g_clear_pointer(&run->out, g_free);
    g_clear_error(&run->error);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Run, run_clear)

static void
on_done(GObject *source, GAsyncResult *result, gpointer data)
{
    Run *run = data;

    g_subprocess_communicate_utf8_finish(G_SUBPROCESS(source), result, &run->out, NULL,
                                         &run->error);
    g_main_loop_quit(run->loop);
}

static gboolean
on_timeout(gpointer data)
{
    Run *run = data;

    g_cancellable_cancel(run->cancel);
    return G_SOURCE_REMOVE;
}

/* Reads all that @process prints; after @timeout_ms the process is killed. */
static void
communicate(GSubprocess *process, guint timeout_ms, Run *run)
{
    g_autoptr(GMainContext) context = g_main_context_new();
    g_autoptr(GSource) timer = g_timeout_source_new(timeout_ms);

    g_main_context_push_thread_default(context);
    run->loop = g_main_loop_new(context, FALSE);
    run->cancel = g_cancellable_new();
    g_source_set_callback(timer, on_timeout, run, NULL);
    g_source_attach(timer, context);
    g_subprocess_communicate_utf8_async(process, NULL, run->cancel, on_done, run);
    g_main_loop_run(run->loop);
    g_source_destroy(timer);
    if (run->error != NULL) {
        g_subprocess_force_exit(process);
    }
    g_subprocess_wait(process, NULL, NULL);
    g_main_context_pop_thread_default(context);
}

static GSubprocess *
start(const char *path, const char *what, GError **error)
{
    g_autoptr(GSubprocessLauncher) launcher = g_subprocess_launcher_new(
        G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_SILENCE);
    const char *const argv[] = {path, "-nodefaults", "-machine", "none", "-device", what, NULL};

    return g_subprocess_launcher_spawnv(launcher, argv, error);
}

char *
pvr_emulator_ask(PvrHost *host, const char *emulator, const char *what, guint timeout_ms,
                 GError **error)
{
    g_autofree char *path = g_strconcat(pvr_host_get_root(host), emulator, NULL);
    g_autoptr(GSubprocess) process = NULL;
    g_auto(Run) run = {0};
    g_autoptr(GError) local = NULL;

    if (!g_file_test(path, G_FILE_TEST_IS_EXECUTABLE)) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND,
                    "there is no program '%s'\ninstall QEMU, or correct <emulator>", emulator);
        return NULL;
    }
    process = start(path, what, &local);
    if (process == NULL) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_FAILED, "cannot run '%s': %s", emulator,
                    local->message);
        return NULL;
    }
    communicate(process, timeout_ms, &run);
    if (g_error_matches(run.error, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_FAILED, "'%s -device help' did not end within %u s",
                    emulator, timeout_ms / 1000);
        return NULL;
    }
    if (run.error != NULL || !g_subprocess_get_successful(process)) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_FAILED, "'%s -device %s' failed%s%s", emulator,
                    what, run.error != NULL ? ": " : "",
                    run.error != NULL ? run.error->message : "");
        return NULL;
    }
    return g_steal_pointer(&run.out);
}
