/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes, from PVR_DIR_PROC, and the QEMU of a domain. */
#pragma once

#include "pvr-host.h"

/*
 * Start time of @pid in clock ticks since boot (proc_pid_stat(5) field 22): with the pid it names a
 * process for good. 0 when there is no such process.
 */
guint64 pvr_proc_start_time(PvrHost *host, gint64 pid);

/* Effective capability @bit of @pid; FALSE when it cannot be read. */
gboolean pvr_proc_has_capability(PvrHost *host, gint64 pid, guint bit);

/* Soft RLIMIT_MEMLOCK of @pid in bytes, PVR_MEMLOCK_MAX when unlimited. FALSE: cannot be read. */
gboolean pvr_proc_get_memlock(PvrHost *host, gint64 pid, guint64 *ret_bytes);

/* The number in a pid file; 0 when there is none. */
gint64 pvr_proc_read_pid_file(const char *path);

/*
 * QEMU of the domain: the pid that libvirt noted under @name, if that process was started for
 * @uuid. A stale pid file whose number another process got is no answer. PVR_ERROR_NOT_FOUND.
 */
gboolean pvr_proc_find_qemu(PvrHost *host, const char *name, const char *uuid, gint64 *ret_pid,
                            GError **error);
