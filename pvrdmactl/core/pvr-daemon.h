/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Does the running libvirt daemon know our hook? It looks whether there are hooks only when it
 * starts and at SIGHUP, and tells nobody. So the hook notes who ran it, which is proof; without such a
 * note there is only the age of the files.
 */
#pragma once

#include "pvr-host.h"

typedef struct {
    gint64 pid; /* 0: no daemon is running */
    guint64 start;
    char name[16]; /* "libvirtd" or "virtqemud" */
} PvrDaemon;

/* Called by the hook: notes @pid if it is a libvirt daemon. Silent in every case. */
void pvr_daemon_note(PvrHost *host, gint64 pid);

/* The libvirt daemon that runs QEMU guests on this host; pid 0 when there is none. */
PvrDaemon pvr_daemon_find(PvrHost *host);

/* TRUE when the hook was run by just this process. */
gboolean pvr_daemon_has_run_hook(PvrHost *host, const PvrDaemon *daemon);
