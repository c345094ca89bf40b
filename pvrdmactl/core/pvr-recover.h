/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a crash has left: leases whose process is gone, and journals that nobody works with any more. */
#pragma once

#include "pvr-prepare.h"

typedef struct {
    char *name;       /* of the journal, or UUID-ID of the lease */
    char *domain;     /* of a lease; NULL for a journal */
    char *state;      /* of a lease; else NULL */
    gint64 pid;       /* the process that left it; 0: not known */
    GPtrArray *steps; /* of PvrStep, in the order made; NULL when the file cannot be read */
    GError *error;    /* why it is still there; NULL: taken back, or it would be */
} PvrLeftover;

void pvr_leftover_free(PvrLeftover *leftover);

/*
 * Takes back all that there is, or only says so. Leases first: they may hold what a journal made. A journal that made
 * what a running domain holds stays, with PVR_ERROR_BUSY. Empty: nothing is left. Fails when leases or
 * journals cannot be listed, or a lease is damaged: then nobody knows what is in use.
 */
GPtrArray *pvr_recover(PvrHost *host, gboolean dry_run, const PvrPrepareOptions *options,
                       GError **error);
