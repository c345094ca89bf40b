/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Journal files: what is accepted can be written, and reads as the same again. */
#include "fuzz.h"
#include "pvr-error.h"
#include "pvr-journal-file.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PvrJournalFile) file = pvr_journal_from_json((const char *)data, size, &error);
    g_autoptr(PvrJournalFile) again = NULL;
    g_autofree char *text = NULL;
    g_autofree char *text_again = NULL;
    gsize len;

    g_assert_true((file == NULL) == (error != NULL));
    if (file == NULL) {
        g_assert_error(error, PVR_ERROR, PVR_ERROR_CORRUPT);
        return 0;
    }
    text = pvr_journal_to_json(file, &len);
    again = pvr_journal_from_json(text, len, &error);
    g_assert_no_error(error);
    text_again = pvr_journal_to_json(again, &len);
    g_assert_cmpstr(text, ==, text_again);
    return 0;
}
