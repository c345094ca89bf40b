/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-apply-priv.h"
#include "pvr-error.h"
#include "pvr-lease.h"
#include "pvr-pool.h"
#include "pvr-resolve.h"
#include "pvr-vf-change.h"

static PvrPci *
find_pf(PvrHost *host, const char *name, GError **error)
{
    g_autofree char *address = pvr_pci_parse_address(name);
    g_autoptr(PvrDevice) device = NULL;

    if (address != NULL) {
        return pvr_host_get_pci(host, address, error);
    }
    device = pvr_resolve(host, name, error);
    if (device != NULL && device->pci == NULL) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_UNSUPPORTED,
                    "'%s' is on no PCI function, so it has no VFs\nname a PF by its PCI address",
                    name);
        return NULL;
    }
    return device != NULL ? g_steal_pointer(&device->pci) : NULL;
}

static gboolean
check_number(const PvrConfPf *declared, const PvrPci *pf, GError **error)
{
    if (declared->vfs <= pf->vfs_max) {
        return TRUE;
    }
    if (pf->vfs_max == 0) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_UNSUPPORTED,
                    "%s has no SR-IOV%s\n"
                    "enable it in the firmware of the card and in the BIOS, or correct %s",
                    pf->address, pf->pf != NULL ? ": it is a VF itself" : "", declared->where);
    } else {
        g_set_error(error, PVR_ERROR, PVR_ERROR_UNSUPPORTED,
                    "%s can have %u VFs, not %u\n"
                    "raise the limit in the firmware of the card, or correct %s",
                    pf->address, pf->vfs_max, declared->vfs, declared->where);
    }
    return FALSE;
}

/* All VFs go when their number changes. */
static gboolean
check_unused(PvrHost *host, const PvrPci *pf, GError **error)
{
    g_autoptr(GPtrArray) pcis = pvr_host_list_pci(host, error);
    g_autoptr(GPtrArray) leases = pcis != NULL ? pvr_lease_list(host, error) : NULL;
    g_autoptr(PvrPoolView) view = leases != NULL ? pvr_pool_view_new(host, pcis, leases) : NULL;

    for (guint i = 0; view != NULL && i < pcis->len; i++) {
        const PvrPci *pci = g_ptr_array_index(pcis, i);
        g_autoptr(PvrPoolMember) member = NULL;

        if (g_strcmp0(pci->pf, pf->address) != 0) {
            continue;
        }
        member = pvr_pool_look(pci->address, view);
        if (member->state != PVR_MEMBER_FREE && member->state != PVR_MEMBER_UNFIT) {
            g_set_error(error, PVR_ERROR, PVR_ERROR_BUSY,
                        "the number of VFs cannot change: VF %s %s\nfree that VF first",
                        member->address, member->why);
            return FALSE;
        }
    }
    return view != NULL;
}

static void
add_number(GPtrArray *steps, const PvrPci *pf, guint was, guint on)
{
    g_autofree char *was_text = g_strdup_printf("%u", was);
    g_autofree char *on_text = g_strdup_printf("%u", on);

    g_ptr_array_add(steps, pvr_step_new(PVR_STEP_NUM_VFS, pf->address, on_text, was_text));
}

/* Drivers refuse to go from one number to another; some have no VFs while their link is down. */
static gboolean
plan(PvrApply *apply, const PvrConfPf *declared, const PvrPci *pf, GPtrArray *steps,
     GError **error)
{
    if (pf->vfs > 0) {
        if (!check_unused(apply->host, pf, error)) {
            return FALSE;
        }
        add_number(steps, pf, pf->vfs, 0);
    }
    if (declared->vfs > 0) {
        if (pf->netdevs->len > 0 &&
            !pvr_apply_add_up(apply, g_ptr_array_index(pf->netdevs, 0), steps, error)) {
            return FALSE;
        }
        add_number(steps, pf, 0, declared->vfs);
    }
    return TRUE;
}

static gboolean
change_number(PvrApply *apply, const PvrConfPf *declared, const char *address, GError **error)
{
    g_autoptr(GPtrArray) steps = pvr_steps_new();
    g_autoptr(PvrLock) table = NULL;
    g_autoptr(PvrLock) lock = NULL;
    g_autoptr(PvrPci) pf = NULL;

    if (!apply->options->dry_run) {
        /* So that nobody leases a VF that is about to go. */
        table = pvr_lease_lock(apply->host, apply->options->lock_ms, error);
        lock = table != NULL ? pvr_apply_lock(apply, address, error) : NULL;
        if (lock == NULL) {
            return FALSE;
        }
    }
    pf = pvr_host_get_pci(apply->host, address, error);
    return pf != NULL && plan(apply, declared, pf, steps, error) &&
           pvr_apply_run(apply, address, steps, error);
}

/* As vf create does: the same at each boot, so that what was attached by its GID finds it again. */
static gboolean
give_addresses(PvrApply *apply, const char *pf, GError **error)
{
    const PvrVfChange change = { .lock_ms = apply->options->lock_ms,
                                 .timeout_ms = apply->options->settle_ms,
                                 .checkpoint = apply->options->checkpoint,
                                 .user_data = apply->options->user_data };
    g_autoptr(GPtrArray) pcis = pvr_host_list_pci(apply->host, error);

    for (guint i = 0; pcis != NULL && i < pcis->len; i++) {
        const PvrPci *vf = g_ptr_array_index(pcis, i);
        g_autoptr(GError) local = NULL;

        if (g_strcmp0(vf->pf, pf) == 0 &&
            !pvr_vf_complete(apply->host, vf->address, &change, &local) &&
            !g_error_matches(local, PVR_ERROR, PVR_ERROR_NOTHING)) {
            g_propagate_error(error, g_steal_pointer(&local));
            return FALSE;
        }
    }
    return pcis != NULL;
}

char *
pvr_apply_pf(PvrApply *apply, const PvrConfPf *declared, PvrApplyState *ret_state, GError **error)
{
    g_autoptr(PvrPci) before = find_pf(apply->host, declared->pf, error);

    if (before == NULL || !check_number(declared, before, error)) {
        return NULL;
    }
    if (before->vfs == declared->vfs) {
        *ret_state = PVR_APPLY_OK;
        return g_strdup_printf("%u VFs", before->vfs);
    }
    if (!change_number(apply, declared, before->address, error) ||
        (!apply->options->dry_run && !give_addresses(apply, before->address, error))) {
        return NULL;
    }
    *ret_state = PVR_APPLY_CHANGED;
    return g_strdup_printf("%u VFs (before: %u)", declared->vfs, before->vfs);
}
