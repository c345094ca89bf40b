/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-uuid.h"

#include "pvr-error.h"

char *
pvr_uuid_canonical(const char *text, GError **error)
{
    if (!g_uuid_string_is_valid(text)) {
        g_autofree char *shown = g_strndup(text, 60);
        g_autofree char *safe = g_strescape(shown, NULL);

        g_set_error(error, PVR_ERROR, PVR_ERROR_USAGE, "'%s' is not a UUID", safe);
        return NULL;
    }
    return g_ascii_strdown(text, -1);
}
