/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The counters that QEMU's pvrdma devices keep, asked for by QMP. The way to the monitor is the
 * caller's.
 */
#pragma once

#include <glib.h>
#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* Sends one QMP command, @data is the caller's; the reply, or NULL with an error. */
typedef char *(*PvrMonitor)(gpointer data, const char *command, GError **error);

/* The ids (char *, sorted) of the pvrdma devices that have one. */
GPtrArray *pvr_stats_list(PvrMonitor monitor, gpointer data, GError **error);

/*
 * The property 'stats' of the device: an object whose members have been checked to be
 *   "backend" and, not with each backend, "host-device": strings; "port": integer
 *   "counters": an object of integers
 *   "objects": an object of {"used", "limit"}, integers
 *   "qps": an array of {"type", "state"}, strings, and integers
 * and which may have more. PVR_ERROR_NOT_FOUND if the device is gone, PVR_ERROR_UNSUPPORTED if it
 * is of a QEMU that has no such property.
 */
JsonNode *pvr_stats_read(PvrMonitor monitor, gpointer data, const char *id, GError **error);

G_END_DECLS
