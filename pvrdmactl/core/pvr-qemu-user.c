/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-qemu-user.h"

#include <pwd.h>
#include <stdio.h>
#include <string.h>

#include "pvr-store.h"

#define MAX_CONF (1 << 20)

void
pvr_qemu_user_free(PvrQemuUser *user)
{
    if (user != NULL) {
        g_free(user->name);
        g_free(user);
    }
}

/* The value of a line `user = "NAME"`; NULL when there is none. */
static char *
configured_user(PvrHost *host)
{
    g_autofree char *path = pvr_host_path(host, PVR_DIR_ETC, "libvirt/qemu.conf", NULL);
    gsize len = 0;
    g_autofree char *text = pvr_store_read(path, MAX_CONF, &len, NULL);
    g_auto(GStrv) lines = g_strsplit(text != NULL ? text : "", "\n", -1);

    for (guint i = 0; lines[i] != NULL; i++) {
        g_auto(GStrv) sides = g_strsplit(lines[i], "=", 2);

        if (sides[0] != NULL && sides[1] != NULL && strcmp(g_strstrip(sides[0]), "user") == 0) {
            g_strdelimit(sides[1], "\"'", ' ');
            return g_strdup(g_strstrip(sides[1]));
        }
    }
    return NULL;
}

/* libvirt reads "+N" as a number, and anything else as a name first. */
static PvrQemuUser *
lookup(PvrHost *host, const char *name)
{
    g_autofree char *path = pvr_host_path(host, PVR_DIR_ETC, "passwd", NULL);
    FILE *file = fopen(path, "re");
    const struct passwd *entry = NULL;
    PvrQemuUser *user = NULL;
    guint64 number = 0;
    gboolean by_number =
        g_ascii_string_to_unsigned(name + (*name == '+'), 10, 0, G_MAXUINT32, &number, NULL);

    while (file != NULL && user == NULL && (entry = fgetpwent(file)) != NULL) {
        if (strcmp(entry->pw_name, name) == 0 || (by_number && entry->pw_uid == number)) {
            user = g_new0(PvrQemuUser, 1);
            user->name = g_strdup(entry->pw_name);
            user->uid = entry->pw_uid;
            user->gid = entry->pw_gid;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return user;
}

PvrQemuUser *
pvr_qemu_user_find(PvrHost *host)
{
    static const char *const usual[] = {"libvirt-qemu", "qemu"};
    g_autofree char *configured = configured_user(host);
    PvrQemuUser *user = NULL;

    if (configured != NULL) {
        return lookup(host, configured);
    }
    for (guint i = 0; user == NULL && i < G_N_ELEMENTS(usual); i++) {
        user = lookup(host, usual[i]);
    }
    return user;
}

gboolean
pvr_qemu_user_may_read_write(const PvrQemuUser *user, const struct stat *st)
{
    if (user->uid == 0) {
        return TRUE;
    }
    if (user->uid == st->st_uid) {
        return (st->st_mode & 0600) == 0600;
    }
    if (user->gid == st->st_gid) {
        return (st->st_mode & 0060) == 0060;
    }
    return (st->st_mode & 0006) == 0006;
}
