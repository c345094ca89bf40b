/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the pvr-step*.c: what the kinds of steps do. Contracts are in pvr-step.h. */
#pragma once

#include "pvr-step.h"

#define PVR_STEP_PCI_PREFIX "pci " /* instead of the name of a netdev: the one of a PCI function */
#define PVR_STEP_NETDEV_WAIT_MS 5000 /* a driver that was just bound makes its netdev, udev renames it */

typedef struct {
    gboolean (*check)(const PvrStep *step); /* all but `was` being there or not */
    gboolean (*make)(const PvrStep *step, PvrHost *host, GError **error);
    gboolean (*undo)(const PvrStep *step, PvrHost *host, GError **error);
    gboolean has_was;
} PvrStepClass;

extern const PvrStepClass pvr_step_rxe_add, pvr_step_rxe_del, pvr_step_symlink;     /* pvr-step-link.c */
extern const PvrStepClass pvr_step_num_vfs, pvr_step_unbind, pvr_step_bind;         /* pvr-step-pci.c */
extern const PvrStepClass pvr_step_vf_mac, pvr_step_vf_guid, pvr_step_vf_attr;      /* pvr-step-vf.c */
extern const PvrStepClass pvr_step_netdev_mac, pvr_step_netdev_up;                  /* pvr-step-netdev.c */

/* A PCI address in the form that we write. */
gboolean pvr_step_is_pci(const char *text);

/* pvr-step-netdev.c: the address in "pci ADDRESS", else NULL; whether @text is that, or can be the name of a netdev. */
const char *pvr_step_pci_of(const char *text);
gboolean pvr_step_check_netdev(const char *text);

/*
 * The name of the netdev now. NULL with PVR_ERROR_NOT_FOUND when the function is gone or has no driver: no netdev is
 * going to come.
 */
char *pvr_step_find_netdev(const char *text, PvrHost *host, guint timeout_ms, GError **error);

/*
 * For an undo: TRUE when @local, which it takes, only says that the device is gone, and nothing is left to undo.
 * Else @local is the error.
 */
gboolean pvr_step_is_gone(GError *local, GError **error);
