/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the commands that change VFs print. */
#pragma once

#include "pvr-cmd.h"
#include "pvr-vf-change.h"

/* --timeout in seconds, in the options of each of these commands. */
#define PVR_VF_TIMEOUT 30
gboolean pvr_vf_check_timeout(int seconds, GError **error);

/* Waits that long; in text mode it says what for. */
void pvr_vf_change_init(PvrVfChange *change, PvrCtx *ctx, int timeout);

/* One VF as it is now. @note may be NULL. */
void pvr_vf_show(PvrCtx *ctx, const PvrPci *vf, const char *note);
void pvr_vf_show_json(PvrCtx *ctx, JsonBuilder *builder, const PvrPci *vf, const char *note);
