/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Journals: steps (pvr-step.h) that are on the medium before they are made, and are undone in reverse on failure, or by
 * whoever comes after a crash.
 *
 * A journal is part of a lease (the steps of a running domain, pvr_lease_journal()), or a file of its own,
 * PVR_DIR_RUN/journal/NAME.json, for the time a command works (vf create, apply): then success removes it, and what is
 * found there later is unfinished business for `pvrdmactl recover`. /run does not outlive the host's kernel, whose state
 * it describes.
 */
#pragma once

#include "pvr-device-lock.h"
#include "pvr-host.h"
#include "pvr-step.h"

#define PVR_JOURNAL_MAX_STEPS 2048
#define PVR_JOURNAL_MAX_BYTES (1 << 20)
#define PVR_JOURNAL_MAX_NAME 128

typedef struct _PvrJournal PvrJournal;

/* Called with "recorded KIND" before and "made KIND" after each step; tests kill the process there. */
typedef void (*PvrCheckpoint)(const char *where, gpointer user_data);

/*
 * A journal of its own: PVR_DIR_RUN/journal/NAME.json, NAME being letters, digits, '-', '_', '.', ':'. The caller holds the locks
 * of the devices that it will change. PVR_ERROR_BUSY when such a file is there already: unfinished business, whose remedy
 * is `pvrdmactl recover`, or somebody is at it. @checkpoint may be NULL.
 */
PvrJournal *pvr_journal_begin(PvrHost *host, const char *name, PvrCheckpoint checkpoint,
                              gpointer user_data, GError **error);

/* Records the step, makes it. Takes the step. On failure the step is out of the journal again, the earlier ones stay. */
gboolean pvr_journal_run(PvrJournal *journal, PvrStep *step, GError **error);

/*
 * Undoes all steps in reverse, does as much as it can, removes the file when nothing is left. What cannot be undone stays
 * in the file, with the earlier steps on the same device; the first failure is reported.
 */
gboolean pvr_journal_rollback(PvrJournal *journal, GError **error);

/* Success: forgets the steps and removes the file. */
gboolean pvr_journal_commit(PvrJournal *journal, GError **error);

/* Neither committed nor rolled back: the file stays. */
void pvr_journal_free(PvrJournal *journal);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PvrJournal, pvr_journal_free)

/* The steps that are in it, in the order made. Borrowed. */
const GPtrArray *pvr_journal_steps(const PvrJournal *journal);
