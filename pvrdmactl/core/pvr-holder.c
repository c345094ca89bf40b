/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-holder.h"

#include "pvr-claim.h"
#include "pvr-lease.h"

void
pvr_holder_free(PvrHolder *holder)
{
    if (!holder) {
        return;
    }
    g_free(holder->ibdev);
    g_free(holder->pci);
    g_free(holder->netdev);
    g_free(holder->domain);
    g_free(holder->uuid);
    g_free(holder);
}

GPtrArray *
pvr_holders_new(void)
{
    return g_ptr_array_new_with_free_func((GDestroyNotify)pvr_holder_free);
}

void
pvr_holders_add_domain(GPtrArray *holders, const PvrDomainMeta *meta)
{
    for (guint i = 0; i < meta->devices->len; i++) {
        const PvrMetaDevice *device = g_ptr_array_index(meta->devices, i);
        PvrHolder *holder = NULL;

        if (device->backend == PVR_BACKEND_SOFT || device->backend == PVR_BACKEND_POOL) {
            continue;
        }
        holder = g_new0(PvrHolder, 1);
        holder->ibdev = g_strdup(device->ibdev);
        holder->pci = g_strdup(device->pci);
        holder->netdev = g_strdup(device->netdev);
        holder->port = device->port;
        holder->domain = g_strdup(meta->name);
        holder->uuid = g_strdup(meta->uuid);
        holder->id = device->id;
        g_ptr_array_add(holders, holder);
    }
}

gboolean
pvr_holders_add_leases(GPtrArray *holders, PvrHost *host, GError **error)
{
    g_autoptr(GPtrArray) leases = pvr_lease_list(host, error);

    for (guint i = 0; leases && i < leases->len; i++) {
        const PvrLease *lease = g_ptr_array_index(leases, i);
        PvrHolder *holder = NULL;

        if (pvr_claim_is_dead(host, lease)) {
            continue;
        }
        holder = g_new0(PvrHolder, 1);
        holder->ibdev = g_strdup(lease->ibdev);
        holder->port = lease->port;
        holder->domain = g_strdup(lease->domain);
        holder->uuid = g_strdup(lease->uuid);
        holder->id = lease->id;
        holder->leased = TRUE;
        g_ptr_array_add(holders, holder);
    }
    return leases != NULL;
}

static gboolean
matches(const PvrHolder *holder, const char *ibdev, const char *pci, guint port,
        const char *netdev, const char *except_uuid)
{
    const gboolean same_device = pci && holder->pci ? g_str_equal(holder->pci, pci)
                                                    : ibdev && g_strcmp0(holder->ibdev, ibdev) == 0;

    if (g_strcmp0(holder->uuid, except_uuid) == 0) {
        return FALSE;
    }
    return (same_device && holder->port == port) ||
           (netdev && g_strcmp0(holder->netdev, netdev) == 0);
}

const PvrHolder *
pvr_holders_find(const GPtrArray *holders, const char *ibdev, const char *pci, guint port,
                 const char *netdev, const char *except_uuid)
{
    const PvrHolder *found = NULL;

    for (guint i = 0; i < holders->len; i++) {
        const PvrHolder *holder = g_ptr_array_index(holders, i);

        if (matches(holder, ibdev, pci, port, netdev, except_uuid) && (!found || holder->leased)) {
            found = holder;
        }
    }
    return found;
}
