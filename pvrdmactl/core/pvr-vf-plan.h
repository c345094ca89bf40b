/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What has to be done to a PF or a VF, as steps for a journal. Steps name a VF's netdev as "pci ADDRESS": it may be
 * called otherwise once the driver is bound again.
 */
#pragma once

#include "pvr-host.h"
#include "pvr-journal.h"

/*
 * What the PF keeps for a VF, and the netdev of the PF that says so. UNSUPPORTED: @vf is no VF, or the driver tells
 * nothing; NOT_FOUND: the PF's netdev is gone, or in another network namespace.
 */
char *pvr_vf_find_record(PvrHost *host, const PvrPci *vf, PvrVf *ret_record, GError **error);

/*
 * The steps (of PvrStep) that give the VF what want->set says, and make it take effect; empty when it is so. An
 * address needs the driver to be bound anew: rxe links on the VF's netdev are taken away before and made again under
 * their names after, and a netdev that was up, or has an RDMA device, is up in the end.
 * BUSY: the VF was given away (vfio-pci, another network namespace); UNSUPPORTED: no VF, or the driver
 * has no such attribute; USAGE: a MAC or GUID that none can have.
 */
GPtrArray *pvr_vf_plan(PvrHost *host, const PvrPci *vf, const PvrVf *want, GError **error);

/*
 * The same for the number of VFs of a PF: by way of 0 where there are some, with the PF's netdev up. The
 * VFs' addresses are not part of it. UNSUPPORTED: no SR-IOV, or more than the firmware allows.
 */
GPtrArray *pvr_vf_plan_number(PvrHost *host, const PvrPci *pf, guint number, GError **error);

typedef struct {
    guint timeout_ms;   /* how long what a step made may take to appear */
    /* Makes one step, which it takes: journals and does it. */
    gboolean (*run)(PvrStep *step, gpointer user_data, GError **error);
    /* When it takes longer than a second: what is waited for, and again when that is another. May be NULL. */
    void (*progress)(const char *text, gpointer user_data);
    gpointer user_data;
} PvrVfRun;

/* Runs the steps, and waits for the netdev where one needs it. Undoes nothing. */
gboolean pvr_vf_run(PvrHost *host, const GPtrArray *steps, const PvrVfRun *run, GError **error);

/* One look: what is not, or not yet, as it shall be; of @want counts the address. @ibdev: an RDMA device is to be there. */
gboolean pvr_vf_verify(PvrHost *host, const char *pci, const PvrVf *want, gboolean ibdev,
                       GError **error);

/* The same until it is so, or the time is over. NOT_FOUND at once when the function vanished. */
gboolean pvr_vf_wait(PvrHost *host, const char *pci, const PvrVf *want, gboolean ibdev,
                     const PvrVfRun *run, GError **error);

/*
 * Until a new VF has its driver and netdev, and with @ibdev its RDMA device, or the time is over. UNSUPPORTED at once when
 * the kernel was told to bind no drivers to new VFs.
 */
gboolean pvr_vf_wait_ready(PvrHost *host, const char *pci, gboolean ibdev, const PvrVfRun *run,
                           GError **error);

/* Gives a port time to become ACTIVE, unless what stops it will not change by itself: see pvr_vf_explain_port(). */
void pvr_vf_wait_port(PvrHost *host, const char *pci, guint timeout_ms);

/*
 * Why the port of an RDMA device on @pci is not ACTIVE, and in a second line what helps. NULL: it is ACTIVE,
 * or there is none.
 */
char *pvr_vf_explain_port(PvrHost *host, const PvrPci *pci);
