/* SPDX-License-Identifier: GPL-2.0-or-later */
/* VFs of the fake host: what the PF keeps for them, and what their driver makes of it. */
#pragma once

#include <glib.h>

typedef struct {
    char *pf;
    guint index;
} PvrFakeVf;

void pvr_fake_vf_clear(PvrFakeVf *vf);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(PvrFakeVf, pvr_fake_vf_clear)

/* FALSE: the function is no VF. */
gboolean pvr_fake_find_vf(const char *root, const char *address, PvrFakeVf *ret_vf);

/* NULL: it has none. */
char *pvr_fake_function_of_netdev(const char *root, const char *netdev);

char *pvr_fake_get_quirk(const char *root, const char *pf, const char *quirk);
gboolean pvr_fake_has_quirk(const char *root, const char *pf, const char *quirk);

void pvr_fake_link_netdev(const char *root, const char *address, const char *netdev);
void pvr_fake_link_ibdev(const char *root, const char *address, const char *ibdev);
void pvr_fake_remove_function(const char *root, const char *address);

/* The PF's record of a VF, as after its making. */
void pvr_fake_reset_vf(const char *root, const char *pf, guint index);

/* What the driver makes when it is bound to the function: its netdev and ibdevice. */
void pvr_fake_probe_vf(const char *root, const char *address, const char *driver);

/* Takes that away again. */
void pvr_fake_strip_function(const char *root, const char *address);
