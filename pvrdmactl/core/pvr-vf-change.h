/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Changes of VFs from begin to end: locked, journalled, waited for, verified, and taken back when
 * anything of it fails. For commands; prepare has a lease instead of a journal of its own.
 */
#pragma once

#include "pvr-host.h"
#include "pvr-journal.h"

typedef struct {
    guint lock_ms;
    guint timeout_ms;           /* how long what was made may take to appear */
    /* Both may be NULL. */
    PvrCheckpoint checkpoint;
    void (*progress)(const char *text, gpointer user_data);
    gpointer user_data;         /* for both */
} PvrVfChange;

/*
 * Gives a VF what want->set says. NOTHING: it has it. BUSY: a domain holds it, a process uses it, or it was given away.
 * Other errors as of pvr_vf_plan(), the host's operations, and pvr_vf_wait(). Those that a second line of the
 * message says were not taken back are in a journal, for pvrdmactl recover.
 */
gboolean pvr_vf_change(PvrHost *host, const char *pci, const PvrVf *want,
                       const PvrVfChange *change, GError **error);

/*
 * Gives a PF a number of VFs. NOTHING: it has it. BUSY: it has others and may not @replace them, or one of them is in use.
 * New ones have no address yet, and may still lack driver and devices.
 */
gboolean pvr_vf_change_number(PvrHost *host, const char *pf, guint number, gboolean replace,
                              const PvrVfChange *change, GError **error);

/*
 * Waits for driver and devices of a VF just made, and gives it what it lacks. NOTHING: it lacks nothing.
 */
gboolean pvr_vf_complete(PvrHost *host, const char *pci, const PvrVfChange *change, GError **error);

/*
 * What a VF as the driver made it lacks: an address that lasts, on InfiniBand also a port that may go up. Nothing
 * of what somebody gave it. @ret_want->set is 0 when it lacks nothing.
 */
gboolean pvr_vf_find_lacks(PvrHost *host, const PvrPci *vf, PvrVf *ret_want, GError **error);

/* What pvrdmactl vf reset gives: the address that lasts, and none of the rights and limits that somebody left. */
gboolean pvr_vf_find_reset(PvrHost *host, const PvrPci *vf, PvrVf *ret_want, GError **error);
