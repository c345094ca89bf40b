/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What 'gid --why' says: each slot of the table, and whether a guest could use it. */
#pragma once

#include "pvr-cmd.h"

/* @ports: borrowed PvrPort of @ibdev. */
void pvr_gid_why_show_text(PvrCtx *ctx, const PvrIbdev *ibdev, const GPtrArray *ports);

/* "gids": [{..., usable, verdict, why}], "empty": [{first, last}], into the open object of @port. */
void pvr_gid_why_show_json(PvrCtx *ctx, JsonBuilder *builder, const PvrIbdev *ibdev,
                           const PvrPort *port);
