/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-vf.h"

#include <linux/if_link.h>
#include <string.h>

#include "pvr-error.h"

#define VLAN_MAX 4094
#define QOS_MAX 7
#define GUID_BYTES 8

static const char *const link_states[] = {
    [IFLA_VF_LINK_STATE_AUTO] = "auto",
    [IFLA_VF_LINK_STATE_ENABLE] = "enable",
    [IFLA_VF_LINK_STATE_DISABLE] = "disable",
};

static const char *
on_off(gboolean on)
{
    return on ? "on" : "off";
}

char *
pvr_vf_attr_to_string(const PvrVf *vf, PvrVfSet bit)
{
    switch (bit) {
    case PVR_VF_VLAN:
        return g_strdup_printf("vlan %u %u", vf->vlan, vf->qos);
    case PVR_VF_RATE:
        return g_strdup_printf("rate %u %u", vf->min_tx_rate, vf->max_tx_rate);
    case PVR_VF_SPOOFCHK:
        return g_strdup_printf("spoofchk %s", on_off(vf->spoofchk));
    case PVR_VF_TRUST:
        return g_strdup_printf("trust %s", on_off(vf->trust));
    case PVR_VF_LINK_STATE:
        return g_strdup_printf("state %s", link_states[MIN(vf->link_state,
                                                           IFLA_VF_LINK_STATE_DISABLE)]);
    default:
        g_return_val_if_reached(NULL);
    }
}

char *
pvr_vf_describe(const PvrVf *vf, PvrVfSet bit)
{
    g_autofree char *value = NULL;

    if (bit == PVR_VF_MAC) {
        value = pvr_mac_to_string(&vf->mac);
        return g_strconcat("mac ", value, NULL);
    }
    if (bit != PVR_VF_NODE_GUID && bit != PVR_VF_PORT_GUID)
        return pvr_vf_attr_to_string(vf, bit);
    value = pvr_guid_to_string(bit == PVR_VF_NODE_GUID ? vf->node_guid : vf->port_guid);
    return g_strconcat(bit == PVR_VF_NODE_GUID ? "node_guid " : "port_guid ", value, NULL);
}

static gboolean
parse_on_off(const char *text, gboolean *ret_on)
{
    if (strcmp(text, "on") != 0 && strcmp(text, "off") != 0)
        return FALSE;
    *ret_on = strcmp(text, "on") == 0;
    return TRUE;
}

static gboolean
parse_number(const char *text, guint max, guint *ret_number)
{
    guint64 value;

    if (!g_ascii_string_to_unsigned(text, 10, 0, max, &value, NULL))
        return FALSE;
    *ret_number = (guint) value;
    return TRUE;
}

static gboolean
parse_link_state(const char *text, guint *ret_state)
{
    for (guint i = 0; i < G_N_ELEMENTS(link_states); i++) {
        if (strcmp(text, link_states[i]) == 0) {
            *ret_state = i;
            return TRUE;
        }
    }
    return FALSE;
}

/* The kernel takes VLAN 0 (none) with QoS 0 only. */
static gboolean
parse_vlan(char **words, PvrVf *vf)
{
    return parse_number(words[1], VLAN_MAX, &vf->vlan) &&
           parse_number(words[2], QOS_MAX, &vf->qos) && (vf->vlan != 0 || vf->qos == 0);
}

static gboolean
parse_rate(char **words, PvrVf *vf)
{
    return parse_number(words[1], G_MAXINT32, &vf->min_tx_rate) &&
           parse_number(words[2], G_MAXINT32, &vf->max_tx_rate) &&
           (vf->max_tx_rate == 0 || vf->min_tx_rate <= vf->max_tx_rate);
}

