/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-inet6.h"

#include <stdio.h>
#include <string.h>

#include "pvr-store.h"

#define MAX_FILE (4 << 20)

/* IFA_F_DADFAILED and IFA_F_TENTATIVE of linux/if_addr.h */
#define FLAG_DUPLICATE 0x08
#define FLAG_TENTATIVE 0x40

static gboolean
parse_address(const char *digits, PvrGid *address)
{
    for (guint i = 0; i < sizeof(address->raw); i++) {
        const int high = g_ascii_xdigit_value(digits[2 * i]);
        const int low = high >= 0 ? g_ascii_xdigit_value(digits[2 * i + 1]) : -1;

        if (low < 0) {
            return FALSE;
        }
        address->raw[i] = (guint8)(high << 4 | low);
    }
    return TRUE;
}

/* "ADDRESS IFINDEX PREFIX SCOPE FLAGS NAME", numbers in hex; alignment is by blanks. */
static gboolean
parse_line(const char *line, PvrInet6 *entry)
{
    char digits[33] = "";
    guint flags = 0;

    *entry = (PvrInet6){0};
    if (sscanf(line, "%32s %*8x %*4x %*4x %8x %15s", digits, &flags, entry->netdev) != 3 ||
        !parse_address(digits, &entry->address)) {
        return FALSE;
    }
    entry->tentative = (flags & FLAG_TENTATIVE) != 0;
    entry->duplicate = (flags & FLAG_DUPLICATE) != 0;
    return TRUE;
}

GArray *
pvr_inet6_list(PvrHost *host)
{
    g_autofree char *path = pvr_host_path(host, PVR_DIR_PROC, "net/if_inet6", NULL);
    gsize len = 0;
    g_autofree char *text = pvr_store_read(path, MAX_FILE, &len, NULL);
    g_autoptr(GArray) addresses = g_array_new(FALSE, FALSE, sizeof(PvrInet6));
    g_auto(GStrv) lines = g_strsplit(text != NULL ? text : "", "\n", -1);

    for (guint i = 0; lines[i] != NULL; i++) {
        PvrInet6 entry;

        if (*lines[i] == '\0') {
            continue;
        }
        if (!parse_line(lines[i], &entry)) {
            return NULL;
        }
        g_array_append_val(addresses, entry);
    }
    return text != NULL ? g_steal_pointer(&addresses) : NULL;
}

const PvrInet6 *
pvr_inet6_find(const GArray *addresses, const char *netdev, const PvrGid *address)
{
    for (guint i = 0; i < addresses->len; i++) {
        const PvrInet6 *entry = &g_array_index(addresses, PvrInet6, i);

        if (strcmp(entry->netdev, netdev) == 0 && pvr_gid_equal(&entry->address, address)) {
            return entry;
        }
    }
    return NULL;
}
