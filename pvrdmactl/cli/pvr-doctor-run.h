/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The checks of doctor that ask other programs: nft, ip6tables, journalctl, libvirt's daemon. */
#pragma once

#include "pvr-cmd.h"

void pvr_doctor_run_programs(PvrCtx *ctx, guint use, GPtrArray *checks);
