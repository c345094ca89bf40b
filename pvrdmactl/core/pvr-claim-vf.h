/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of a claim that is about VFs: which one, and how it gets the domain's MAC. */
#pragma once

#include "pvr-claim.h"

/*
 * The VF of @device, of backend vf or pool, for a domain that is about to start; or, with @running, that runs. The caller
 * holds the lock of the table; @leases are all there are. Who takes the lease of the VF in the way has it in
 * @ret_holder, borrowed; for a pool only where no member is free and this one is dead. PVR_ERROR_NOT_FOUND, PVR_ERROR_BUSY.
 */
gboolean pvr_claim_choose_vf(PvrHost *host, const PvrDomainMeta *meta, const PvrMetaDevice *device,
                             GPtrArray *leases, gboolean running, char **ret_ibdev,
                             char **ret_address, PvrLease **ret_holder, GError **error);

/*
 * Gives the VF of the lease the MAC of @device, with all that is to be done for that, and notes in the lease what its
 * ibdevice is called then. The caller holds the lock of the VF.
 */
gboolean pvr_claim_provide_vf(PvrLease *lease, PvrJournal *journal, PvrHost *host,
                              const PvrMetaDevice *device, const PvrPrepareOptions *options,
                              GError **error);
