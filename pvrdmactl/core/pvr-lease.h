/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A lease says that one domain holds one port of one device, and is the journal of
 * what was made on the host for it.  One JSON file per device of a domain,
 * PVR_DIR_RUN/leases/UUID-ID.json.  Life cycle:
 *
 *   preparing   the file exists before the first step; each step is recorded
 *               (on the medium) before it is made, so an undo may find the
 *               last step not made yet. `pid` is the process that prepares
 *   prepared    all steps made, QEMU not known to run
 *   running     QEMU is process `pid`
 *
 * An undo is legal in every state and may be repeated: it takes the steps
 * back in reverse and removes the file last.
 *
 * Whoever changes or removes a lease holds the lock of its domain, pvr_domain_lock(), and for its
 * steps that of its device; whoever makes a new one holds the table's, pvr_lease_lock(), from the
 * look at all others until it is written. Readers need none.
 */
#pragma once

#include <glib.h>

#include "pvr-gid.h"
#include "pvr-host.h"
#include "pvr-journal.h"
#include "pvr-lock.h"

#define PVR_LEASE_PREPARING "preparing"
#define PVR_LEASE_PREPARED "prepared"
#define PVR_LEASE_RUNNING "running"

#define PVR_LEASE_MAX_BYTES 65536
#define PVR_LEASE_MAX_STEPS 64
#define PVR_DEVICE_MAX_ID 255

typedef struct {
    char *uuid;   /* lower case; the key together with id */
    char *domain; /* name when it was made: for messages only, domains can be renamed */
    guint id;
    char *ibdev;
    guint port;
    char *device; /* what it is on, for good: the key of pvr_device_lock(). NULL: not recorded */
    PvrGid gid;
    char *state;       /* PVR_LEASE_... */
    gint64 pid;        /* see above; 0 when prepared */
    guint64 pid_start; /* its start time in clock ticks (proc_pid_stat(5) field 22) */
    GPtrArray *steps;  /* of PvrStep, in the order made */
} PvrLease;

PvrLease *pvr_lease_new(const char *uuid, const char *domain, guint id, const char *ibdev,
                        guint port, const PvrGid *gid);
void pvr_lease_free(PvrLease *lease);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PvrLease, pvr_lease_free)

/* The lock of the table of leases, held for moments; waits at most @timeout_ms, then PVR_ERROR_BUSY. */
PvrLock *pvr_lease_lock(PvrHost *host, guint timeout_ms, GError **error);

/* Path of the lease file, with the host's root prefix. */
char *pvr_lease_path(PvrHost *host, const char *uuid, guint id);

/*
 * All leases, sorted by file name; empty when there are none.  Fails with PVR_ERROR_CORRUPT,
 * naming the file, when one cannot be understood: what it holds is then not
 * known, so nobody may be told that an ibdevice is free.
 */
GPtrArray *pvr_lease_list(PvrHost *host, GError **error);

/*
 * Ids (guint) for which the domain @uuid has a lease file, damaged or not, or the rubbish of an
 * unfinished write. Empty when there are none.
 */
GArray *pvr_lease_list_ids(PvrHost *host, const char *uuid, GError **error);

/* The lease in @leases that holds @ibdev and @port, or NULL.  Owned by @leases. */
PvrLease *pvr_lease_find_ibdev(GPtrArray *leases, const char *ibdev, guint port);

/*
 * As above, or one of that port of the PCI function @device, whatever its ibdevice is called by now. Either may be NULL.
 */
PvrLease *pvr_lease_find_holder(GPtrArray *leases, const char *ibdev, guint port,
                                const char *device);

/* The lease @uuid-@id in @leases, or NULL.  Owned by @leases. */
PvrLease *pvr_lease_find(GPtrArray *leases, const char *uuid, guint id);

/* PVR_ERROR_NOT_FOUND: there is none.  PVR_ERROR_CORRUPT: as for pvr_lease_list(). */
PvrLease *pvr_lease_load(PvrHost *host, const char *uuid, guint id, GError **error);

/* On success the lease is on the medium. */
gboolean pvr_lease_save(PvrHost *host, const PvrLease *lease, GError **error);

/* Writes the lease with this state and process (0: none). On failure it is as before. */
gboolean pvr_lease_set_process(PvrLease *lease, PvrHost *host, const char *state, gint64 pid,
                               GError **error);

/* What pvr_device_lock() takes for the lease's steps. Borrowed. */
const char *pvr_lease_device(const PvrLease *lease);

/*
 * The lease as a journal: pvr_journal_run() adds steps to it. It borrows the lease, whose end comes with
 * pvr_lease_undo(); it is never committed.
 */
PvrJournal *pvr_lease_journal(PvrLease *lease, PvrHost *host, PvrCheckpoint checkpoint,
                              gpointer user_data);

/*
 * Takes back all steps and removes the file. A step that was never made, or whose
 * result somebody else removed or replaced, is skipped. When a step fails, the others are still
 * taken back, the file stays, and the first error is reported.
 */
gboolean pvr_lease_undo(PvrLease *lease, PvrHost *host, PvrCheckpoint checkpoint,
                        gpointer user_data, GError **error);

/* pvr-lease-json.c: strict both ways; PVR_ERROR_CORRUPT says why @data is no lease. */
char *pvr_lease_to_json(const PvrLease *lease, gsize *ret_len);
PvrLease *pvr_lease_from_json(const char *data, gsize len, GError **error);
