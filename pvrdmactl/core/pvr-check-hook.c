/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-check.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pvr-daemon.h"
#include "pvr-proc.h"
#include "pvr-store.h"

#define CAP_SYS_RESOURCE_BIT 24 /* capability.h of the kernel */

/* An executable that only its owner may change: libvirtd runs it as root, whatever devices there are. */
static void
check_executable(const char *id, guint use, const char *path, const char *shown, GPtrArray *checks)
{
    g_autofree char *remedy = NULL;
    struct stat st;

    if (stat(path, &st) < 0 || !S_ISREG(st.st_mode)) {
        pvr_checks_add_missing(checks, id, use, PVR_CHECK_FAILED,
                               "meson install, or install the package", "'%s' is not installed",
                               shown);
    } else if ((st.st_mode & S_IXUSR) == 0) {
        remedy = g_strdup_printf("chmod 755 %s", shown);
        pvr_checks_add_missing(checks, id, use, PVR_CHECK_FAILED, remedy, "'%s' is not executable",
                               shown);
    } else if ((st.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
        remedy = g_strdup_printf("chmod go-w %s", shown);
        pvr_checks_add(checks, id, PVR_CHECK_FAILED, remedy, "'%s' can be changed by others",
                       shown);
    } else {
        pvr_checks_add(checks, id, PVR_CHECK_OK, NULL, "'%s' is installed", shown);
    }
}

/* Birth time where the file system has one, else the last change. 0: no such file. */
static gint64
file_age(const char *path)
{
    struct statx stx;

    if (statx(AT_FDCWD, path, 0, STATX_BTIME | STATX_CTIME, &stx) < 0) {
        return 0;
    }
    return (stx.stx_mask & STATX_BTIME) != 0 ? stx.stx_btime.tv_sec : stx.stx_ctime.tv_sec;
}

/* When the first of the hook files that are there now came; 0 when there is none. */
static gint64
oldest_hook(PvrHost *host)
{
    g_autofree char *dir_path = pvr_host_path(host, PVR_DIR_HOOKS, NULL);
    g_autofree char *parent = g_path_get_dirname(dir_path);
    g_autofree char *single = g_build_filename(parent, "qemu", NULL);
    g_autoptr(GDir) dir = g_dir_open(dir_path, 0, NULL);
    gint64 oldest = file_age(single);
    const char *name;

    while (dir != NULL && (name = g_dir_read_name(dir)) != NULL) {
        g_autofree char *path = g_build_filename(dir_path, name, NULL);
        gint64 age = file_age(path);

        oldest = oldest == 0 || (age != 0 && age < oldest) ? age : oldest;
    }
    return oldest;
}

/* Seconds since the epoch at which the kernel started; 0 when unknown. */
static gint64
boot_time(PvrHost *host)
{
    g_autofree char *path = pvr_host_path(host, PVR_DIR_PROC, "stat", NULL);
    gsize len = 0;
    g_autofree char *text = pvr_store_read(path, 4 << 20, &len, NULL);
    const char *line = text != NULL ? strstr(text, "\nbtime ") : NULL;

    return line != NULL ? g_ascii_strtoll(line + strlen("\nbtime "), NULL, 10) : 0;
}

/*
 * libvirt remembers at start and at SIGHUP whether there is any hook; files that come to the
 * directory later are seen at once. So only the first hook ever needs a reload.
 */
static void
check_known(PvrHost *host, guint use, const PvrDaemon *daemon, GPtrArray *checks)
{
    gint64 hook = oldest_hook(host);
    gint64 start = boot_time(host) + (gint64)daemon->start / sysconf(_SC_CLK_TCK);
    g_autofree char *remedy = g_strdup_printf(
        "systemctl reload %s, or: kill -HUP %" G_GINT64_FORMAT, daemon->name, daemon->pid);

    if (daemon->pid == 0) {
        pvr_checks_add(checks, "hook.known", PVR_CHECK_NA, NULL,
                       "neither libvirtd nor virtqemud is running");
    } else if (pvr_daemon_has_run_hook(host, daemon)) {
        pvr_checks_add(checks, "hook.known", PVR_CHECK_OK, NULL,
                       "%s (process %" G_GINT64_FORMAT ") has run it", daemon->name, daemon->pid);
    } else if (hook != 0 && hook < start) {
        pvr_checks_add(checks, "hook.known", PVR_CHECK_OK, NULL,
                       "there was a hook before %s (process %" G_GINT64_FORMAT ") started",
                       daemon->name, daemon->pid);
    } else {
        pvr_checks_add_missing(checks, "hook.known", use, PVR_CHECK_WARNING, remedy,
                               "%s (process %" G_GINT64_FORMAT ") started before there was a hook, "
                               "and has not run it yet",
                               daemon->name, daemon->pid);
    }
}

/* Without CAP_SYS_RESOURCE (a container) the hook cannot raise the limit at `started`. */
static void
check_memlock(PvrHost *host, guint use, const PvrDaemon *daemon, GPtrArray *checks)
{
    guint64 limit = 0;

    if (daemon->pid == 0) {
        pvr_checks_add(checks, "memlock.reachable", PVR_CHECK_NA, NULL,
                       "neither libvirtd nor virtqemud is running");
    } else if (pvr_proc_has_capability(host, daemon->pid, CAP_SYS_RESOURCE_BIT)) {
        pvr_checks_add(checks, "memlock.reachable", PVR_CHECK_OK, NULL,
                       "%s may raise the limit of locked memory", daemon->name);
    } else if (pvr_proc_get_memlock(host, daemon->pid, &limit) && limit == PVR_MEMLOCK_MAX) {
        pvr_checks_add(checks, "memlock.reachable", PVR_CHECK_OK, NULL,
                       "%s runs without a limit of locked memory", daemon->name);
    } else {
        pvr_checks_add_missing(
            checks, "memlock.reachable", use, PVR_CHECK_FAILED,
            "let it have CAP_SYS_RESOURCE, or set LimitMEMLOCK=infinity in its unit",
            "%s has no CAP_SYS_RESOURCE: the hook cannot raise the limit of locked memory, now "
            "%" G_GUINT64_FORMAT " bytes",
            daemon->name, limit);
    }
}

void
pvr_check_hook(PvrHost *host, const char *program, guint use, GPtrArray *checks)
{
    g_autofree char *front = pvr_host_path(host, PVR_DIR_HOOKS, "50-pvrdma", NULL);
    g_autofree char *shown = pvr_host_plain_path(PVR_DIR_HOOKS, "50-pvrdma", NULL);
    g_autofree char *behind = g_strconcat(pvr_host_get_root(host), program, NULL);
    PvrDaemon daemon = pvr_daemon_find(host);

    check_executable("hook.file", use, front, shown, checks);
    check_executable("hook.program", use, behind, program, checks);
    check_known(host, use, &daemon, checks);
    check_memlock(host, use, &daemon, checks);
}
