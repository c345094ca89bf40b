/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lease files: what is accepted can be written, and reads as the same again. */
#include "fuzz.h"
#include "pvr-error.h"
#include "pvr-lease.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PvrLease) lease = pvr_lease_from_json((const char *)data, size, &error);
    g_autoptr(PvrLease) again = NULL;
    g_autofree char *text = NULL;
    g_autofree char *text_again = NULL;
    gsize len;

    g_assert_true((lease == NULL) == (error != NULL));
    if (lease == NULL) {
        g_assert_error(error, PVR_ERROR, PVR_ERROR_CORRUPT);
        return 0;
    }
    text = pvr_lease_to_json(lease, &len);
    again = pvr_lease_from_json(text, len, &error);
    g_assert_no_error(error);
    text_again = pvr_lease_to_json(again, &len);
    g_assert_cmpstr(text, ==, text_again);
    return 0;
}
