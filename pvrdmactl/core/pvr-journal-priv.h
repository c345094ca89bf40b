/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a journal is kept: in a file of its own (pvr-journal-file.c), or in a lease (pvr-lease.c). */
#pragma once

#include "pvr-journal.h"

typedef struct {
    gboolean (*save)(gpointer owner, PvrHost *host, GError **error);
    gboolean (*remove)(gpointer owner, PvrHost *host, GError **error);
    void (*free)(gpointer owner); /* may be NULL */
    guint max_steps;
} PvrJournalStore;

/* @steps is the owner's array, which save() writes. Borrows @store; takes @owner if it has a free(). */
PvrJournal *pvr_journal_new(PvrHost *host, GPtrArray *steps, const PvrJournalStore *store,
                            gpointer owner, PvrCheckpoint checkpoint, gpointer user_data);
