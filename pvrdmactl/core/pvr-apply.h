/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes the host what the configuration declares. Each declared thing has a lock and a journal of its own. */
#pragma once

#include "pvr-conf.h"
#include "pvr-journal.h"

G_BEGIN_DECLS

typedef struct {
    gboolean dry_run;
    const char *only_pf; /* PCI address: just this PF and the links on it and its VFs; NULL: all */
    guint lock_ms;       /* how long to wait for each lock */
    guint settle_ms;     /* how long a netdev of a VF may take to appear */
    PvrCheckpoint checkpoint; /* may be NULL */
    gpointer user_data;
} PvrApplyOptions;

extern const PvrApplyOptions pvr_apply_defaults;

typedef enum {
    PVR_APPLY_OK,      /* it was so before */
    PVR_APPLY_CHANGED, /* dry run: it would be changed */
    PVR_APPLY_FAILED,  /* and is as before */
} PvrApplyState;

typedef struct {
    char *what; /* "PF 0000:3b:00.0", "link rxe0" */
    PvrApplyState state;
    char *text;    /* "8 VFs (before: 0)"; of a failure the first line of its error */
    GError *error; /* of a failure */
} PvrApplyResult;

/*
 * Of PvrApplyResult, for each PF and then each link, in the order of declaration. What fails does not keep the rest
 * from being made.
 */
GPtrArray *pvr_apply(PvrHost *host, const PvrConf *conf, const PvrApplyOptions *options);

/* The PFs with VFs and the links of the host, except links that were made for a domain. No pools. */
PvrConf *pvr_apply_export(PvrHost *host, GError **error);

G_END_DECLS
