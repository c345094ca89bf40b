/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-vf-change.h"

#include <linux/if_link.h>

#include "pvr-device-lock.h"
#include "pvr-error.h"
#include "pvr-lease.h"
#include "pvr-pool.h"
#include "pvr-vf-address.h"
#include "pvr-vf-plan.h"

#define PORT_MS 5000 /* what is not ACTIVE by then will hardly become so by itself */

/* ---- in use ---- */

static gboolean
check_member(const char *address, const PvrPoolView *view, GError **error)
{
    g_autoptr(PvrPoolMember) member = pvr_pool_look(address, view);

    if (member->state == PVR_MEMBER_FREE || member->state == PVR_MEMBER_GONE ||
        member->state == PVR_MEMBER_UNFIT)
        return TRUE;
    g_set_error(error, PVR_ERROR, PVR_ERROR_BUSY, "VF %s %s\n%s", member->address, member->why,
                member->state == PVR_MEMBER_LEASED ? "shut that domain down first"
                                                   : "end that use first");
    return FALSE;
}

/* The function itself, and if it is a PF, its VFs. */
static gboolean
check_free(PvrHost *host, const char *address, GError **error)
{
    g_autoptr(GPtrArray) functions = pvr_host_list_pci(host, error);
    g_autoptr(GPtrArray) leases = functions != NULL ? pvr_lease_list(host, error) : NULL;
    g_autoptr(PvrPoolView) view = NULL;

    if (leases == NULL)
        return FALSE;
    view = pvr_pool_view_new(host, functions, leases);
    for (guint i = 0; i < functions->len; i++) {
        const PvrPci *pci = g_ptr_array_index(functions, i);

        if (pci->pf == NULL ||
            (!g_str_equal(pci->address, address) && !g_str_equal(pci->pf, address)))
            continue;
        if (!check_member(pci->address, view, error))
            return FALSE;
    }
    return TRUE;
}

/* ---- locks ---- */

/* A PF's VFs go when their number changes, so nobody may be at work on one of them. */
static GPtrArray *
list_keys(PvrHost *host, const char *address, GError **error)
{
    g_autoptr(GPtrArray) functions = pvr_host_list_pci(host, error);
    g_autoptr(GPtrArray) keys = g_ptr_array_new_with_free_func(g_free);

    if (functions == NULL)
        return NULL;
    g_ptr_array_add(keys, g_strdup(address));
    for (guint i = 0; i < functions->len; i++) {
        const PvrPci *pci = g_ptr_array_index(functions, i);

        if (g_strcmp0(pci->pf, address) == 0)
            g_ptr_array_add(keys, g_strdup(pci->address));
    }
    return g_steal_pointer(&keys);
}

/* Whoever makes VFs holds the PF's lock: their list is the same after it was taken, or another one was faster. */
static gboolean
check_keys(PvrHost *host, const char *address, const GPtrArray *keys, GError **error)
{
    g_autoptr(GPtrArray) now = list_keys(host, address, error);

    if (now == NULL)
        return FALSE;
    if (now->len == keys->len)
        return TRUE;
    g_set_error(error, PVR_ERROR, PVR_ERROR_BUSY, "somebody else has just changed the VFs of %s\n"
                "try again", address);
    return FALSE;
}

static GPtrArray *
lock_all(PvrHost *host, const char *address, guint timeout_ms, GError **error)
{
    g_autoptr(GPtrArray) keys = list_keys(host, address, error);
    g_autoptr(GPtrArray) locks = keys != NULL ? pvr_device_lock_all(host, keys, timeout_ms, error)
                                              : NULL;

    return locks != NULL && check_keys(host, address, keys, error) ? g_steal_pointer(&locks) : NULL;
}

/* ---- journal ---- */

typedef struct {
    PvrJournal *journal;
    const PvrVfChange *change;
} Work;

static gboolean
run_step(PvrStep *step, gpointer user_data, GError **error)
{
    const Work *work = user_data;

    return pvr_journal_run(work->journal, step, error);
}

static void
pass_progress(const char *text, gpointer user_data)
{
    const Work *work = user_data;

    if (work->change->progress != NULL)
        work->change->progress(text, work->change->user_data);
}

