/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Locks between processes; which there are, and in which order they are taken, is in pvr-device-lock.h. */
#pragma once

#include <glib.h>

typedef struct _PvrLock PvrLock;

/*
 * Takes the lock file @path (made, with its directory, when it is not there),
 * waiting at most @timeout_ms.  The kernel drops the lock when the process
 * ends, however it ends.  PVR_ERROR_BUSY names the process that holds it.
 */
PvrLock *pvr_lock_take(const char *path, guint timeout_ms, GError **error);

/* The same for names that come and go: the file is removed when the lock is given back. */
PvrLock *pvr_lock_take_passing(const char *path, guint timeout_ms, GError **error);

void pvr_lock_free(PvrLock *lock);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(PvrLock, pvr_lock_free)
