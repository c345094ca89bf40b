/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One device of one domain: from metadata to a lease and back. The caller holds the lock. */
#pragma once

#include "pvr-lease.h"
#include "pvr-metadata.h"
#include "pvr-prepare.h"

/* All leases of the host, after those of domains whose QEMU is gone were taken back. */
GPtrArray *pvr_claim_list_holders(PvrHost *host, GError **error);

/* The ibdevice of @device as it is now; NULL without error when prepare has to make it. */
PvrIbdev *pvr_claim_find_ibdev(PvrHost *host, const PvrMetaDevice *device, GError **error);

/*
 * Claims the ibdevice port of @device for the domain, with all steps that it takes. @leases: from
 * pvr_claim_list_holders(). The new lease, in state prepared; on failure NULL and everything undone.
 */
PvrLease *pvr_claim_device(PvrHost *host, const PvrDomainMeta *meta, const PvrMetaDevice *device,
                           GPtrArray *leases, const PvrPrepareOptions *options, GError **error);

/*
 * For a domain that runs: its lease of @device, claimed anew (without making links) when it has
 * none, with the node's name in place.
 */
PvrLease *pvr_claim_reassert(PvrHost *host, const PvrDomainMeta *meta, const PvrMetaDevice *device,
                             GError **error);

/* TRUE when the QEMU of a lease in state running is gone: nobody uses what it holds. */
gboolean pvr_claim_is_dead(PvrHost *host, const PvrLease *lease);