/* @cause is what went wrong first, and stays the first line. Takes it. */
static gboolean
take_back(PvrJournal *journal, GError *cause, GError **error)
{
    g_autoptr(GError) owned = cause;
    g_autoptr(GError) undo = NULL;
    g_auto(GStrv) first = g_strsplit(owned->message, "\n", 2);
    g_auto(GStrv) second = NULL;

    if (pvr_journal_rollback(journal, &undo)) {
        g_propagate_error(error, g_steal_pointer(&owned));
        return FALSE;
    }
    second = g_strsplit(undo->message, "\n", 2);
    g_set_error(error, PVR_ERROR, owned->code,
                "%s; and it could not be taken back: %s\n'pvrdmactl recover' tries again", first[0],
                second[0]);
    return FALSE;
}

typedef struct {
    const char *address;
    const GPtrArray *steps;
    const PvrVf *wait_for; /* NULL: nothing */
    gboolean ibdev;
} Plan;

static gboolean
carry_out(PvrHost *host, const Plan *plan, const PvrVfChange *change, GError **error)
{
    g_autofree char *name = g_strdup_printf("vf-%s", plan->address);
    g_autoptr(PvrJournal) journal = pvr_journal_begin(host, name, change->checkpoint,
                                                      change->user_data, error);
    Work work = { journal, change };
    const PvrVfRun run = { change->timeout_ms, run_step, pass_progress, &work };
    GError *local = NULL;

    if (journal == NULL)
        return FALSE;
    if (!pvr_vf_run(host, plan->steps, &run, &local) ||
        (plan->wait_for != NULL &&
         !pvr_vf_wait(host, plan->address, plan->wait_for, plan->ibdev, &run, &local)))
        return take_back(journal, local, error);
    if (!pvr_journal_commit(journal, error))
        return FALSE;
    if (plan->wait_for != NULL)
        pvr_vf_wait_port(host, plan->address, MIN(change->timeout_ms, PORT_MS));
    return TRUE;
}

/* ---- changes ---- */

/* Two VFs with one MAC, and their card sends frames to either. Zero is none. */
static gboolean
check_unique(PvrHost *host, const PvrPci *vf, const PvrVf *want, GError **error)
{
    PvrVf record;
    g_autofree char *pf_netdev = pvr_vf_find_record(host, vf, &record, error);
    g_autoptr(GPtrArray) vfs = pf_netdev != NULL ? pvr_host_get_vfs(host, pf_netdev, error) : NULL;

    for (guint i = 0; vfs != NULL && i < vfs->len; i++) {
        const PvrVf *other = g_ptr_array_index(vfs, i);

        if (other->index == vf->vf || !(want->set & PVR_VF_MAC) ||
            !pvr_mac_equal(&other->mac, &want->mac))
            continue;
        g_set_error(error, PVR_ERROR, PVR_ERROR_BUSY, "VF %u of %s has that MAC already\n"
                    "choose another one, or reset that VF first", other->index, vf->pf);
        return FALSE;
    }
    return vfs != NULL;
}

gboolean
pvr_vf_change(PvrHost *host, const char *pci, const PvrVf *want, const PvrVfChange *change,
              GError **error)
{
    g_autoptr(PvrLock) lock = pvr_device_lock(host, pci, change->lock_ms, error);
    g_autoptr(PvrPci) vf = lock != NULL ? pvr_host_get_pci(host, pci, error) : NULL;
    g_autoptr(GPtrArray) steps = NULL;
    const gboolean address = want->set & (PVR_VF_MAC | PVR_VF_NODE_GUID | PVR_VF_PORT_GUID);

    if (vf == NULL)
        return FALSE;
    steps = pvr_vf_plan(host, vf, want, error);
    if (steps == NULL)
        return FALSE;
    if (steps->len == 0) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_NOTHING, "it is so already");
        return FALSE;
    }
    return check_free(host, pci, error) && check_unique(host, vf, want, error) &&
           carry_out(host, &(Plan) { pci, steps, address && vf->driver != NULL ? want : NULL,
                                     vf->ibdevs->len != 0 }, change, error);
}

static gboolean
check_replace(const PvrPci *pf, guint number, gboolean replace, GError **error)
{
    if (number == pf->vfs) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_NOTHING, "it has %u VFs%s", number,
                    number != 0 ? " already" : "");
        return FALSE;
    }
    if (pf->vfs == 0 || number == 0 || replace)
        return TRUE;
    g_set_error(error, PVR_ERROR, PVR_ERROR_BUSY,
                "%s has %u VFs, and the kernel can only remove them all to make %u new ones\n"
                "if nobody needs them, say --replace", pf->address, pf->vfs, number);
    return FALSE;
}

