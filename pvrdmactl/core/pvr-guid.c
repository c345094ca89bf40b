/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-guid.h"

#include <string.h>

#define DIGITS 16

/* All digits, with a colon after every @group of them; 0: without any. */
static gboolean
parse_grouped(const char *text, guint group, guint64 *ret_guid)
{
    guint64 guid = 0;

    for (guint i = 0; i < DIGITS; i++) {
        if (group != 0 && i != 0 && i % group == 0 && *text++ != ':')
            return FALSE;
        if (!g_ascii_isxdigit(*text))
            return FALSE;
        guid = guid << 4 | (guint64) g_ascii_xdigit_value(*text++);
    }
    if (*text != '\0')
        return FALSE;
    *ret_guid = guid;
    return TRUE;
}

gboolean
pvr_guid_parse(const char *text, guint64 *ret_guid)
{
    if (g_ascii_strncasecmp(text, "0x", 2) == 0)
        return parse_grouped(text + 2, 0, ret_guid);
    return parse_grouped(text, 4, ret_guid) || parse_grouped(text, 2, ret_guid);
}

char *
pvr_guid_to_string(guint64 guid)
{
    return g_strdup_printf("%04x:%04x:%04x:%04x", (guint) (guid >> 48) & 0xffff,
                           (guint) (guid >> 32) & 0xffff, (guint) (guid >> 16) & 0xffff,
                           (guint) guid & 0xffff);
}
