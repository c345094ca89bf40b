/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Does a packet filter of the host let RoCE v2 in? */
#include <json-glib/json-glib.h>
#include <string.h>

#include "pvr-check.h"

#define ROCE_PORT 4791
#define MAX_DEPTH 32

/* TRUE when a number, or a range of the JSON, takes in the port. */
static gboolean
covers_port(JsonNode *node, guint depth)
{
    if (depth > MAX_DEPTH) {
        return FALSE;
    }
    if (JSON_NODE_HOLDS_VALUE(node)) {
        return json_node_get_value_type(node) == G_TYPE_INT64 &&
               json_node_get_int(node) == ROCE_PORT;
    }
    if (JSON_NODE_HOLDS_ARRAY(node)) {
        g_autoptr(GList) items = json_array_get_elements(json_node_get_array(node));

        for (GList *item = items; item != NULL; item = item->next) {
            if (covers_port(item->data, depth + 1)) {
                return TRUE;
            }
        }
    } else if (JSON_NODE_HOLDS_OBJECT(node)) {
        JsonObject *object = json_node_get_object(node);
        g_autoptr(GList) values = json_object_get_values(object);
        JsonNode *range = json_object_get_member(object, "range");

        if (range != NULL && JSON_NODE_HOLDS_ARRAY(range) &&
            json_array_get_length(json_node_get_array(range)) == 2) {
            JsonNode *first = json_array_get_element(json_node_get_array(range), 0);
            JsonNode *last = json_array_get_element(json_node_get_array(range), 1);

            return JSON_NODE_HOLDS_VALUE(first) && JSON_NODE_HOLDS_VALUE(last) &&
                   json_node_get_int(first) <= ROCE_PORT && json_node_get_int(last) >= ROCE_PORT;
        }
        for (GList *value = values; value != NULL; value = value->next) {
            if (covers_port(value->data, depth + 1)) {
                return TRUE;
            }
        }
    }
    return FALSE;
}

/* The string member, or "". */
static const char *
text_of(JsonObject *object, const char *name)
{
    JsonNode *node = json_object_get_member(object, name);

    return node != NULL && JSON_NODE_HOLDS_VALUE(node) && json_node_get_string(node) != NULL
               ? json_node_get_string(node)
               : "";
}

/* What a rule does: nothing but counting before a drop or reject makes it one for all packets. */
typedef struct {
    gboolean accepts, drops, conditional;
} Rule;

static Rule
read_rule(JsonObject *rule)
{
    JsonNode *expr = json_object_get_member(rule, "expr");
    JsonArray *list =
        expr != NULL && JSON_NODE_HOLDS_ARRAY(expr) ? json_node_get_array(expr) : NULL;
    Rule result = {0};

    for (guint i = 0; list != NULL && i < json_array_get_length(list); i++) {
        JsonNode *node = json_array_get_element(list, i);
        JsonObject *part = JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;

        if (part == NULL) {
            result.conditional = TRUE;
        } else if (json_object_has_member(part, "accept")) {
            result.accepts = TRUE;
        } else if (json_object_has_member(part, "drop") ||
                   json_object_has_member(part, "reject")) {
            result.drops = TRUE;
        } else if (!json_object_has_member(part, "counter") &&
                   !json_object_has_member(part, "log")) {
            result.conditional = TRUE;
        }
    }
    return result;
}

/* What is known of the ruleset. */
typedef struct {
    GHashTable *inputs;    /* "FAMILY TABLE CHAIN" of base chains for input */
    const char *closed;    /* one that lets nothing in by default; borrowed */
    gboolean lets, blocks; /* rules about the port */
} Ruleset;

/* GIDs that carry a MAC are IPv6 addresses. */
static gboolean
is_ipv6_family(const char *family)
{
    return strcmp(family, "inet") == 0 || strcmp(family, "ip6") == 0;
}

static void
read_chain(Ruleset *set, JsonObject *chain)
{
    char *key;

    if (strcmp(text_of(chain, "hook"), "input") != 0 ||
        !is_ipv6_family(text_of(chain, "family"))) {
        return;
    }
    key = g_strdup_printf("%s %s %s", text_of(chain, "family"), text_of(chain, "table"),
                          text_of(chain, "name"));
    g_hash_table_add(set->inputs, key);
    if (strcmp(text_of(chain, "policy"), "drop") == 0 && set->closed == NULL) {
        set->closed = key;
    }
}

