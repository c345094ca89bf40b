/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From what the user of attach names to the device that goes into the domain. */
#pragma once

#include "pvr-host.h"
#include "pvr-metadata.h"

G_BEGIN_DECLS

/* Exactly one of netdev and ibdev; at most one of gid_index, gid and gid_policy. */
typedef struct {
    const char *netdev; /* --rxe: Soft-RoCE on that netdev, made at start if need be; any form of pvr_resolve() */
    const char *ibdev;  /* --ibdev: a device that exists; any form */
    guint port;         /* from 1 */
    int gid_index;      /* -1: not given */
    const char *gid;    /* NULL: not given */
    const char *gid_policy; /* see pvr-gid-policy.h; NULL: not given */
} PvrPlanRequest;

/**
 * pvr_plan_device: looks at the host and chooses port and GID.
 * The result has backend, netdev, ibdev, pci, guid, port, gid, mac, gid_index and
 * gid_policy; id, alias, path and controller are the domain's business.
 * @ret_rxe_netdev: the netdev of a Soft-RoCE device, also when it was named
 * by --ibdev; else NULL.
 * Fails with PVR_ERROR_NOT_FOUND (device, port, GID), PVR_ERROR_UNSUPPORTED
 * (InfiniBand, RoCE v1) or PVR_ERROR_FAILED (port down, GID without MAC).
 */
PvrMetaDevice *pvr_plan_device(PvrHost *host, const PvrPlanRequest *request,
                               char **ret_rxe_netdev, GError **error);

/*
 * pvr-plan-vf.c: a VF, @text being any form of pvr_resolve(), or one of a pool. It will have that MAC, and the GID follows
 * from it; port is from 1. PVR_ERROR_NOT_FOUND (device, pool), PVR_ERROR_UNSUPPORTED (no VF, InfiniBand).
 */
PvrMetaDevice *pvr_plan_vf(PvrHost *host, const char *text, guint port, const PvrMac *mac,
                           GError **error);
PvrMetaDevice *pvr_plan_pool(PvrHost *host, const char *pool, guint port, const PvrMac *mac,
                             GError **error);

/* A soft device: nothing on the host is asked. It has that MAC, and the GID that the guest makes of it. */
PvrMetaDevice *pvr_plan_soft(const PvrMac *mac);

G_END_DECLS
