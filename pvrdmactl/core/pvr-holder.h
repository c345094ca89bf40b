/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who holds an ibdevice port: a running domain by its lease, a domain that is
 * only configured by its metadata. For list and attach.
 */
#pragma once

#include <glib.h>

#include "pvr-host.h"
#include "pvr-metadata.h"

G_BEGIN_DECLS

typedef struct {
    char *ibdev; /* NULL for a VF without one at attach */
    char *pci;    /* of an RDMA network card; else NULL */
    char *netdev; /* of backend rxe; else NULL */
    guint port;
    char *domain;
    char *uuid;
    guint id;
    gboolean leased; /* the host has a lease: the domain runs or is about to */
} PvrHolder;

void pvr_holder_free(PvrHolder *holder);

/* An empty list; unref frees all. */
GPtrArray *pvr_holders_new(void);

/* Adds the devices of a domain's persistent metadata; soft ones and those of pools hold nothing. */
void pvr_holders_add_domain(GPtrArray *holders, const PvrDomainMeta *meta);

/* Adds the leases of the host, without those whose QEMU is gone. Fails as pvr_lease_list() does. */
gboolean pvr_holders_add_leases(GPtrArray *holders, PvrHost *host, GError **error);

/*
 * The holder of that port, or of that netdev (may be NULL), which is not the
 * domain @except_uuid (may be NULL); leased ones first. Owned by @holders.
 * Where both have a PCI address (@pci may be NULL) the names do not matter.
 */
const PvrHolder *pvr_holders_find(const GPtrArray *holders, const char *ibdev, const char *pci,
                                  guint port, const char *netdev, const char *except_uuid);

G_END_DECLS