static void
read_verdict(Ruleset *set, JsonObject *rule, JsonNode *node)
{
    const Rule what = read_rule(rule);
    g_autofree char *key = g_strdup_printf("%s %s %s", text_of(rule, "family"),
                                           text_of(rule, "table"), text_of(rule, "chain"));
    gpointer stored = NULL;

    if (is_ipv6_family(text_of(rule, "family")) && covers_port(node, 0)) {
        set->lets = set->lets || what.accepts;
        set->blocks = set->blocks || what.drops;
    } else if (what.drops && !what.conditional && set->closed == NULL &&
               g_hash_table_lookup_extended(set->inputs, key, &stored, NULL)) {
        set->closed = stored;
    }
}

/* nft lists the chains of all tables before their rules. */
static gboolean
read_ruleset(Ruleset *set, const char *json)
{
    g_autoptr(JsonNode) root = json_from_string(json, NULL);
    JsonNode *list = root != NULL && JSON_NODE_HOLDS_OBJECT(root)
                         ? json_object_get_member(json_node_get_object(root), "nftables")
                         : NULL;

    if (list == NULL || !JSON_NODE_HOLDS_ARRAY(list)) {
        return FALSE;
    }
    for (guint i = 0; i < json_array_get_length(json_node_get_array(list)); i++) {
        JsonNode *item = json_array_get_element(json_node_get_array(list), i);
        JsonObject *object = JSON_NODE_HOLDS_OBJECT(item) ? json_node_get_object(item) : NULL;
        JsonNode *chain = object != NULL ? json_object_get_member(object, "chain") : NULL;
        JsonNode *rule = object != NULL ? json_object_get_member(object, "rule") : NULL;

        if (chain != NULL && JSON_NODE_HOLDS_OBJECT(chain)) {
            read_chain(set, json_node_get_object(chain));
        } else if (rule != NULL && JSON_NODE_HOLDS_OBJECT(rule)) {
            JsonNode *expr = json_object_get_member(json_node_get_object(rule), "expr");

            read_verdict(set, json_node_get_object(rule), expr != NULL ? expr : rule);
        }
    }
    return TRUE;
}

/* The older tables, as ip6tables-save prints them. */
static void
read_ip6tables(Ruleset *set, const char *text)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

    for (guint i = 0; lines[i] != NULL; i++) {
        if (strstr(lines[i], "-p udp") != NULL && strstr(lines[i], " 4791") != NULL) {
            set->lets = set->lets || g_str_has_suffix(lines[i], "-j ACCEPT");
            set->blocks = set->blocks || strstr(lines[i], "-j DROP") != NULL ||
                          strstr(lines[i], "-j REJECT") != NULL;
        } else if (g_str_has_prefix(lines[i], ":INPUT DROP") ||
                   g_str_has_prefix(lines[i], "-A INPUT -j DROP") ||
                   g_str_has_prefix(lines[i], "-A INPUT -j REJECT")) {
            set->closed = "ip6tables INPUT";
        }
    }
}

static void
report(const Ruleset *set, guint use, GPtrArray *checks)
{
    if (set->blocks) {
        pvr_checks_add_missing(checks, "firewall.roce", use, PVR_CHECK_WARNING,
                               "remove that rule; 'nft list ruleset' shows it",
                               "a rule drops UDP port 4791, which RoCE v2 uses");
    } else if (set->closed != NULL && !set->lets) {
        pvr_checks_add_missing(checks, "firewall.roce", use, PVR_CHECK_WARNING,
                               "firewall-cmd --permanent --add-port=4791/udp && firewall-cmd "
                               "--reload, or: ufw allow 4791/udp",
                               "chain '%s' drops what no rule lets in, and none is about UDP port 4791",
                               set->closed);
    } else {
        pvr_checks_add(checks, "firewall.roce", PVR_CHECK_OK, NULL,
                       set->lets ? "a rule lets UDP port 4791 in"
                                 : "no packet filter stands before UDP port 4791");
    }
}

void
pvr_check_firewall(const char *nft, const char *ip6tables, guint use, GPtrArray *checks)
{
    g_autoptr(GHashTable) inputs = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    Ruleset set = {.inputs = inputs};
    gboolean known = nft != NULL && read_ruleset(&set, nft);

    if (ip6tables != NULL) {
        read_ip6tables(&set, ip6tables);
    }
    if (known || ip6tables != NULL) {
        report(&set, use, checks);
    } else {
        pvr_checks_add(checks, "firewall.roce", PVR_CHECK_NA, NULL,
                       "neither nft nor ip6tables tells the rules (it takes root)");
    }
}
