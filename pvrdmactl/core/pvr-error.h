/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Errors of all our libraries.
 *
 * A message is one line that says what happened, optionally followed by '\n'
 * and a second line that says what to do. It has no program name and no final
 * full stop. Only main() prints it.
 */
#pragma once

#include <glib.h>

#define PVR_ERROR (pvr_error_quark())
GQuark pvr_error_quark(void);

/* The first four are exit codes too; see pvr_error_exit_code(). */
typedef enum {
    PVR_ERROR_FAILED = 1,
    PVR_ERROR_USAGE = 2,
    PVR_ERROR_NOT_FOUND = 3,
    PVR_ERROR_NOTHING = 4,
    PVR_ERROR_CORRUPT,      /* a file or document that we should have written is not as we write it */
    PVR_ERROR_BUSY,         /* held by somebody else, or the name is taken */
    PVR_ERROR_PRIVILEGE,    /* needs root or a capability */
    PVR_ERROR_UNSUPPORTED,  /* the kernel or the device cannot do it */
} PvrError;

/* Process exit status for an error of any domain: 0 for NULL, 1-4 as above, 1 for all others. */
int pvr_error_exit_code(const GError *error);

/* g_set_error() with errno appended as ": Text". */
void pvr_set_error_errno(GError **error, PvrError code, int err, const char *format, ...)
    G_GNUC_PRINTF(4, 5);
