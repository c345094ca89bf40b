/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Configuration files: what is accepted can be written, and reads as the same again. */
#include <string.h>

#include "fuzz.h"
#include "pvr-conf.h"
#include "pvr-error.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PvrConf) conf = pvr_conf_new();
    g_autoptr(PvrConf) again = pvr_conf_new();
    g_autofree char *text = NULL;
    g_autofree char *text_again = NULL;

    if (!pvr_conf_add(conf, "F", (const char *)data, size, &error)) {
        g_assert_error(error, PVR_ERROR, PVR_ERROR_CORRUPT);
        g_assert_true(g_str_has_prefix(error->message, "F:"));
        return 0;
    }
    text = pvr_conf_to_json(conf);
    pvr_conf_add(again, "F", text, strlen(text), &error);
    g_assert_no_error(error);
    text_again = pvr_conf_to_json(again);
    g_assert_cmpstr(text, ==, text_again);
    return 0;
}
