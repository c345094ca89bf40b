/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-apply-priv.h"

#include <string.h>

#include "pvr-error.h"
#include "pvr-lease.h"
#include "pvr-resolve.h"

const PvrApplyOptions pvr_apply_defaults = {.lock_ms = 30000, .settle_ms = 10000};

static void
result_free(gpointer data)
{
    PvrApplyResult *result = data;

    g_free(result->what);
    g_free(result->text);
    g_clear_error(&result->error);
    g_free(result);
}

PvrLock *
pvr_apply_lock(PvrApply *apply, const char *key, GError **error)
{
    return apply->options->dry_run
               ? NULL
               : pvr_device_lock(apply->host, key, apply->options->lock_ms, error);
}

gboolean
pvr_apply_add_up(PvrApply *apply, const char *netdev, GPtrArray *steps, GError **error)
{
    g_autoptr(PvrNetdev) state = pvr_host_get_netdev(apply->host, netdev, error);

    if (state != NULL && !state->up) {
        g_ptr_array_add(steps, pvr_step_new(PVR_STEP_NETDEV_UP, netdev, "up", "down"));
    }
    return state != NULL;
}

static gboolean
run_steps(PvrJournal *journal, GPtrArray *steps, GError **error)
{
    for (guint i = 0; i < steps->len; i++) {
        if (!pvr_journal_run(journal, pvr_step_copy(g_ptr_array_index(steps, i)), error)) {
            pvr_journal_rollback(journal, NULL); /* what is left then is in its file */
            return FALSE;
        }
    }
    return pvr_journal_commit(journal, error);
}

gboolean
pvr_apply_run(PvrApply *apply, const char *key, GPtrArray *steps, GError **error)
{
    g_autofree char *name = g_strconcat("apply-", key, NULL);
    g_autoptr(PvrJournal) journal = NULL;

    if (steps->len == 0 || apply->options->dry_run) {
        return TRUE;
    }
    journal = pvr_journal_begin(apply->host, name, apply->options->checkpoint,
                                apply->options->user_data, error);
    return journal != NULL && run_steps(journal, steps, error);
}

gboolean
pvr_apply_will_have_vfs(const PvrApply *apply)
{
    for (guint i = 0; i < apply->results->len; i++) {
        const PvrApplyResult *result = g_ptr_array_index(apply->results, i);

        if (result->state == PVR_APPLY_CHANGED && g_str_has_prefix(result->what, "PF ")) {
            return TRUE;
        }
    }
    return FALSE;
}

static void
add_result(PvrApply *apply, char *what, PvrApplyState state, char *text, GError *error)
{
    PvrApplyResult *result = g_new0(PvrApplyResult, 1);

    result->what = what;
    result->state = error != NULL ? PVR_APPLY_FAILED : state;
    result->text = error != NULL ? g_strndup(error->message, strcspn(error->message, "\n")) : text;
    result->error = error;
    g_ptr_array_add(apply->results, result);
}

/* The PF of a PF or VF at that address; of anything else its own address. */
static gboolean
is_on_pf(PvrHost *host, const char *address, const char *pf)
{
    g_autoptr(PvrPci) pci = pvr_host_get_pci(host, address, NULL);

    return strcmp(address, pf) == 0 || (pci != NULL && g_strcmp0(pci->pf, pf) == 0);
}

static gboolean
wants_pf(const PvrApply *apply, const PvrConfPf *declared)
{
    const char *only = apply->options->only_pf;
    g_autoptr(PvrDevice) device = NULL;

    if (only == NULL || strcmp(declared->pf, only) == 0) {
        return TRUE;
    }
    device = pvr_resolve(apply->host, declared->pf, NULL);
    return device != NULL && device->pci != NULL && strcmp(device->pci->address, only) == 0;
}

static gboolean
wants_link(const PvrApply *apply, const PvrConfLink *declared)
{
    const char *only = apply->options->only_pf;
    g_autofree char *key = declared->netdev != NULL
                               ? pvr_device_key_of_netdev(apply->host, declared->netdev)
                               : g_strdup(declared->pci);

    return only == NULL || is_on_pf(apply->host, key, only);
}

GPtrArray *
pvr_apply(PvrHost *host, const PvrConf *conf, const PvrApplyOptions *options)
{
    PvrApply apply = {host, options, g_ptr_array_new_with_free_func(result_free)};
    PvrApplyState state = PVR_APPLY_OK;

    for (guint i = 0; i < conf->pfs->len; i++) {
        const PvrConfPf *pf = g_ptr_array_index(conf->pfs, i);
        GError *error = NULL;

        if (wants_pf(&apply, pf)) {
            char *text = pvr_apply_pf(&apply, pf, &state, &error);

            add_result(&apply, g_strconcat("PF ", pf->pf, NULL), state, text, error);
        }
    }
    for (guint i = 0; i < conf->links->len; i++) {
        const PvrConfLink *link = g_ptr_array_index(conf->links, i);
        GError *error = NULL;

        if (wants_link(&apply, link)) {
            char *text = pvr_apply_link(&apply, link, &state, &error);

            add_result(&apply, g_strconcat("link ", link->name, NULL), state, text, error);
        }
    }
    return apply.results;
}
