/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-journal.h"

#include "pvr-error.h"
#include "pvr-journal-priv.h"

struct _PvrJournal {
    PvrHost *host;
    GPtrArray *steps;
    const PvrJournalStore *store;
    gpointer owner;
    PvrCheckpoint checkpoint;
    gpointer user_data;
};

PvrJournal *
pvr_journal_new(PvrHost *host, GPtrArray *steps, const PvrJournalStore *store, gpointer owner,
                PvrCheckpoint checkpoint, gpointer user_data)
{
    PvrJournal *journal = g_new0(PvrJournal, 1);

    journal->host = host;
    journal->steps = g_ptr_array_ref(steps);
    journal->store = store;
    journal->owner = owner;
    journal->checkpoint = checkpoint;
    journal->user_data = user_data;
    return journal;
}

void
pvr_journal_free(PvrJournal *journal)
{
    if (journal == NULL) {
        return;
    }
    g_ptr_array_unref(journal->steps);
    if (journal->store->free != NULL) {
        journal->store->free(journal->owner);
    }
    g_free(journal);
}

const GPtrArray *
pvr_journal_steps(const PvrJournal *journal)
{
    return journal->steps;
}

static gboolean
save(PvrJournal *journal, GError **error)
{
    return journal->store->save(journal->owner, journal->host, error);
}

static void
drop_last(PvrJournal *journal)
{
    g_ptr_array_set_size(journal->steps, (int)journal->steps->len - 1);
}

static void
checkpoint(PvrJournal *journal, const char *verb, PvrStepKind kind)
{
    g_autofree char *where = NULL;

    if (journal->checkpoint != NULL) {
        where = g_strconcat(verb, " ", pvr_step_kind_to_string(kind), NULL);
        journal->checkpoint(where, journal->user_data);
    }
}

/* A step that could not be written is not in the journal, and must not be made. */
static gboolean
record(PvrJournal *journal, PvrStep *step, GError **error)
{
    g_autoptr(PvrStep) owned = step;

    if (journal->steps->len >= journal->store->max_steps) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_FAILED, "more than %u steps are in the journal",
                    journal->store->max_steps);
        return FALSE;
    }
    /* What could not be read back must not be written. */
    if (!pvr_step_check(step, error)) {
        return FALSE;
    }
    g_ptr_array_add(journal->steps, g_steal_pointer(&owned));
    if (!save(journal, error)) {
        drop_last(journal);
        return FALSE;
    }
    return TRUE;
}

gboolean
pvr_journal_run(PvrJournal *journal, PvrStep *step, GError **error)
{
    const PvrStepKind kind = step->kind;

    if (!record(journal, step, error)) {
        return FALSE;
    }
    checkpoint(journal, "recorded", kind);
    if (!pvr_step_do(g_ptr_array_index(journal->steps, journal->steps->len - 1), journal->host,
                     error)) {
        /* Not made: what is there all the same is somebody else's, faster than we were. */
        drop_last(journal);
        save(journal, NULL);
        return FALSE;
    }
    checkpoint(journal, "made", kind);
    return TRUE;
}

static gboolean
undo_at(PvrJournal *journal, guint index, GHashTable *stuck, GError **error)
{
    const PvrStep *step = g_ptr_array_index(journal->steps, index);
    g_autofree char *device = pvr_step_device(step, journal->host);
    const PvrStepKind kind = step->kind;

    if (device != NULL && g_hash_table_contains(stuck, device)) {
        return TRUE; /* it stays: an address that is set behind a driver that is still bound is of no use */
    }
    if (!pvr_step_undo(step, journal->host, error)) {
        if (device != NULL) {
            g_hash_table_add(stuck, g_steal_pointer(&device));
        }
        return FALSE;
    }
    checkpoint(journal, "undone", kind);
    g_ptr_array_remove_index(journal->steps, index);
    /* A crash from here on must not find it: to undo an unbind twice would be right, to undo a bind is not. */
    if (journal->steps->len > 0) {
        save(journal, NULL);
    }
    return TRUE;
}

gboolean
pvr_journal_rollback(PvrJournal *journal, GError **error)
{
    g_autoptr(GHashTable) stuck = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GError) first = NULL;

    for (guint i = journal->steps->len; i > 0; i--) {
        undo_at(journal, i - 1, stuck, first == NULL ? &first : NULL);
    }
    if (first != NULL) {
        g_propagate_error(error, g_steal_pointer(&first));
        return FALSE;
    }
    return journal->store->remove(journal->owner, journal->host, error);
}

gboolean
pvr_journal_commit(PvrJournal *journal, GError **error)
{
    if (!journal->store->remove(journal->owner, journal->host, error)) {
        return FALSE;
    }
    g_ptr_array_set_size(journal->steps, 0);
    return TRUE;
}
