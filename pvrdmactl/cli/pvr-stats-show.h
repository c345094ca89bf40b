/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What 'status --stats' says about one device. */
#pragma once

#include "pvr-cmd.h"

G_BEGIN_DECLS

typedef struct {
    const char *domain, *uuid; /* of the domain */
    int id;                    /* of 'status'; -1 if it is not ours */
    const char *alias;         /* the device's id in QEMU */
    JsonObject *now;           /* as pvr_stats_read() checked it */
    JsonObject *before;        /* NULL with the first sample */
    double seconds;            /* between the two */
    gboolean watch;            /* there are rates, even if not yet */
} PvrStatsView;

void pvr_stats_show_text(PvrCtx *ctx, const PvrStatsView *view);

/* An object, into an array. */
void pvr_stats_show_json(JsonBuilder *builder, const PvrStatsView *view);

G_END_DECLS
