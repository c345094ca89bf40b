/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "pvr-apply.h"
#include "pvr-conf-priv.h"
#include "pvr-lease.h"
#include "pvr-resolve.h"

static void
add_pfs(PvrConf *conf, const GPtrArray *pcis)
{
    for (guint i = 0; i < pcis->len; i++) {
        const PvrPci *pci = g_ptr_array_index(pcis, i);
        PvrConfPf *pf = NULL;

        if (pci->vfs == 0) {
            continue;
        }
        pf = g_new0(PvrConfPf, 1);
        pf->pf = g_strdup(pci->address);
        pf->vfs = pci->vfs;
        g_ptr_array_add(conf->pfs, pf);
    }
}

/* A link that the hook made goes when its domain does. */
static gboolean
is_of_lease(const GPtrArray *leases, const char *name)
{
    for (guint i = 0; i < leases->len; i++) {
        const PvrLease *lease = g_ptr_array_index(leases, i);
        const PvrStep *first = lease->steps->len > 0 ? g_ptr_array_index(lease->steps, 0) : NULL;

        if (first != NULL && first->kind == PVR_STEP_RXE_ADD && strcmp(first->what, name) == 0) {
            return TRUE;
        }
    }
    return FALSE;
}

static gboolean
add_link(PvrConf *conf, PvrHost *host, const PvrIbdev *ibdev, GError **error)
{
    g_autoptr(GError) local = NULL;
    g_autoptr(PvrPci) pci = pvr_resolve_ibdev_pci(host, ibdev, &local);
    PvrConfLink *link;

    if (local != NULL) {
        g_propagate_error(error, g_steal_pointer(&local));
        return FALSE;
    }
    link = g_new0(PvrConfLink, 1);
    link->name = g_strdup(ibdev->name);
    if (pci != NULL) {
        link->pci = g_strdup(pci->address);
    } else {
        link->netdev = g_strdup(ibdev->parent);
    }
    g_ptr_array_add(conf->links, link);
    return TRUE;
}

PvrConf *
pvr_apply_export(PvrHost *host, GError **error)
{
    g_autoptr(GPtrArray) pcis = pvr_host_list_pci(host, error);
    g_autoptr(GPtrArray) ibdevs = pcis != NULL ? pvr_host_list_bare_ibdevs(host, error) : NULL;
    g_autoptr(GPtrArray) leases = ibdevs != NULL ? pvr_lease_list(host, error) : NULL;
    g_autoptr(PvrConf) conf = NULL;

    if (leases == NULL) {
        return NULL;
    }
    conf = pvr_conf_new();
    add_pfs(conf, pcis);
    for (guint i = 0; i < ibdevs->len; i++) {
        const PvrIbdev *ibdev = g_ptr_array_index(ibdevs, i);

        if (pvr_ibdev_is_rxe(ibdev) && ibdev->parent != NULL &&
            !is_of_lease(leases, ibdev->name) && !add_link(conf, host, ibdev, error)) {
            return NULL;
        }
    }
    return g_steal_pointer(&conf);
}
