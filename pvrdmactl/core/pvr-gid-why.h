/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Can a guest use an entry of a GID table, and if not, why? */
#pragma once

#include "pvr-host.h"
#include "pvr-inet6.h"

typedef enum {
    PVR_GID_USABLE,
    PVR_GID_EMPTY,
    PVR_GID_INFINIBAND,
    PVR_GID_V1,
    PVR_GID_NO_MAC,
    PVR_GID_NO_NETDEV,
    PVR_GID_OTHER_NAMESPACE,
    PVR_GID_NO_ADDRESS,
    PVR_GID_DUPLICATE_ADDRESS,
    PVR_GID_PORT_DOWN,
} PvrGidVerdict;

typedef struct {
    guint first, last;        /* indices; the same unless the slots are empty */
    const PvrGidEntry *entry; /* borrowed from the port; NULL: these slots are empty */
    PvrGidVerdict verdict;
    char *why; /* one line; never NULL */
} PvrGidWhy;

/*
 * Of PvrGidWhy, by index, each run of empty slots as one. @port is of @ibdev, and must outlive the
 * result. What cannot be found out is not held against an entry.
 */
GPtrArray *pvr_gid_why_port(PvrHost *host, const PvrIbdev *ibdev, const PvrPort *port);

/* "usable", "empty", "infiniband", "roce-v1", "no-mac", "no-netdev", "other-namespace", ... */
const char *pvr_gid_verdict_to_string(PvrGidVerdict verdict);
