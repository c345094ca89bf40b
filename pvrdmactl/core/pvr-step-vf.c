/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Steps on what a PF keeps for its VFs. */
#include "pvr-error.h"
#include "pvr-step-priv.h"

typedef gboolean (*Parse)(const char *text, PvrVf *vf);

static gboolean
parse_mac(const char *text, PvrVf *vf)
{
    vf->set |= PVR_VF_MAC;
    return pvr_mac_parse(text, &vf->mac, NULL);
}

/* "NODE-GUID PORT-GUID" */
static gboolean
parse_guids(const char *text, PvrVf *vf)
{
    g_auto(GStrv) words = g_strsplit(text, " ", 3);

    vf->set |= PVR_VF_NODE_GUID | PVR_VF_PORT_GUID;
    return g_strv_length(words) == 2 && pvr_guid_parse(words[0], &vf->node_guid, NULL) &&
           pvr_guid_parse(words[1], &vf->port_guid, NULL);
}

static gboolean
parse_attr(const char *text, PvrVf *vf)
{
    return pvr_vf_parse_attr(text, vf, NULL);
}

static gboolean
parse(const PvrStep *step, const char *text, PvrVf *vf)
{
    const Parse parsers[PVR_STEP_LAST] = {[PVR_STEP_VF_MAC] = parse_mac,
                                          [PVR_STEP_VF_GUID] = parse_guids,
                                          [PVR_STEP_VF_ATTR] = parse_attr};

    return parsers[step->kind](text, vf);
}

/* Both texts are of the same thing. */
static gboolean
check_vf(const PvrStep *step)
{
    PvrVf on = {0}, was = {0};

    return pvr_step_is_pci(step->what) && parse(step, step->on, &on) &&
           parse(step, step->was, &was) && on.set == was.set;
}

/* The netdev of the PF, through which its VFs are set, and the number of the VF there. */
static char *
find_pf_netdev(const PvrStep *step, PvrHost *host, guint *ret_index, GError **error)
{
    g_autoptr(PvrPci) vf = pvr_host_get_pci(host, step->what, error);
    g_autoptr(PvrPci) pf = NULL;

    if (vf == NULL) {
        return NULL;
    }
    if (vf->pf == NULL) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND, "PCI function %s is no VF", step->what);
        return NULL;
    }
    pf = pvr_host_get_pci(host, vf->pf, error);
    if (pf == NULL) {
        return NULL;
    }
    if (pf->netdevs->len == 0) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_UNSUPPORTED,
                    "PF %s has no netdev here, through which VF %s could be set\n"
                    "is it in another network namespace, or without a driver?",
                    vf->pf, step->what);
        return NULL;
    }
    *ret_index = vf->vf;
    return g_strdup(g_ptr_array_index(pf->netdevs, 0));
}

/* @text has passed check_vf(). */
static gboolean
set_text(const PvrStep *step, const char *text, const char *pf_netdev, guint index, PvrHost *host,
         GError **error)
{
    PvrVf vf = {.index = index};

    g_return_val_if_fail(parse(step, text, &vf), FALSE);
    return pvr_host_set_vf(host, pf_netdev, &vf, error);
}

static gboolean
make_vf(const PvrStep *step, PvrHost *host, GError **error)
{
    guint index = 0;
    g_autofree char *pf_netdev = find_pf_netdev(step, host, &index, error);

    return pf_netdev != NULL && set_text(step, step->on, pf_netdev, index, host, error);
}

/* FALSE when the VF has another value than the step gave it. A driver that does not tell is believed. */
static gboolean
is_ours(const PvrStep *step, const char *pf_netdev, guint index, PvrHost *host)
{
    g_autoptr(GPtrArray) vfs = pvr_host_get_vfs(host, pf_netdev, NULL);
    PvrVf made = {0};

    g_return_val_if_fail(parse(step, step->on, &made), FALSE);
    for (guint i = 0; vfs != NULL && i < vfs->len; i++) {
        const PvrVf *vf = g_ptr_array_index(vfs, i);

        if (vf->index == index) {
            return (vf->set & made.set) != made.set || pvr_vf_same(vf, &made, made.set);
        }
    }
    return TRUE;
}

static gboolean
undo_vf(const PvrStep *step, PvrHost *host, GError **error)
{
    g_autoptr(GError) local = NULL;
    guint index = 0;
    g_autofree char *pf_netdev = find_pf_netdev(step, host, &index, &local);

    if (pf_netdev == NULL) {
        return pvr_step_is_gone(g_steal_pointer(&local), error);
    }
    if (!is_ours(step, pf_netdev, index, host)) {
        return TRUE;
    }
    return set_text(step, step->was, pf_netdev, index, host, &local) ||
           pvr_step_is_gone(g_steal_pointer(&local), error);
}

const PvrStepClass pvr_step_vf_mac = {check_vf, make_vf, undo_vf, TRUE};
const PvrStepClass pvr_step_vf_guid = {check_vf, make_vf, undo_vf, TRUE};
const PvrStepClass pvr_step_vf_attr = {check_vf, make_vf, undo_vf, TRUE};
