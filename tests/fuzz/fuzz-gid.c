/* SPDX-License-Identifier: GPL-2.0-or-later */
/* GID and MAC texts, UUIDs and names: what parses prints, and prints as it parses. */
#include "fuzz.h"
#include "pvr-gid.h"
#include "pvr-ibdev.h"
#include "pvr-uuid.h"

static void
try_gid(const char *text)
{
    g_autofree char *print = NULL;
    PvrGid gid, again, made;
    PvrMac mac;

    if (!pvr_gid_parse(text, &gid, NULL)) {
        return;
    }
    print = pvr_gid_to_string(&gid);
    g_assert_true(pvr_gid_parse(print, &again, NULL));
    g_assert_true(pvr_gid_equal(&gid, &again));
    if (pvr_gid_to_mac(&gid, &mac, NULL)) {
        pvr_gid_from_mac(&mac, &made);
        g_assert_cmpmem(made.raw + 8, 8, gid.raw + 8, 8);
    }
}

static void
try_mac(const char *text)
{
    g_autofree char *print = NULL;
    PvrMac mac, again;

    if (pvr_mac_parse(text, &mac, NULL)) {
        print = pvr_mac_to_string(&mac);
        g_assert_true(pvr_mac_parse(print, &again, NULL));
        g_assert_true(pvr_mac_equal(&mac, &again));
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autofree char *text = g_strndup(size > 0 ? (const char *)data : "", size);
    g_autofree char *uuid = pvr_uuid_canonical(text, NULL);

    try_gid(text);
    try_mac(text);
    pvr_ibdev_check_name(text, NULL);
    pvr_netdev_check_name(text, NULL);
    g_assert_true(uuid == NULL || g_uuid_string_is_valid(uuid));
    return 0;
}
