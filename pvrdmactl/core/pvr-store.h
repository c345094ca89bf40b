/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Small state files that survive a crash: a reader sees the old content or
 * the new one, never a mixture, and a completed write is on the medium.
 */
#pragma once

#include <glib.h>

/* What the name of an unfinished write ends with; such files are rubbish. */
#define PVR_STORE_TMP_SUFFIX ".tmp"

/*
 * Whole content of the regular file @path (symlinks are not followed), with a
 * NUL added after its @ret_len bytes.  Owned by the caller.
 * PVR_ERROR_NOT_FOUND: no such file.  PVR_ERROR_CORRUPT: longer than @max bytes or
 * not a regular file.
 */
char *pvr_store_read(const char *path, gsize max, gsize *ret_len, GError **error);

/*
 * Replaces @path by @len bytes of @data, mode 0644: temporary file beside it,
 * fsync, rename, fsync of the directory.  Directories that lack are made
 * (0755).  One writer at a time: callers hold a PvrLock.
 */
gboolean pvr_store_write(const char *path, const char *data, gsize len, GError **error);

/* Removes @path and what an unfinished write of it left behind.  A file that is not there is no error. */
gboolean pvr_store_remove(const char *path, GError **error);

/* The second line of a message, with the '\n' before it, for an errno of a state file; "": none. */
const char *pvr_store_remedy(int err);

/* Makes @path and its parents, mode 0755. */
gboolean pvr_store_mkdir(const char *path, GError **error);
