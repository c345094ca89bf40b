/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which device a user means. Every device argument may be an ibdevice name (also the kernel-given one
 * before udev renamed it), a PCI address, a node GUID, the name or altname of a netdev, the name or path of a
 * uverbs node. What is stored is what names the device for good: PCI address and node GUID.
 */
#pragma once

#include "pvr-host.h"
#include "pvr-pci.h"

typedef struct {
    PvrPci *pci;        /* NULL: not on PCI (rxe on a veth, a bridge, ...) */
    char *ibdev;        /* NULL: has none at present */
    char *netdev;       /* NULL: has none, or it is in another network namespace */
} PvrDevice;

void pvr_device_free(PvrDevice *device);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PvrDevice, pvr_device_free)

/*
 * PVR_ERROR_NOT_FOUND says what was looked for and which names there are; PVR_ERROR_USAGE when the
 * text fits two devices, and names both.
 */
PvrDevice *pvr_resolve(PvrHost *host, const char *text, GError **error);

/* The ibdevice of the device; also PVR_ERROR_NOT_FOUND when it has none at present. */
PvrIbdev *pvr_resolve_ibdev(PvrHost *host, const char *text, GError **error);

/* The name of the netdev of the device; also PVR_ERROR_NOT_FOUND when it has none here. */
char *pvr_resolve_netdev(PvrHost *host, const char *text, GError **error);

/*
 * The PCI function behind an ibdevice: `device` of an HCA; for an rxe link the `device` of its netdev. NULL without
 * error when it is on none.
 */
PvrPci *pvr_resolve_ibdev_pci(PvrHost *host, const PvrIbdev *ibdev, GError **error);

/*
 * The hardware ibdevice that was stored as @pci and @guid, whatever it is called now. One of both may be NULL.
 * A card may have moved to another slot, so the GUID counts more; a VF may have got another GUID, so it need not fit.
 * PVR_ERROR_NOT_FOUND.
 */
PvrIbdev *pvr_resolve_stored(PvrHost *host, const char *pci, const char *guid, GError **error);
