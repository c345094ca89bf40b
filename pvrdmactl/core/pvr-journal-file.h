/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file of a journal, PVR_DIR_RUN/journal/NAME.json. Whoever works with it holds its lock as long, so that what is
 * found unlocked was left by a process that is gone.
 */
#pragma once

#include "pvr-journal.h"

typedef struct {
    char *name;
    gint64 pid; /* who wrote it */
    GPtrArray *steps;
    PvrLock *lock; /* NULL: only read */
} PvrJournalFile;

void pvr_journal_file_free(PvrJournalFile *file);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PvrJournalFile, pvr_journal_file_free)

/* NAME of each file that is there, also of the rubbish of an unfinished write; sorted. Empty when there are none. */
GPtrArray *pvr_journal_list(PvrHost *host, GError **error);

/* PVR_ERROR_NOT_FOUND: there is none. PVR_ERROR_CORRUPT: it is damaged; names the file and says what to do. */
PvrJournalFile *pvr_journal_load(PvrHost *host, const char *name, GError **error);

/*
 * What a process that is gone has left, as a journal that can be rolled back. PVR_ERROR_BUSY: somebody works with it. NULL
 * without error: it is gone; with @clean what an unfinished write left under that name is removed then.
 */
PvrJournal *pvr_journal_reopen(PvrHost *host, const char *name, gboolean clean,
                               PvrCheckpoint checkpoint, gpointer user_data, GError **error);

/* Strict both ways; PVR_ERROR_CORRUPT says why @data is no journal. */
char *pvr_journal_to_json(const PvrJournalFile *file, gsize *ret_len);
PvrJournalFile *pvr_journal_from_json(const char *data, gsize len, GError **error);
