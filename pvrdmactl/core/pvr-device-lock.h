/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Locks below PVR_DIR_RUN. Who needs several takes them in this order: one of a domain, the one of the table of leases
 * (pvr_lease_lock(), for choosing and recording only), those of devices. Of two devices that of the lesser key comes
 * first. Whoever breaks the order does not wait: timeout 0.
 *
 *   domain   from the first look at its leases to their final state; of one that somebody holds nobody else takes
 *            anything back
 *   device   while steps on it are made or taken back
 */
#pragma once

#include "pvr-host.h"
#include "pvr-lock.h"

PvrLock *pvr_domain_lock(PvrHost *host, const char *uuid, guint timeout_ms, GError **error);

/* @key: a PCI address, or the name of a netdev or ibdevice that is on no PCI function. */
PvrLock *pvr_device_lock(PvrHost *host, const char *key, guint timeout_ms, GError **error);

/* All of @keys (of char *; sorted here, may repeat). What is returned owns the locks. */
GPtrArray *pvr_device_lock_all(PvrHost *host, GPtrArray *keys, guint timeout_ms, GError **error);

/* The key of what the netdev or ibdevice is on: for an rxe link that of its netdev. */
char *pvr_device_key_of_netdev(PvrHost *host, const char *netdev);
char *pvr_device_key_of_ibdev(PvrHost *host, const PvrIbdev *ibdev);
