/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One device of one domain: from metadata to a lease and back. The caller holds the lock of that domain, and no other. */
#pragma once

#include "pvr-lease.h"
#include "pvr-metadata.h"
#include "pvr-prepare.h"

/* The ibdevice of @device as it is now; NULL without error when prepare has to make it. */
PvrIbdev *pvr_claim_find_ibdev(PvrHost *host, const PvrMetaDevice *device, GError **error);

/*
 * Claims the ibdevice port of @device for the domain, with all steps that it takes. The port is chosen and recorded under
 * the lock of the table, the steps are made under that of the device. A lease in the way whose holder is gone is taken
 * back. The new lease, in state preparing until the domain has all of its devices; on failure NULL and everything undone.
 */
PvrLease *pvr_claim_device(PvrHost *host, const PvrDomainMeta *meta, const PvrMetaDevice *device,
                           const PvrPrepareOptions *options, GError **error);

/*
 * For a domain that runs: its lease of @device, claimed anew (without making links) when it has
 * none, with the node's name in place.
 */
PvrLease *pvr_claim_reassert(PvrHost *host, const PvrDomainMeta *meta, const PvrMetaDevice *device,
                             const PvrPrepareOptions *options, GError **error);

/* Undoes the lease @uuid-@id, or removes what an unfinished write of it left. */
gboolean pvr_claim_release(PvrHost *host, const char *uuid, guint id,
                           const PvrPrepareOptions *options, GError **error);

/*
 * TRUE when nobody uses what the lease holds: it is running and its QEMU is gone, or it is preparing and that
 * process is gone.
 */
gboolean pvr_claim_is_dead(PvrHost *host, const PvrLease *lease);

/*
 * Takes back @lease of whatever domain, if it is still there and dead. Does not wait for the lock of that domain:
 * PVR_ERROR_BUSY when somebody has it, or when the lease is not dead.
 */
gboolean pvr_claim_reap(PvrHost *host, const PvrLease *lease, const PvrPrepareOptions *options,
                        GError **error);
