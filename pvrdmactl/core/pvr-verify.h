/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The conditions under which a device of a domain can work. Prepare stops at the first that does
 * not hold; doctor reports each. Errors: first line what is wrong, second what to do.
 */
#pragma once

#include "pvr-domview.h"
#include "pvr-host.h"
#include "pvr-metadata.h"

/* Guest RAM is shared, so that the host kernel can register it. Not needed by soft devices. */
gboolean pvr_verify_memory(const PvrDomainView *view, GError **error);

/*
 * vmxnet3 at function 0, the overridden rng with the right path (soft: with no backend-dev) at
 * function 1 of one slot.
 */
gboolean pvr_verify_functions(const PvrDomainView *view, const PvrMetaDevice *device,
                              GError **error);

/* The MAC of function 0 is the one that the GID carries. Not for soft devices. */
gboolean pvr_verify_mac(const PvrDomainView *view, const PvrMetaDevice *device, GError **error);

/* Function 0 has a netdev inside QEMU, whose frames a soft device can take. */
gboolean pvr_verify_connection(const PvrDomainView *view, const PvrMetaDevice *device,
                               GError **error);

/* The netdev exists, is up and has a carrier. */
gboolean pvr_verify_netdev(PvrHost *host, const char *netdev, GError **error);

/* The port exists and is ACTIVE. */
gboolean pvr_verify_port(const PvrIbdev *ibdev, const PvrMetaDevice *device, GError **error);

/*
 * The port has the RoCE v2 GID, at the index that the user named if any; or one that fits the policy
 * and carries the MAC of function 0.
 */
gboolean pvr_verify_gid(const PvrIbdev *ibdev, const PvrMetaDevice *device, GError **error);

/* The entry that makes pvr_verify_gid() hold; NULL when it does not. Borrowed from @ibdev. */
const PvrGidEntry *pvr_verify_find_gid(const PvrIbdev *ibdev, const PvrMetaDevice *device);

/*
 * Takes over a backend-gid-idx that the user has written into the <qemu:override> by hand: QEMU will
 * use it, so it is what has to be verified.
 */
void pvr_verify_adopt_index(const PvrDomainView *view, PvrMetaDevice *device);

/* The ibdevice has a uverbs node and the node is in /dev. */
gboolean pvr_verify_node(PvrHost *host, const PvrIbdev *ibdev, GError **error);
