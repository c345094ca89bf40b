/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-proc.h"

#include <string.h>

#include "pvr-error.h"
#include "pvr-store.h"

#define MAX_PROC_FILE (1 << 20) /* a command line may be long; everything else is short */
#define FIELDS_TO_START 19      /* from the state (field 3) to the start time (field 22) */

static char *
read_proc(PvrHost *host, gint64 pid, const char *file, gsize *ret_len)
{
    g_autofree char *number = g_strdup_printf("%" G_GINT64_FORMAT, pid);
    g_autofree char *path = pvr_host_path(host, PVR_DIR_PROC, number, file, NULL);

    return pvr_store_read(path, MAX_PROC_FILE, ret_len, NULL);
}

guint64
pvr_proc_start_time(PvrHost *host, gint64 pid)
{
    gsize len = 0;
    g_autofree char *stat = read_proc(host, pid, "stat", &len);
    const char *field;

    /* The name in field 2 may contain blanks and ')': the last one ends it. */
    field = stat != NULL ? strrchr(stat, ')') : NULL;
    if (field == NULL || field[1] != ' ') {
        return 0;
    }
    field += 2;
    for (int i = 0; i < FIELDS_TO_START && field != NULL; i++) {
        field = strchr(field, ' ');
        field = field != NULL ? field + 1 : NULL;
    }
    return field != NULL ? g_ascii_strtoull(field, NULL, 10) : 0;
}

/* What follows @key at the start of a line of /proc/PID/@file, or NULL. */
static char *
read_line(PvrHost *host, gint64 pid, const char *file, const char *key)
{
    gsize len = 0;
    g_autofree char *text = read_proc(host, pid, file, &len);
    g_auto(GStrv) lines = g_strsplit(text != NULL ? text : "", "\n", -1);

    for (guint i = 0; lines[i] != NULL; i++) {
        if (g_str_has_prefix(lines[i], key)) {
            return g_strstrip(g_strdup(lines[i] + strlen(key)));
        }
    }
    return NULL;
}

gboolean
pvr_proc_has_capability(PvrHost *host, gint64 pid, guint bit)
{
    g_autofree char *mask = read_line(host, pid, "status", "CapEff:");

    return mask != NULL && (g_ascii_strtoull(mask, NULL, 16) >> bit & 1) != 0;
}

gboolean
pvr_proc_get_memlock(PvrHost *host, gint64 pid, guint64 *ret_bytes)
{
    g_autofree char *limit = read_line(host, pid, "limits", "Max locked memory");

    if (limit == NULL) {
        return FALSE;
    }
    *ret_bytes =
        g_str_has_prefix(limit, "unlimited") ? PVR_MEMLOCK_MAX : g_ascii_strtoull(limit, NULL, 10);
    return TRUE;
}

gint64
pvr_proc_read_pid_file(const char *path)
{
    gsize len = 0;
    g_autofree char *text = pvr_store_read(path, 64, &len, NULL);
    gint64 pid = 0;

    if (text == NULL ||
        !g_ascii_string_to_signed(g_strstrip(text), 10, 1, G_MAXINT32, &pid, NULL)) {
        return 0;
    }
    return pid;
}

/* libvirt always passes "-uuid UUID"; the domain's name may have changed since. */
static gboolean
is_qemu_of(PvrHost *host, gint64 pid, const char *uuid)
{
    gsize len = 0;
    g_autofree char *args = read_proc(host, pid, "cmdline", &len);
    gboolean after_option = FALSE;

    /* NUL-separated; pvr_store_read() ends it with a further NUL. */
    for (gsize at = 0; args != NULL && at < len; at += strlen(args + at) + 1) {
        if (after_option && g_ascii_strcasecmp(args + at, uuid) == 0) {
            return TRUE;
        }
        after_option = strcmp(args + at, "-uuid") == 0;
    }
    return FALSE;
}

gboolean
pvr_proc_find_qemu(PvrHost *host, const char *name, const char *uuid, gint64 *ret_pid,
                   GError **error)
{
    g_autofree char *file = g_strconcat(name, ".pid", NULL);
    g_autofree char *path = pvr_host_path(host, PVR_DIR_RUN_QEMU, file, NULL);
    gint64 pid = pvr_proc_read_pid_file(path);

    if (pid == 0) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND, "there is no process number in '%s'",
                    path);
        return FALSE;
    }
    if (!is_qemu_of(host, pid, uuid)) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND,
                    "process %" G_GINT64_FORMAT " of '%s' is not the QEMU of domain %s", pid, path,
                    uuid);
        return FALSE;
    }
    *ret_pid = pid;
    return TRUE;
}
