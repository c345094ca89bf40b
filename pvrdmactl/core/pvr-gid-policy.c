/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-gid-policy.h"

#include <string.h>

#include "pvr-error.h"

#define MAX_WORDS 8

typedef struct {
    gboolean version, family;
    PvrGidScope scope; /* FIXED: no word for it yet */
    PvrGid gid;
} Parsed;

static const char *const scope_words[] = {
    [PVR_GID_FIXED] = "",
    [PVR_GID_ANY] = "any",
    [PVR_GID_LINK_LOCAL] = "link-local",
    [PVR_GID_ROUTABLE] = "routable",
    [PVR_GID_EXACT] = "exact",
};

static gboolean
fail_twice(const char *text, const char *what, GError **error)
{
    g_set_error(error, PVR_ERROR, PVR_ERROR_USAGE, "GID policy '%s' names %s twice", text, what);
    return FALSE;
}

/* The words for version and family: TRUE with *ret_known when @word is one. */
static gboolean
parse_kind(const char *text, const char *word, Parsed *parsed, gboolean *ret_known, GError **error)
{
    gboolean version = g_str_equal(word, "v1") || g_str_equal(word, "v2");
    gboolean family = g_str_equal(word, "ipv4") || g_str_equal(word, "ipv6");

    *ret_known = version || family;
    if ((version && parsed->version) || (family && parsed->family)) {
        return fail_twice(text, version ? "a RoCE version" : "a family", error);
    }
    parsed->version = parsed->version || version;
    parsed->family = parsed->family || family;
    if (g_str_equal(word, "v1")) {
        g_set_error_literal(error, PVR_ERROR, PVR_ERROR_UNSUPPORTED,
                            "a RoCE v1 GID cannot serve a guest\nthe device speaks RoCE v2 only");
        return FALSE;
    }
    if (g_str_equal(word, "ipv4")) {
        g_set_error_literal(error, PVR_ERROR, PVR_ERROR_UNSUPPORTED,
                            "an IPv4 GID cannot serve a guest: it carries no MAC\n"
                            "function 0 has the MAC of the GID, so it must be an IPv6 one, an EUI-64");
        return FALSE;
    }
    return TRUE;
}

/* The scope of a word; FIXED when it is none. */
static PvrGidScope
scope_of_word(const char *word, PvrGid *gid)
{
    for (PvrGidScope scope = PVR_GID_ANY; scope <= PVR_GID_EXACT; scope++) {
        if (g_str_equal(word, scope_words[scope])) {
            return scope;
        }
    }
    return pvr_gid_parse(word, gid, NULL) ? PVR_GID_EXACT : PVR_GID_FIXED;
}

static gboolean
parse_word(const char *text, const char *word, Parsed *parsed, GError **error)
{
    gboolean known = FALSE;
    PvrGidScope scope;

    if (!parse_kind(text, word, parsed, &known, error)) {
        return FALSE;
    }
    if (known) {
        return TRUE;
    }
    if (parsed->scope != PVR_GID_FIXED) {
        return fail_twice(text, "which GIDs", error);
    }
    scope = scope_of_word(word, &parsed->gid);
    if (scope == PVR_GID_FIXED) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_USAGE,
                    "'%s' is no word of a GID policy\n"
                    "write any, link-local, routable or a GID, and v2 or ipv6, with ',' between",
                    word);
        return FALSE;
    }
    parsed->scope = scope;
    return TRUE;
}

gboolean
pvr_gid_policy_parse(const char *text, PvrGidScope *ret_scope, PvrGid *ret_gid, GError **error)
{
    g_auto(GStrv) words = g_strsplit(text, ",", MAX_WORDS);
    Parsed parsed = {.scope = PVR_GID_FIXED};

    for (guint i = 0; words[i] != NULL; i++) {
        if (!parse_word(text, words[i], &parsed, error)) {
            return FALSE;
        }
    }
    if (words[0] == NULL) {
        g_set_error_literal(error, PVR_ERROR, PVR_ERROR_USAGE, "the GID policy is empty");
        return FALSE;
    }
    *ret_scope = parsed.scope != PVR_GID_FIXED ? parsed.scope : PVR_GID_ANY;
    *ret_gid = parsed.gid;
    return TRUE;
}

char *
pvr_gid_policy_to_string(PvrGidScope scope)
{
    return scope != PVR_GID_FIXED ? g_strconcat("v2,ipv6,", scope_words[scope], NULL) : NULL;
}

guint
pvr_gid_policy_rate(PvrGidScope scope, const PvrGid *gid, const PvrMac *mac,
                    const PvrGidEntry *entry)
{
    gboolean local = pvr_gid_is_link_local(&entry->gid);
    PvrMac carried;

    if (entry->type != PVR_GID_ROCE_V2 || !pvr_gid_to_mac(&entry->gid, &carried, NULL) ||
        (mac != NULL && !pvr_mac_equal(mac, &carried))) {
        return 0;
    }
    switch (scope) {
    case PVR_GID_ANY:
        return local ? 2 : 1;
    case PVR_GID_LINK_LOCAL:
        return local ? 1 : 0;
    case PVR_GID_ROUTABLE:
        return local ? 0 : 1;
    case PVR_GID_FIXED:
    case PVR_GID_EXACT:
    default:
        return pvr_gid_equal(gid, &entry->gid) ? 1 : 0;
    }
}
