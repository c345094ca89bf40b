/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Steps that change the host, and their journal. A step is data: what to do and what was there before. It is on the
 * medium before it is made, so that whoever comes after a crash can take it back; undoing a step that was not made,
 * or whose result somebody else has changed meanwhile, does nothing.
 *
 * A journal is part of a lease (the steps of a running domain), or a file of its own, PVR_DIR_RUN/journal/NAME.json,
 * for the time a command works (vf create, apply): then success removes it, and what is found there later is
 * unfinished business for `pvrdmactl recover`. /run does not outlive the host's kernel, whose state it describes.
 */
#pragma once

#include "pvr-host.h"
#include "pvr-lock.h"

typedef enum {
    PVR_STEP_RXE_ADD,   /* what: name of the rxe link, on: its netdev */
    PVR_STEP_SYMLINK,   /* what: /dev/pvrdma/UUID-ID, on: /dev/infiniband/uverbsN */
    PVR_STEP_RXE_DEL,   /* what: name of the rxe link, on: its netdev, or "pci ADDRESS" when the netdev will be another */
    PVR_STEP_NUM_VFS,   /* what: PCI address of the PF, on: new number, was: former number */
    PVR_STEP_UNBIND,    /* what: PCI address, on: driver; its undo binds again */
    PVR_STEP_BIND,      /* what: PCI address, on: driver; its undo unbinds */
    PVR_STEP_VF_MAC,    /* what: PCI address of the VF, on: new MAC, was: former MAC; through the PF */
    PVR_STEP_VF_GUID,   /* what: PCI address of the VF, on, was: "NODE-GUID PORT-GUID" */
    PVR_STEP_VF_ATTR,   /* what: PCI address of the VF, on, was: "trust on", "vlan 5 0", ... */
    PVR_STEP_NETDEV_MAC,/* what: netdev, on: new MAC, was: former MAC */
    PVR_STEP_NETDEV_UP, /* what: netdev, on, was: "up" or "down" */
} PvrStepKind;

typedef struct {
    PvrStepKind kind;
    char *what;
    char *on;
    char *was; /* NULL for kinds without */
} PvrStep;

PvrStep *pvr_step_new(PvrStepKind kind, const char *what, const char *on, const char *was);
void pvr_step_free(PvrStep *step);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PvrStep, pvr_step_free)

/* Makes the step on the host, or takes it back. Neither writes a journal. */
gboolean pvr_step_do(const PvrStep *step, PvrHost *host, GError **error);
gboolean pvr_step_undo(const PvrStep *step, PvrHost *host, GError **error);

/* "rxe-add", "symlink", "num-vfs", ... as in the files */
const char *pvr_step_kind_to_string(PvrStepKind kind);

typedef struct _PvrJournal PvrJournal;

/* Called with "recorded KIND" before and "made KIND" after each step; tests kill the process there. */
typedef void (*PvrCheckpoint)(const char *where, gpointer user_data);

/*
 * A journal of its own: PVR_DIR_RUN/journal/NAME.json, NAME being letters, digits, '-', '_', '.', ':'. The caller holds the locks
 * of the devices that it will change. PVR_ERROR_BUSY when such a file is there already: unfinished business, whose remedy
 * is `pvrdmactl recover`.
 */
PvrJournal *pvr_journal_begin(PvrHost *host, const char *name, PvrCheckpoint checkpoint,
                              gpointer user_data, GError **error);

/* Records the step, makes it. Takes the step. On failure the step is out of the journal again, the earlier ones stay. */
gboolean pvr_journal_run(PvrJournal *journal, PvrStep *step, GError **error);

/* Undoes all steps in reverse, does as much as it can, removes the file when nothing is left. */
gboolean pvr_journal_rollback(PvrJournal *journal, GError **error);

/* Success: forgets the steps and removes the file. */
gboolean pvr_journal_commit(PvrJournal *journal, GError **error);

/* Neither committed nor rolled back: the file stays. */
void pvr_journal_free(PvrJournal *journal);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PvrJournal, pvr_journal_free)

/* The lock of one device: @key is a PCI address, or the name of a netdev or ibdevice that is on no PCI function. */
PvrLock *pvr_journal_lock_device(PvrHost *host, const char *key, guint timeout_ms, GError **error);
