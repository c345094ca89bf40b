/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-run.h"

#include "pvr-error.h"

void
pvr_run_clear(PvrRun *run)
{
    g_clear_pointer(&run->loop, g_main_loop_unref);
    g_clear_object(&run->cancel);
    g_clear_pointer(&run->out, g_free);
    g_clear_error(&run->error);
}

static void
on_done(GObject *source, GAsyncResult *result, gpointer data)
{
    PvrRun *run = data;

    g_subprocess_communicate_utf8_finish(G_SUBPROCESS(source), result, &run->out, NULL,
                                         &run->error);
    g_main_loop_quit(run->loop);
}

static gboolean
on_timeout(gpointer data)
{
    PvrRun *run = data;

    g_cancellable_cancel(run->cancel);
    return G_SOURCE_REMOVE;
}

void
pvr_run_communicate(GSubprocess *process, guint timeout_ms, PvrRun *run)
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

char *
pvr_run_output(PvrHost *host, const char *const *argv, guint timeout_ms, GError **error)
{
    g_autofree char *path = g_strconcat(pvr_host_get_root(host), argv[0], NULL);
    g_autoptr(GPtrArray) full = g_ptr_array_new();
    g_autoptr(GSubprocess) process = NULL;
    g_autoptr(GError) local = NULL;
    g_auto(PvrRun) run = {0};

    if (!g_file_test(path, G_FILE_TEST_IS_EXECUTABLE)) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND, "there is no program '%s'", argv[0]);
        return NULL;
    }
    g_ptr_array_add(full, path);
    for (guint i = 1; argv[i] != NULL; i++) {
        g_ptr_array_add(full, (gpointer)argv[i]);
    }
    g_ptr_array_add(full, NULL);
    process = g_subprocess_newv((const char *const *)full->pdata,
                                G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_SILENCE,
                                &local);
    if (process != NULL) {
        pvr_run_communicate(process, timeout_ms, &run);
    }
    if (process == NULL || run.error != NULL || !g_subprocess_get_successful(process)) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_FAILED, "'%s' failed", argv[0]);
        return NULL;
    }
    return g_steal_pointer(&run.out);
}
