/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-users.h"

#include <string.h>

#include "pvr-store.h"

#define NODE_PREFIX "/dev/infiniband/uverbs"

static char *
describe(PvrHost *host, const char *pid)
{
    g_autofree char *path = pvr_host_path(host, PVR_DIR_PROC, pid, "comm", NULL);
    gsize len = 0;
    g_autofree char *comm = pvr_store_read(path, 64, &len, NULL);
    g_autofree char *valid = comm != NULL ? g_utf8_make_valid(g_strstrip(comm), -1) : NULL;

    return valid != NULL && *valid != '\0' ? g_strdup_printf("process %s (%s)", pid, valid)
                                           : g_strdup_printf("process %s", pid);
}

/* The ibdevice of a node, or NULL. */
static char *
ibdev_of(PvrHost *host, const char *node)
{
    g_autofree char *name = g_path_get_basename(node);
    g_autofree char *path = pvr_host_path(host, PVR_DIR_SYS_VERBS, name, "ibdev", NULL);
    char *text = NULL;

    g_file_get_contents(path, &text, NULL, NULL);
    return text != NULL ? g_strstrip(text) : NULL;
}

static void
scan_process(GHashTable *users, PvrHost *host, const char *pid)
{
    g_autofree char *path = pvr_host_path(host, PVR_DIR_PROC, pid, "fd", NULL);
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    const char *name;

    while (dir != NULL && (name = g_dir_read_name(dir)) != NULL) {
        g_autofree char *link = g_build_filename(path, name, NULL);
        g_autofree char *target = g_file_read_link(link, NULL);

        char *ibdev = target != NULL && g_str_has_prefix(target, NODE_PREFIX)
                          ? ibdev_of(host, target)
                          : NULL;

        if (ibdev != NULL) {
            g_hash_table_replace(users, ibdev, describe(host, pid));
        }
    }
}

GHashTable *
pvr_users_scan(PvrHost *host)
{
    GHashTable *users = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    g_autofree char *path = pvr_host_path(host, PVR_DIR_PROC, NULL);
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    const char *name;

    while (dir != NULL && (name = g_dir_read_name(dir)) != NULL) {
        if (g_ascii_isdigit(*name)) {
            scan_process(users, host, name);
        }
    }
    return users;
}
