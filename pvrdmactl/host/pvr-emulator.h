/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Asks a QEMU binary what it can do. */
#pragma once

#include "pvr-host.h"

/*
 * The output of `EMULATOR -device WHAT`, with "help" or "MODEL,help" for @what. @emulator is a path
 * without the host's root prefix. PVR_ERROR_NOT_FOUND: no such program. PVR_ERROR_FAILED: it fails,
 * or does not end within @timeout_ms.
 */
char *pvr_emulator_ask(PvrHost *host, const char *emulator, const char *what, guint timeout_ms,
                       GError **error);

/*
 * Starts a machine with a soft device in it, without anything of the host, and ends it at once. Fails
 * as pvr_emulator_ask() does; with the first line that the emulator says.
 */
gboolean pvr_emulator_try_soft(PvrHost *host, const char *emulator, guint timeout_ms,
                               GError **error);
