/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Steps on PCI functions: how many VFs, which driver. */
#include <string.h>

#include "pvr-error.h"
#include "pvr-step-priv.h"

#define MAX_VFS 65535
#define MAX_DRIVER 63

/* As we write it: decimal, without leading zeros or sign. */
static gboolean
parse_number(const char *text, guint *ret_number)
{
    guint64 number = 0;

    if ((text[0] == '0' && text[1] != '\0') ||
        !g_ascii_string_to_unsigned(text, 10, 0, MAX_VFS, &number, NULL)) {
        return FALSE;
    }
    *ret_number = (guint)number;
    return TRUE;
}

static gboolean
check_num_vfs(const PvrStep *step)
{
    guint on, was;

    return pvr_step_is_pci(step->what) && parse_number(step->on, &on) &&
           parse_number(step->was, &was);
}

static gboolean
make_num_vfs(const PvrStep *step, PvrHost *host, GError **error)
{
    guint number;

    return parse_number(step->on, &number) &&
           pvr_host_set_num_vfs(host, step->what, number, error);
}

static gboolean
undo_num_vfs(const PvrStep *step, PvrHost *host, GError **error)
{
    g_autoptr(GError) local = NULL;
    g_autoptr(PvrPci) pf = pvr_host_get_pci(host, step->what, &local);
    guint on = 0, was = 0;

    if (pf == NULL) {
        return pvr_step_is_gone(g_steal_pointer(&local), error);
    }
    if (!parse_number(step->on, &on) || !parse_number(step->was, &was) || pf->vfs != on) {
        return TRUE;
    }
    return pvr_host_set_num_vfs(host, step->what, was, error);
}

const PvrStepClass pvr_step_num_vfs = {check_num_vfs, make_num_vfs, undo_num_vfs, TRUE};

static gboolean
check_driver(const PvrStep *step)
{
    const gsize len = strlen(step->on);

    return pvr_step_is_pci(step->what) && len > 0 && len <= MAX_DRIVER && step->on[0] != '.' &&
           strspn(step->on, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "-_.") == len;
}

/* NULL with an error, or without one when the function is gone. */
static PvrPci *
find_function(const PvrStep *step, PvrHost *host, GError **error)
{
    g_autoptr(GError) local = NULL;
    PvrPci *pci = pvr_host_get_pci(host, step->what, &local);

    if (pci == NULL) {
        pvr_step_is_gone(g_steal_pointer(&local), error);
    }
    return pci;
}

static gboolean
make_bind(const PvrStep *step, PvrHost *host, GError **error)
{
    return pvr_host_bind(host, step->what, step->on, error);
}

static gboolean
make_unbind(const PvrStep *step, PvrHost *host, GError **error)
{
    return pvr_host_unbind(host, step->what, error);
}

/* Only where no driver is: with one, the step was not made, or somebody has bound it since. */
static gboolean
undo_unbind(const PvrStep *step, PvrHost *host, GError **error)
{
    g_autoptr(GError) local = NULL;
    g_autoptr(PvrPci) pci = find_function(step, host, &local);

    if (local != NULL) {
        g_propagate_error(error, g_steal_pointer(&local));
        return FALSE;
    }
    return pci == NULL || pci->driver != NULL || make_bind(step, host, error);
}

static gboolean
undo_bind(const PvrStep *step, PvrHost *host, GError **error)
{
    g_autoptr(GError) local = NULL;
    g_autoptr(PvrPci) pci = find_function(step, host, &local);

    if (local != NULL) {
        g_propagate_error(error, g_steal_pointer(&local));
        return FALSE;
    }
    return pci == NULL || g_strcmp0(pci->driver, step->on) != 0 || make_unbind(step, host, error);
}

const PvrStepClass pvr_step_unbind = {check_driver, make_unbind, undo_unbind, FALSE};
const PvrStepClass pvr_step_bind = {check_driver, make_bind, undo_bind, FALSE};
