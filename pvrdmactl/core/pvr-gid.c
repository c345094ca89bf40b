/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-gid.h"

#include <arpa/inet.h>
#include <string.h>

#include "pvr-error.h"

#define LOCAL_BIT 0x02
#define MULTICAST_BIT 0x01

gboolean
pvr_gid_parse(const char *text, PvrGid *ret_gid, GError **error)
{
    struct in6_addr addr;

    if (inet_pton(AF_INET6, text, &addr) != 1) {
        g_autofree char *shown = g_strndup(text, 60);
        g_autofree char *safe = g_strescape(shown, NULL);

        g_set_error(error, PVR_ERROR, PVR_ERROR_USAGE,
                    "'%s' is not a GID\n"
                    "write it like fe80::7efe:90ff:fecb:743a, or with all 32 hex digits", safe);
        return FALSE;
    }
    memcpy(ret_gid->raw, &addr, sizeof(ret_gid->raw));
    return TRUE;
}

char *
pvr_gid_to_string(const PvrGid *gid)
{
    GString *text = g_string_sized_new(40);

    for (guint i = 0; i < sizeof(gid->raw); i += 2)
        g_string_append_printf(text, "%s%02x%02x", i ? ":" : "", gid->raw[i], gid->raw[i + 1]);
    return g_string_free(text, FALSE);
}

gboolean
pvr_gid_is_zero(const PvrGid *gid)
{
    static const PvrGid zero;

    return pvr_gid_equal(gid, &zero);
}

gboolean
pvr_gid_is_link_local(const PvrGid *gid)
{
    return gid->raw[0] == 0xfe && (gid->raw[1] & 0xc0) == 0x80;
}

gboolean
pvr_gid_equal(const PvrGid *a, const PvrGid *b)
{
    return memcmp(a->raw, b->raw, sizeof(a->raw)) == 0;
}

static gboolean
scan_mac(const char *text, PvrMac *mac)
{
    const char sep = strlen(text) == 17 ? text[2] : '\0';

    if (sep != ':' && sep != '-')
        return FALSE;
    for (guint i = 0; i < 6; i++) {
        const char *pair = text + 3 * i;

        if (!g_ascii_isxdigit(pair[0]) || !g_ascii_isxdigit(pair[1]))
            return FALSE;
        if (pair[2] != (i < 5 ? sep : '\0'))
            return FALSE;
        mac->raw[i] = (guint8) (g_ascii_xdigit_value(pair[0]) << 4 | g_ascii_xdigit_value(pair[1]));
    }
    return TRUE;
}

gboolean
pvr_mac_parse(const char *text, PvrMac *ret_mac, GError **error)
{
    PvrMac mac;

    if (!scan_mac(text, &mac)) {
        g_autofree char *shown = g_strndup(text, 40);
        g_autofree char *safe = g_strescape(shown, NULL);

        g_set_error(error, PVR_ERROR, PVR_ERROR_USAGE,
                    "'%s' is not a MAC address\n"
                    "write six pairs of hex digits, like 7c:fe:90:cb:74:3a", safe);
        return FALSE;
    }
    *ret_mac = mac;
    return TRUE;
}

char *
pvr_mac_to_string(const PvrMac *mac)
{
    const guint8 *r = mac->raw;

    return g_strdup_printf("%02x:%02x:%02x:%02x:%02x:%02x", r[0], r[1], r[2], r[3], r[4], r[5]);
}

gboolean
pvr_mac_equal(const PvrMac *a, const PvrMac *b)
{
    return memcmp(a->raw, b->raw, sizeof(a->raw)) == 0;
}

gboolean
pvr_mac_is_usable(const PvrMac *mac)
{
    static const PvrMac zero;

    return !(mac->raw[0] & MULTICAST_BIT) && !pvr_mac_equal(mac, &zero);
}

void
pvr_mac_of_domain(const char *uuid, guint nth, PvrMac *ret_mac)
{
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
    g_autofree char *text = g_strdup_printf("%s/%u", uuid, nth);
    guint8 digest[32];
    gsize len = sizeof(digest);

    g_checksum_update(sum, (const guchar *)text, -1);
    g_checksum_get_digest(sum, digest, &len);
    *ret_mac = (PvrMac) { { 0x52, 0x54, 0x00, digest[0], digest[1], digest[2] } };
}

const char *
pvr_gid_no_mac_reason(const PvrGid *gid)
{
    static const guint8 v4_mapped[12] = { [10] = 0xff, [11] = 0xff };
    static const guint8 zero_mac_id[8] = { LOCAL_BIT, 0, 0, 0xff, 0xfe, 0, 0, 0 };
    const guint8 *raw = gid->raw;

    if (pvr_gid_is_zero(gid))
        return "it is the empty GID";
    if (memcmp(raw, v4_mapped, sizeof(v4_mapped)) == 0)
        return "it is an IPv4-mapped GID";
    if (raw[0] == 0xff)
        return "it is a multicast GID";
    if (raw[11] != 0xff || raw[12] != 0xfe)
        return "its interface id is not made from a MAC (no ff:fe in the middle; "
               "stable-privacy or set by hand)";
    if (raw[8] & MULTICAST_BIT)
        return "its interface id would give a multicast MAC";
    if (memcmp(raw + 8, zero_mac_id, sizeof(zero_mac_id)) == 0)
        return "its interface id is that of the MAC 00:00:00:00:00:00 (a loopback device)";
    return NULL;
}

gboolean
pvr_gid_to_mac(const PvrGid *gid, PvrMac *ret_mac, GError **error)
{
    const char *reason = pvr_gid_no_mac_reason(gid);
    const guint8 *id = gid->raw + 8;

    if (reason != NULL) {
        g_autofree char *text = pvr_gid_to_string(gid);

        g_set_error(error, PVR_ERROR, PVR_ERROR_FAILED,
                    "GID %s carries no MAC: %s\n"
                    "use the port's link-local GID, the one that starts with fe80 and has ff:fe "
                    "in the middle", text, reason);
        return FALSE;
    }
    *ret_mac = (PvrMac) { { id[0] ^ LOCAL_BIT, id[1], id[2], id[5], id[6], id[7] } };
    return TRUE;
}

void
pvr_gid_from_mac(const PvrMac *mac, PvrGid *ret_gid)
{
    const guint8 *m = mac->raw;

    *ret_gid = (PvrGid) { { 0xfe, 0x80, 0, 0, 0, 0, 0, 0,
                            m[0] ^ LOCAL_BIT, m[1], m[2], 0xff, 0xfe, m[3], m[4], m[5] } };
}
