/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The user as whom libvirt runs QEMU, and what that user may do. */
#pragma once

#include <sys/stat.h>

#include "pvr-host.h"

typedef struct {
    char *name; /* as configured: may be "+107" */
    uid_t uid;
    gid_t gid;
} PvrQemuUser;

void pvr_qemu_user_free(PvrQemuUser *user);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PvrQemuUser, pvr_qemu_user_free)

/*
 * From libvirt/qemu.conf, else the users that distributions' packages use. NULL when it cannot be
 * told. Only local users (passwd(5)) are known.
 */
PvrQemuUser *pvr_qemu_user_find(PvrHost *host);

/* By the mode bits; supplementary groups do not count. */
gboolean pvr_qemu_user_may_read_write(const PvrQemuUser *user, const struct stat *st);