/* The attribute that the words set; 0 when they set none. */
static guint
parse_words(char **words, guint count, PvrVf *vf)
{
    if (count == 3 && strcmp(words[0], "vlan") == 0)
        return parse_vlan(words, vf) ? PVR_VF_VLAN : 0;
    if (count == 3 && strcmp(words[0], "rate") == 0)
        return parse_rate(words, vf) ? PVR_VF_RATE : 0;
    if (count == 2 && strcmp(words[0], "spoofchk") == 0)
        return parse_on_off(words[1], &vf->spoofchk) ? PVR_VF_SPOOFCHK : 0;
    if (count == 2 && strcmp(words[0], "trust") == 0)
        return parse_on_off(words[1], &vf->trust) ? PVR_VF_TRUST : 0;
    if (count == 2 && strcmp(words[0], "state") == 0)
        return parse_link_state(words[1], &vf->link_state) ? PVR_VF_LINK_STATE : 0;
    return 0;
}

gboolean
pvr_vf_parse_attr(const char *text, PvrVf *vf, GError **error)
{
    g_auto(GStrv) words = g_strsplit(text, " ", 4);
    PvrVf parsed = *vf;
    const guint bit = parse_words(words, g_strv_length(words), &parsed);

    if (bit == 0) {
        g_autofree char *shown = g_strndup(text, 60);
        g_autofree char *safe = g_strescape(shown, NULL);

        g_set_error(error, PVR_ERROR, PVR_ERROR_USAGE, "'%s' is no attribute of a VF\n"
                    "write 'vlan 5 0', 'rate 0 1000', 'spoofchk on', 'trust off', or 'state auto'",
                    safe);
        return FALSE;
    }
    *vf = parsed;
    vf->set |= bit;
    return TRUE;
}

gboolean
pvr_vf_same(const PvrVf *a, const PvrVf *b, guint bits)
{
    return (!(bits & PVR_VF_MAC) || pvr_mac_equal(&a->mac, &b->mac)) &&
           (!(bits & PVR_VF_VLAN) || (a->vlan == b->vlan && a->qos == b->qos)) &&
           (!(bits & PVR_VF_RATE) ||
            (a->min_tx_rate == b->min_tx_rate && a->max_tx_rate == b->max_tx_rate)) &&
           (!(bits & PVR_VF_SPOOFCHK) || !a->spoofchk == !b->spoofchk) &&
           (!(bits & PVR_VF_TRUST) || !a->trust == !b->trust) &&
           (!(bits & PVR_VF_LINK_STATE) || a->link_state == b->link_state) &&
           (!(bits & PVR_VF_NODE_GUID) || a->node_guid == b->node_guid) &&
           (!(bits & PVR_VF_PORT_GUID) || a->port_guid == b->port_guid);
}

char *
pvr_guid_to_string(guint64 guid)
{
    return g_strdup_printf("%04x:%04x:%04x:%04x", (guint) (guid >> 48), (guint) (guid >> 32) & 0xffff,
                           (guint) (guid >> 16) & 0xffff, (guint) guid & 0xffff);
}

/* Hex digits in groups of @group, ':' between them, as long as a GUID. */
static gboolean
scan_guid(const char *text, guint group, guint64 *ret_guid)
{
    const guint length = 2 * GUID_BYTES + 2 * GUID_BYTES / group - 1;
    guint64 guid = 0;

    if (strlen(text) != length)
        return FALSE;
    for (guint i = 0; i < length; i++) {
        const gboolean separator = i % (group + 1) == group;

        if (separator ? text[i] != ':' : !g_ascii_isxdigit(text[i]))
            return FALSE;
        if (!separator)
            guid = guid << 4 | (guint64) g_ascii_xdigit_value(text[i]);
    }
    *ret_guid = guid;
    return TRUE;
}

gboolean
pvr_guid_parse(const char *text, guint64 *ret_guid, GError **error)
{
    g_autofree char *shown = NULL;
    g_autofree char *safe = NULL;

    if (scan_guid(text, 4, ret_guid) || scan_guid(text, 2, ret_guid))
        return TRUE;
    if (g_str_has_prefix(text, "0x") && scan_guid(text + 2, 16, ret_guid))
        return TRUE;
    shown = g_strndup(text, 40);
    safe = g_strescape(shown, NULL);
    g_set_error(error, PVR_ERROR, PVR_ERROR_USAGE, "'%s' is no GUID\n"
                "write it like 0c42:a103:0065:bd12 or 0c:42:a1:03:00:65:bd:12", safe);
    return FALSE;
}
