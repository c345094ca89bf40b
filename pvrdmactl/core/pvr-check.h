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

/* What the devices in question are; without any, all kinds may be wanted. */
typedef enum {
    PVR_USE_HOST = 1 << 0, /* devices that work through an RDMA device of the host */
    PVR_USE_SOFT = 1 << 1, /* soft devices */
} PvrUse;

/* PvrUse bits of a domain XML; 0 if it has no device of ours, or cannot be understood. */
guint pvr_use_of_domain(const char *xml, gsize len);

/*
 * Something is missing that only devices through the host need: @bad if there are such, at most a
 * warning if it is not known, n/a without remedy if there are others only.
 */
void pvr_checks_add_missing(GPtrArray *checks, const char *id, guint use, PvrCheckState bad,
                            const char *remedy, const char *evidence, ...) G_GNUC_PRINTF(6, 7);

/* OK for an empty list. */
PvrCheckState pvr_checks_worst(const GPtrArray *checks);
guint pvr_checks_count(const GPtrArray *checks, PvrCheckState state);

/* "ok", "warning", "failed", "n/a" */
const char *pvr_check_state_to_string(PvrCheckState state);

/* The groups. @use: PvrUse bits of the domain in question; 0 if there is none. */

/* Kernel modules, RDMA devices, leases, AppArmor. */
void pvr_check_host(PvrHost *host, guint use, GPtrArray *checks);

/* Hook and daemon. @program: path of pvrdma-hook, without the root prefix. */
void pvr_check_hook(PvrHost *host, const char *program, guint use, GPtrArray *checks);

/* All about one domain, from its XML. @running: the XML is that of a running domain. */
void pvr_check_domain(PvrHost *host, const char *xml, gsize len, gboolean running,
                      GPtrArray *checks);

/*
 * Does @emulator have our device model? @models: output of `-device help`, or NULL with @error when
 * it could not be run. @properties: that of `-device pvrdma,help`, or NULL. TRUE if it has.
 */
gboolean pvr_check_emulator(const char *emulator, const char *models, const char *properties,
                            const GError *error, GPtrArray *checks);

/* Does it start with a soft one? @error: why not, or NULL. */
void pvr_check_emulator_soft(const char *emulator, guint use, const GError *error,
                             GPtrArray *checks);

/* Has that device model what the domain sets? @properties: as above. */
void pvr_check_properties(const char *emulator, const char *properties, const char *xml, gsize len,
                          GPtrArray *checks);

/*
 * Does a packet filter let RoCE v2 in? @nft: output of `nft -j list ruleset`, @ip6tables: of
 * `ip6tables-save`; NULL for what did not answer.
 */
void pvr_check_firewall(const char *nft, const char *ip6tables, guint use, GPtrArray *checks);

/* @version: output of `libvirtd --version`, or NULL. Also what libvirt-guests does at shutdown. */
void pvr_check_libvirt(PvrHost *host, const char *version, guint use, GPtrArray *checks);

/* @log: the kernel's and the audit system's messages since boot, or NULL. */
void pvr_check_denials(const char *log, guint use, GPtrArray *checks);
