/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs programs and takes what they print, for a limited time. */
#pragma once

#include <gio/gio.h>

#include "pvr-host.h"

typedef struct {
    GMainLoop *loop;
    GCancellable *cancel;
    char *out;
    GError *error;
} PvrRun;

void pvr_run_clear(PvrRun *run);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(PvrRun, pvr_run_clear)

/* Reads all that @process prints; after @timeout_ms the process is killed. */
void pvr_run_communicate(GSubprocess *process, guint timeout_ms, PvrRun *run);

/*
 * What @argv prints on its standard output. @argv[0] is a path without the host's root prefix.
 * PVR_ERROR_NOT_FOUND: no such program. PVR_ERROR_FAILED: it fails, or does not end in time.
 */
char *pvr_run_output(PvrHost *host, const char *const *argv, guint timeout_ms, GError **error);
