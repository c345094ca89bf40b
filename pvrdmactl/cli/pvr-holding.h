/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who holds which port, as far as it can be known, for commands that only show it. */
#pragma once

#include "pvr-cmd.h"
#include "pvr-holder.h"

typedef struct {
    GPtrArray *holders;     /* of PvrHolder */
    GPtrArray *notes;       /* of char *: what could not be looked at, one line each */
} PvrHolding;

/*
 * Leases of the host, and domains of libvirt. What does not answer becomes a note; only a connection
 * that the user named with -c must work. Below a --root libvirt is asked only if -c names one.
 */
PvrHolding *pvr_holding_collect(const PvrCtx *ctx, GError **error);
void pvr_holding_free(PvrHolding *holding);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PvrHolding, pvr_holding_free)

/* Borrowed; NULL when nobody is known to hold the port. */
const PvrHolder *pvr_holding_find(const PvrHolding *holding, const PvrIbdev *ibdev, guint port);

/* The same for a PCI function that carries one RDMA device, of its own or an rxe link. */
const PvrHolder *pvr_holding_find_function(const PvrHolding *holding, const PvrPci *pci);

/* "vm1", "vm1 (running)"; NULL when nobody holds it. */
char *pvr_holding_cell(const PvrHolder *holder);

/* "holder": {domain, uuid, id, running}, or null */
void pvr_holding_show_json(JsonBuilder *builder, const PvrHolder *holder);