gboolean
pvr_vf_change_number(PvrHost *host, const char *pf, guint number, gboolean replace,
                     const PvrVfChange *change, GError **error)
{
    g_autoptr(GPtrArray) locks = lock_all(host, pf, change->lock_ms, error);
    g_autoptr(PvrPci) function = locks != NULL ? pvr_host_get_pci(host, pf, error) : NULL;
    g_autoptr(GPtrArray) steps = NULL;

    if (function == NULL)
        return FALSE;
    steps = pvr_vf_plan_number(host, function, number, error);
    if (steps == NULL || !check_replace(function, number, replace, error) ||
        !check_free(host, pf, error))
        return FALSE;
    return carry_out(host, &(Plan) { pf, steps, NULL, FALSE }, change, error);
}

/* ---- what a VF should have ---- */

/* The kind of address that the driver keeps: GUIDs on InfiniBand, else a MAC. */
static guint
address_bits(const PvrVf *record)
{
    return record->set & PVR_VF_NODE_GUID ? PVR_VF_NODE_GUID | PVR_VF_PORT_GUID : PVR_VF_MAC;
}

static gboolean
has_address(const PvrVf *record)
{
    return record->set & PVR_VF_NODE_GUID ? record->node_guid != 0 && record->port_guid != 0
                                          : pvr_mac_is_usable(&record->mac);
}

gboolean
pvr_vf_find_lacks(PvrHost *host, const PvrPci *vf, PvrVf *ret_want, GError **error)
{
    PvrVf record, want = { 0 };
    g_autofree char *pf_netdev = pvr_vf_find_record(host, vf, &record, error);

    if (pf_netdev == NULL)
        return FALSE;
    if (!has_address(&record)) {
        if (!pvr_vf_make_address(host, vf->address, &want, error))
            return FALSE;
        want.set = address_bits(&record);
    }
    if ((record.set & PVR_VF_NODE_GUID) && (record.set & PVR_VF_LINK_STATE) &&
        record.link_state == IFLA_VF_LINK_STATE_DISABLE) {
        want.link_state = IFLA_VF_LINK_STATE_AUTO;
        want.set |= PVR_VF_LINK_STATE;
    }
    *ret_want = want;
    return TRUE;
}

gboolean
pvr_vf_find_reset(PvrHost *host, const PvrPci *vf, PvrVf *ret_want, GError **error)
{
    PvrVf record, want = { .spoofchk = TRUE, .link_state = IFLA_VF_LINK_STATE_AUTO };
    g_autofree char *pf_netdev = pvr_vf_find_record(host, vf, &record, error);

    if (pf_netdev == NULL || !pvr_vf_make_address(host, vf->address, &want, error))
        return FALSE;
    want.set = address_bits(&record) | (record.set & (PVR_VF_VLAN | PVR_VF_SPOOFCHK | PVR_VF_TRUST |
                                                      PVR_VF_LINK_STATE | PVR_VF_RATE));
    *ret_want = want;
    return TRUE;
}

/* HCAs have an RDMA device of their own, and so have their VFs. */
static gboolean
has_own_ibdev(PvrHost *host, const char *address)
{
    g_autoptr(PvrPci) pci = pvr_host_get_pci(host, address, NULL);

    for (guint i = 0; pci != NULL && i < pci->ibdevs->len; i++) {
        g_autoptr(PvrIbdev) ibdev = pvr_host_get_ibdev(host, pci->ibdevs->pdata[i], NULL);

        if (ibdev != NULL && !pvr_ibdev_is_rxe(ibdev))
            return TRUE;
    }
    return FALSE;
}

gboolean
pvr_vf_complete(PvrHost *host, const char *pci, const PvrVfChange *change, GError **error)
{
    g_autoptr(PvrPci) vf = pvr_host_get_pci(host, pci, error);
    Work work = { NULL, change };
    const PvrVfRun run = { change->timeout_ms, NULL, pass_progress, &work };
    PvrVf want;

    if (vf == NULL ||
        !pvr_vf_wait_ready(host, pci, vf->pf != NULL && has_own_ibdev(host, vf->pf), &run, error) ||
        !pvr_vf_find_lacks(host, vf, &want, error))
        return FALSE;
    if (want.set != 0)
        return pvr_vf_change(host, pci, &want, change, error);
    g_set_error(error, PVR_ERROR, PVR_ERROR_NOTHING, "it lacks nothing");
    return FALSE;
}
