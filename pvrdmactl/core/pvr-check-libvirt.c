/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which libvirt there is, what it does at shutdown, and what a security module has denied. */
#include <stdio.h>
#include <string.h>

#include "pvr-check-priv.h"
#include "pvr-store.h"

#define MAX_FILE (1 << 20)

/* Until 8.5 libvirt could crash over <qemu:override>; with less than 9.0 nobody has tried. */
static void
check_version(const char *version, guint use, GPtrArray *checks)
{
    const char *number = version != NULL ? strstr(version, "(libvirt) ") : NULL;
    guint major = 0, minor = 0;

    if (number == NULL || sscanf(number, "(libvirt) %3u.%3u", &major, &minor) != 2) {
        pvr_checks_add(checks, "libvirt.version", PVR_CHECK_NA, NULL,
                       "neither libvirtd nor virtqemud tells its version");
    } else if (major < 9) {
        pvr_checks_add(checks, "libvirt.version",
                       use != 0 ? PVR_CHECK_FAILED : PVR_CHECK_WARNING,
                       "install libvirt 9.0 or later", "libvirt is %u.%u", major, minor);
    } else {
        pvr_checks_add(checks, "libvirt.version", PVR_CHECK_OK, NULL, "libvirt is %u.%u", major,
                       minor);
    }
}

/* The last assignment of a shell variable that is no comment; NULL when there is none. */
static char *
shell_value(PvrHost *host, PvrDir dir, const char *file, const char *name)
{
    g_autofree char *path = pvr_host_path(host, dir, file, NULL);
    g_autofree char *prefix = g_strconcat(name, "=", NULL);
    gsize len = 0;
    g_autofree char *text = pvr_store_read(path, MAX_FILE, &len, NULL);
    g_auto(GStrv) lines = g_strsplit(text != NULL ? text : "", "\n", -1);
    char *value = NULL;

    for (guint i = 0; lines[i] != NULL; i++) {
        if (g_str_has_prefix(lines[i], prefix)) {
            g_free(value);
            value = g_strdup(g_strstrip(g_strdelimit(lines[i] + strlen(prefix), "\"'", ' ')));
        }
    }
    return value;
}

static void
check_shutdown(PvrHost *host, GPtrArray *checks)
{
    g_autofree char *debian =
        shell_value(host, PVR_DIR_ETC, "default/libvirt-guests", "ON_SHUTDOWN");
    g_autofree char *fedora =
        shell_value(host, PVR_DIR_ETC, "sysconfig/libvirt-guests", "ON_SHUTDOWN");
    g_autofree char *script =
        shell_value(host, PVR_DIR_ROOT, "usr/lib/libvirt/libvirt-guests.sh", "ON_SHUTDOWN");
    g_autofree char *script2 =
        shell_value(host, PVR_DIR_ROOT, "usr/libexec/libvirt-guests.sh", "ON_SHUTDOWN");
    const char *values[] = {debian, fedora, script, script2};
    const char *value = NULL;

    for (guint i = 0; value == NULL && i < G_N_ELEMENTS(values); i++) {
        value = values[i];
    }
    if (value == NULL) {
        pvr_checks_add(checks, "libvirt.shutdown", PVR_CHECK_NA, NULL,
                       "there is no libvirt-guests");
    } else if (strcmp(value, "suspend") == 0) {
        pvr_checks_add(checks, "libvirt.shutdown", PVR_CHECK_WARNING,
                       "set ON_SHUTDOWN=shutdown in /etc/default/libvirt-guests or "
                       "/etc/sysconfig/libvirt-guests",
                       "libvirt-guests saves guests when the host shuts down, which fails for those "
                       "with RDMA");
    } else {
        pvr_checks_add(checks, "libvirt.shutdown", PVR_CHECK_OK, NULL,
                       "libvirt-guests does not save guests when the host shuts down");
    }
}

void
pvr_check_libvirt(PvrHost *host, const char *version, guint use, GPtrArray *checks)
{
    check_version(version, use, checks);
    check_shutdown(host, checks);
}

/* Lines of AppArmor and of SELinux both say "denied" (one in capitals) and name what was wanted. */
static gboolean
is_denial(const char *line)
{
    static const char *const objects[] = {"infiniband", "uverbs", "/dev/pvrdma",
                                          "netlink_rdma_socket"};

    if (strstr(line, "denied") == NULL && strstr(line, "DENIED") == NULL) {
        return FALSE;
    }
    for (guint i = 0; i < G_N_ELEMENTS(objects); i++) {
        if (strstr(line, objects[i]) != NULL) {
            return TRUE;
        }
    }
    return FALSE;
}

void
pvr_check_denials(const char *log, guint use, GPtrArray *checks)
{
    g_auto(GStrv) lines = g_strsplit(log != NULL ? log : "", "\n", -1);
    const char *last = NULL;

    for (guint i = 0; lines[i] != NULL; i++) {
        last = is_denial(lines[i]) ? lines[i] : last;
    }
    if (log == NULL) {
        pvr_checks_add(checks, "security.denials", PVR_CHECK_NA, NULL,
                       "the journal cannot be read (it takes root)");
    } else if (last != NULL) {
        pvr_checks_add_missing(checks, "security.denials", use, PVR_CHECK_WARNING,
                               "AppArmor: see apparmor.rules; SELinux: ausearch -m avc -ts boot | "
                               "audit2allow -M pvrdma-local && semodule -i pvrdma-local.pp",
                               "since boot, access to RDMA was denied: %.200s", last);
    } else {
        pvr_checks_add(checks, "security.denials", PVR_CHECK_OK, NULL,
                       "since boot, no security module has denied access to RDMA");
    }
}
