/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-claim-vf.h"

#include <string.h>

#include "pvr-error.h"
#include "pvr-pool.h"
#include "pvr-vf-plan.h"

/* Taking a driver off and binding it again takes seconds on some cards. */
#define SETTLES_PER_BIND 6

static gboolean
fail_member(const PvrPoolMember *member, GError **error)
{
    const gboolean gone = member->state == PVR_MEMBER_GONE;

    g_set_error(error, PVR_ERROR, gone ? PVR_ERROR_NOT_FOUND : PVR_ERROR_BUSY, "VF %s %s\n%s",
                member->address, member->why,
                gone ? "'pvrdmactl vf create' makes VFs, 'pvrdmactl apply' those of /etc/pvrdma"
                     : "'pvrdmactl vf list' shows the VFs; see pvrdma.conf(5) for Soft-RoCE on a VF");
    return FALSE;
}

static gboolean
take(const PvrPoolMember *member, char **ret_ibdev, char **ret_address)
{
    const GPtrArray *ibdevs = member->pci->ibdevs;

    *ret_address = g_strdup(member->address);
    *ret_ibdev = g_strdup(ibdevs->len > 0 ? g_ptr_array_index(ibdevs, 0) : member->address);
    return TRUE;
}

/* One that is leased is the caller's business, who has to look for that anyhow. */
static gboolean
choose_fixed(const PvrMetaDevice *device, const PvrPoolView *view, gboolean running,
             char **ret_ibdev, char **ret_address, GError **error)
{
    g_autoptr(PvrPoolMember) member = pvr_pool_look(device->pci, view);
    const gboolean own = running && member->state == PVR_MEMBER_IN_USE;

    if (!own && member->state != PVR_MEMBER_FREE && member->state != PVR_MEMBER_LEASED) {
        return fail_member(member, error);
    }
    return take(member, ret_ibdev, ret_address);
}

/* A lease whose holder is gone stands in the way of nobody. */
static PvrLease *
find_dead(PvrHost *host, const GPtrArray *members, const PvrPoolView *view)
{
    for (guint i = 0; i < members->len; i++) {
        const PvrPoolMember *member = g_ptr_array_index(members, i);
        const PvrLease *lease = member->state == PVR_MEMBER_LEASED
                                    ? pvr_pool_find_lease(member->pci, view)
                                    : NULL;

        if (lease != NULL && pvr_claim_is_dead(host, lease)) {
            return (PvrLease *)lease;
        }
    }
    return NULL;
}

static gboolean
choose_of_pool(PvrHost *host, const PvrDomainMeta *meta, const PvrMetaDevice *device,
               const PvrPoolView *view, char **ret_ibdev, char **ret_address,
               PvrLease **ret_holder, GError **error)
{
    g_autoptr(PvrConf) conf = pvr_conf_load(host, error);
    const PvrConfPool *pool =
        conf != NULL ? pvr_conf_find_pool(conf, device->pool, error) : NULL;
    g_autoptr(GPtrArray) members = pool != NULL ? pvr_pool_list(pool, view) : NULL;
    g_autofree char *last = pvr_pool_recall(host, meta->uuid, device->id);
    const PvrPoolWish wish = {last, meta->numa_nodes};
    const PvrPoolMember *member =
        members != NULL ? pvr_pool_choose(pool, members, &wish, view, error) : NULL;

    if (member == NULL) {
        *ret_holder = members != NULL ? find_dead(host, members, view) : NULL;
        return FALSE;
    }
    return take(member, ret_ibdev, ret_address);
}

gboolean
pvr_claim_choose_vf(PvrHost *host, const PvrDomainMeta *meta, const PvrMetaDevice *device,
                    GPtrArray *leases, gboolean running, char **ret_ibdev, char **ret_address,
                    PvrLease **ret_holder, GError **error)
{
    g_autoptr(GPtrArray) pcis = pvr_host_list_pci(host, error);
    g_autoptr(PvrPoolView) view = pcis != NULL ? pvr_pool_view_new(host, pcis, leases) : NULL;

    if (view == NULL) {
        return FALSE;
    }
    if (device->backend == PVR_BACKEND_VF) {
        return choose_fixed(device, view, running, ret_ibdev, ret_address, error);
    }
    if (running) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND,
                    "the lease of device %u is lost, and with it which VF of the pool '%s' it has\n"
                    "shut the domain down and start it again",
                    device->id, device->pool);
        return FALSE;
    }
    return choose_of_pool(host, meta, device, view, ret_ibdev, ret_address, ret_holder, error);
}

static gboolean
run_step(PvrStep *step, gpointer user_data, GError **error)
{
    return pvr_journal_run(user_data, step, error);
}

/* A card's VF may have got another name when its driver was bound anew. */
static gboolean
note_name(PvrLease *lease, PvrHost *host, GError **error)
{
    g_autoptr(PvrPci) pci = pvr_host_get_pci(host, pvr_lease_device(lease), error);

    if (pci == NULL) {
        return FALSE;
    }
    if (pci->ibdevs->len == 0) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND, "VF %s has no RDMA device\n"
                    "'pvrdmactl vf list' shows the VFs; see pvrdma.conf(5) for Soft-RoCE on a VF",
                    pci->address);
        return FALSE;
    }
    g_free(lease->ibdev);
    lease->ibdev = g_strdup(g_ptr_array_index(pci->ibdevs, 0));
    return TRUE;
}

gboolean
pvr_claim_provide_vf(PvrLease *lease, PvrJournal *journal, PvrHost *host,
                     const PvrMetaDevice *device, const PvrPrepareOptions *options, GError **error)
{
    g_autoptr(PvrPci) vf = pvr_host_get_pci(host, pvr_lease_device(lease), error);
    const PvrVf want = {.set = PVR_VF_MAC, .index = vf != NULL ? vf->vf : 0, .mac = device->mac};
    const PvrVfRun run = {.timeout_ms = options->settle_ms * SETTLES_PER_BIND,
                          .run = run_step,
                          .user_data = journal};
    g_autoptr(GPtrArray) steps = vf != NULL ? pvr_vf_plan(host, vf, &want, error) : NULL;

    if (steps == NULL || !pvr_vf_run(host, steps, &run, error) ||
        !pvr_vf_wait(host, vf->address, &want, TRUE, &run, error) ||
        !note_name(lease, host, error)) {
        return FALSE;
    }
    /* Only a preference: where it cannot be written, the next start makes do without. */
    if (device->backend == PVR_BACKEND_POOL) {
        pvr_pool_remember(host, lease->uuid, lease->id, vf->address, NULL);
    }
    return TRUE;
}
