/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-daemon.h"

#include <string.h>

#include "pvr-proc.h"
#include "pvr-store.h"

static const char *const daemon_names[] = {"virtqemud", "libvirtd", NULL};

/* The name of a libvirt daemon, or NULL when process @pid is none. */
static const char *
daemon_name(PvrHost *host, const char *pid)
{
    g_autofree char *path = pvr_host_path(host, PVR_DIR_PROC, pid, "comm", NULL);
    gsize len = 0;
    g_autofree char *comm = pvr_store_read(path, 64, &len, NULL);

    for (guint i = 0; comm != NULL && daemon_names[i] != NULL; i++) {
        if (strcmp(g_strchomp(comm), daemon_names[i]) == 0) {
            return daemon_names[i];
        }
    }
    return NULL;
}

static char *
note_text(gint64 pid, guint64 start)
{
    return g_strdup_printf("%" G_GINT64_FORMAT " %" G_GUINT64_FORMAT "\n", pid, start);
}

static gboolean
is_noted(PvrHost *host, const char *text)
{
    g_autofree char *path = pvr_host_path(host, PVR_DIR_RUN, "daemon", NULL);
    gsize len = 0;
    g_autofree char *have = pvr_store_read(path, 64, &len, NULL);

    return g_strcmp0(have, text) == 0;
}

void
pvr_daemon_note(PvrHost *host, gint64 pid)
{
    g_autofree char *number = g_strdup_printf("%" G_GINT64_FORMAT, pid);
    g_autofree char *path = NULL;
    g_autofree char *text = NULL;

    if (daemon_name(host, number) == NULL) {
        return;
    }
    text = note_text(pid, pvr_proc_start_time(host, pid));
    if (!is_noted(host, text)) {
        /* Once per start of the daemon; two hooks at once would write the same. */
        path = pvr_host_path(host, PVR_DIR_RUN, "daemon", NULL);
        pvr_store_write(path, text, strlen(text), NULL);
    }
}

PvrDaemon
pvr_daemon_find(PvrHost *host)
{
    g_autofree char *proc = pvr_host_path(host, PVR_DIR_PROC, NULL);
    g_autoptr(GDir) dir = g_dir_open(proc, 0, NULL);
    PvrDaemon found = {0};
    const char *entry;

    while (dir != NULL && (entry = g_dir_read_name(dir)) != NULL) {
        const char *name = g_ascii_isdigit(*entry) ? daemon_name(host, entry) : NULL;
        guint64 start;

        if (name == NULL) {
            continue;
        }
        start = pvr_proc_start_time(host, g_ascii_strtoll(entry, NULL, 10));
        /* libvirtd forks before it runs a helper: the oldest process of the name is the daemon. */
        if (found.pid == 0 || start < found.start) {
            found.pid = g_ascii_strtoll(entry, NULL, 10);
            found.start = start;
            g_strlcpy(found.name, name, sizeof(found.name));
        }
    }
    return found;
}

gboolean
pvr_daemon_has_run_hook(PvrHost *host, const PvrDaemon *daemon)
{
    g_autofree char *text = note_text(daemon->pid, daemon->start);

    return is_noted(host, text);
}
