/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The checks of `pvrdmactl doctor`, one file per group. A check never fails as a function: what it
 * cannot find out is part of its result.
 */
#pragma once

#include "pvr-host.h"

typedef enum {
    PVR_CHECK_OK,
    PVR_CHECK_NA, /* does not apply here, or cannot be told */
    PVR_CHECK_WARNING,
    PVR_CHECK_FAILED,
} PvrCheckState; /* from good to bad */

typedef struct {
    char *id; /* an interface, as in "hook.file" */
    PvrCheckState state;
    char *evidence;
    char *remedy; /* something to type or to do; NULL when there is nothing to do */
} PvrCheck;

/* An empty list of PvrCheck. */
GPtrArray *pvr_checks_new(void);

/* @remedy may be NULL. */
void pvr_checks_add(GPtrArray *checks, const char *id, PvrCheckState state, const char *remedy,
                    const char *evidence, ...) G_GNUC_PRINTF(5, 6);

/* @bad with the two lines of @error as evidence and remedy, or OK with @evidence when it is NULL. */
void pvr_checks_add_result(GPtrArray *checks, const char *id, PvrCheckState bad,
                           const GError *error, const char *evidence, ...) G_GNUC_PRINTF(5, 6);

/* OK for an empty list. */
PvrCheckState pvr_checks_worst(const GPtrArray *checks);
guint pvr_checks_count(const GPtrArray *checks, PvrCheckState state);

/* "ok", "warning", "failed", "n/a" */
const char *pvr_check_state_to_string(PvrCheckState state);

/* The groups. */

/* Kernel modules, RDMA devices, leases, AppArmor. */
void pvr_check_host(PvrHost *host, GPtrArray *checks);

/* Hook and daemon. @program: path of pvrdma-hook, without the root prefix. */
void pvr_check_hook(PvrHost *host, const char *program, GPtrArray *checks);

/* All about one domain, from its XML. @running: the XML is that of a running domain. */
void pvr_check_domain(PvrHost *host, const char *xml, gsize len, gboolean running,
                      GPtrArray *checks);

/*
 * Does @emulator have our device model? @models: output of `-device help`, or NULL with @error when
 * it could not be run. @properties: that of `-device pvrdma,help`, or NULL.
 */
void pvr_check_emulator(const char *emulator, const char *models, const char *properties,
                        const GError *error, GPtrArray *checks);
