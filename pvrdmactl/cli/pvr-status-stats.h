/* SPDX-License-Identifier: GPL-2.0-or-later */
/* 'status --stats': the counters of the devices of running domains. */
#pragma once

#include "pvr-cmd.h"
#include "pvr-virt.h"

G_BEGIN_DECLS

/*
 * Of the domain with that name or UUID, which has to run, or of all (@name is NULL). With
 * @interval > 0 (seconds) again and again, until SIGINT or until there is no such domain any more.
 */
gboolean pvr_status_stats(PvrCtx *ctx, PvrVirt *virt, const char *name, double interval,
                          GError **error);

G_END_DECLS
