/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-recover.h"

#include <string.h>

#include "pvr-claim.h"
#include "pvr-error.h"
#include "pvr-journal-file.h"
#include "pvr-lease.h"

void
pvr_leftover_free(PvrLeftover *leftover)
{
    if (leftover != NULL) {
        g_free(leftover->name);
        g_free(leftover->domain);
        g_free(leftover->state);
        g_clear_pointer(&leftover->steps, g_ptr_array_unref);
        g_clear_error(&leftover->error);
        g_free(leftover);
    }
}

/* An undo empties the array that it works on. */
static GPtrArray *
copy_steps(const GPtrArray *steps)
{
    GPtrArray *copy = pvr_steps_new();

    for (guint i = 0; i < steps->len; i++) {
        g_ptr_array_add(copy, pvr_step_copy(g_ptr_array_index(steps, i)));
    }
    return copy;
}

/* ---- leases ---- */

static PvrLeftover *
leftover_of_lease(const PvrLease *lease)
{
    PvrLeftover *leftover = g_new0(PvrLeftover, 1);

    leftover->name = g_strdup_printf("%s-%u", lease->uuid, lease->id);
    leftover->domain = g_strdup(lease->domain);
    leftover->state = g_strdup(lease->state);
    leftover->pid = lease->pid;
    leftover->steps = copy_steps(lease->steps);
    return leftover;
}

/* @leases keeps those that are in use. */
static void
recover_leases(PvrHost *host, gboolean dry_run, const PvrPrepareOptions *options,
               GPtrArray *leases, GPtrArray *leftovers)
{
    for (guint i = leases->len; i > 0; i--) {
        const PvrLease *lease = g_ptr_array_index(leases, i - 1);
        PvrLeftover *leftover;

        if (!pvr_claim_is_dead(host, lease)) {
            continue;
        }
        leftover = leftover_of_lease(lease);
        if (!dry_run) {
            pvr_claim_reap(host, lease, options, &leftover->error);
        }
        g_ptr_array_add(leftovers, leftover);
        g_ptr_array_remove_index(leases, i - 1);
    }
}

/* ---- journals ---- */

/* Keys of the devices that the steps change, each once. */
static GPtrArray *
devices_of(PvrHost *host, const GPtrArray *steps)
{
    GPtrArray *devices = g_ptr_array_new_with_free_func(g_free);

    for (guint i = 0; i < steps->len; i++) {
        g_autofree char *device = pvr_step_device(g_ptr_array_index(steps, i), host);

        if (device != NULL &&
            !g_ptr_array_find_with_equal_func(devices, device, g_str_equal, NULL)) {
            g_ptr_array_add(devices, g_steal_pointer(&device));
        }
    }
    return devices;
}

/* The device itself, or the PF whose number of VFs decides whether there is one. */
static gboolean
uses_one_of(PvrHost *host, const PvrLease *lease, GPtrArray *devices)
{
    const char *device = pvr_lease_device(lease);
    g_autoptr(PvrPci) pci = NULL;

    if (g_ptr_array_find_with_equal_func(devices, device, g_str_equal, NULL)) {
        return TRUE;
    }
    pci = pvr_host_get_pci(host, device, NULL);
    return pci != NULL && pci->pf != NULL &&
           g_ptr_array_find_with_equal_func(devices, pci->pf, g_str_equal, NULL);
}

static gboolean
check_unused(PvrHost *host, GPtrArray *leases, GPtrArray *devices, GError **error)
{
    for (guint i = 0; devices->len > 0 && i < leases->len; i++) {
        const PvrLease *lease = g_ptr_array_index(leases, i);

        if (uses_one_of(host, lease, devices)) {
            g_set_error(error, PVR_ERROR, PVR_ERROR_BUSY,
                        "domain '%s' (device %u, %s) holds '%s'\n"
                        "shut that domain down, then try again",
                        lease->domain, lease->id, lease->state, lease->ibdev);
            return FALSE;
        }
    }
    return TRUE;
}

static gboolean
roll_back(PvrJournal *journal, PvrHost *host, GPtrArray *leases,
          const PvrPrepareOptions *options, gboolean dry_run, GError **error)
{
    g_autoptr(GPtrArray) devices = devices_of(host, pvr_journal_steps(journal));
    g_autoptr(GPtrArray) locks = NULL;

    if (!check_unused(host, leases, devices, error)) {
        return FALSE;
    }
    if (dry_run) {
        return TRUE;
    }
    locks = pvr_device_lock_all(host, devices, options->lock_ms, error);
    return locks != NULL && pvr_journal_rollback(journal, error);
}

/* NULL when there is nothing under that name, or somebody works with it. */
static PvrLeftover *
recover_journal(PvrHost *host, const char *name, gboolean dry_run,
                const PvrPrepareOptions *options, GPtrArray *leases)
{
    g_autoptr(GError) local = NULL;
    g_autoptr(PvrJournal) journal = pvr_journal_reopen(host, name, !dry_run, options->checkpoint,
                                                       options->user_data, &local);
    g_autoptr(PvrJournalFile) file =
        journal != NULL ? pvr_journal_load(host, name, &local) : NULL;
    PvrLeftover *leftover;

    if ((file == NULL && local == NULL) || g_error_matches(local, PVR_ERROR, PVR_ERROR_BUSY)) {
        return NULL;
    }
    leftover = g_new0(PvrLeftover, 1);
    leftover->name = g_strdup(name);
    leftover->error = g_steal_pointer(&local);
    if (file != NULL) {
        leftover->pid = file->pid;
        leftover->steps = g_ptr_array_ref(file->steps);
        roll_back(journal, host, leases, options, dry_run, &leftover->error);
    }
    return leftover;
}

GPtrArray *
pvr_recover(PvrHost *host, gboolean dry_run, const PvrPrepareOptions *options, GError **error)
{
    g_autoptr(GPtrArray) leases = pvr_lease_list(host, error);
    g_autoptr(GPtrArray) names = leases != NULL ? pvr_journal_list(host, error) : NULL;
    g_autoptr(GPtrArray) leftovers =
        g_ptr_array_new_with_free_func((GDestroyNotify)pvr_leftover_free);

    if (names == NULL) {
        return NULL;
    }
    recover_leases(host, dry_run, options, leases, leftovers);
    for (guint i = 0; i < names->len; i++) {
        PvrLeftover *leftover =
            recover_journal(host, g_ptr_array_index(names, i), dry_run, options, leases);

        if (leftover != NULL) {
            g_ptr_array_add(leftovers, leftover);
        }
    }
    return g_steal_pointer(&leftovers);
}
